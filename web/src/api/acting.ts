import { type UseMutationResult, useMutation, useQueryClient } from "@tanstack/react-query";
import { usePlace } from "@/lib/place";
import { tell } from "@/lib/toasts";
import { answered, client } from "./client";
import type { Failure } from "./failure";
import type { paths } from "./schema";

export type Verb = "post" | "put" | "patch" | "delete";
type Operation<P extends keyof paths, V extends Verb> = paths[P] extends Record<V, infer Found> ? Found : never;

/** Paths that take a verb. */
export type ActPath<V extends Verb> = {
  [P in keyof paths]: paths[P] extends Record<V, { responses: unknown }> ? P : never;
}[keyof paths];

type Body<P extends keyof paths, V extends Verb> =
  Operation<P, V> extends { requestBody?: { content: { "application/json": infer Said } } } ? Said : never;
type Names<P extends keyof paths, V extends Verb> =
  Operation<P, V> extends { parameters: { path: infer Path } } ? Path : never;
type Query<P extends keyof paths, V extends Verb> =
  Operation<P, V> extends { parameters: { query?: infer Found } } ? Found : never;
type Json<Answer> = Answer extends { content: { "application/json": infer Said } } ? Said : never;
type Answers<P extends keyof paths, V extends Verb> = Operation<P, V> extends { responses: infer All } ? All : never;
export type Acted<P extends keyof paths, V extends Verb> =
  Answers<P, V> extends { 200: infer Ok }
    ? Json<Ok>
    : Answers<P, V> extends { 201: infer Made }
      ? Json<Made>
      : undefined;

export interface Said<P extends keyof paths, V extends Verb> {
  path?: Names<P, V>;
  query?: Query<P, V>;
  body?: Body<P, V>;
  /** The ETag of what was read: the act is refused when it has changed since. */
  ifMatch?: string;
}

export interface Act<T, S> {
  /** Told when it is done. */
  done?: string | ((answer: T, said: S) => string);
  /** Undoing beats asking beforehand. */
  undo?: (answer: T, said: S) => () => void;
  after?: (answer: T, said: S) => void;
  /** Failures are told as toasts unless the page shows them itself. */
  isQuiet?: boolean;
}

/** Something that changes something. Everything shown is asked for again afterwards. */
export function useAct<P extends ActPath<V>, V extends Verb>(
  verb: V,
  path: P,
  act: Act<Acted<P, V>, Said<P, V>> = {},
): UseMutationResult<Acted<P, V>, Failure, Said<P, V>> {
  const { space } = usePlace();
  const queries = useQueryClient();
  return useMutation<Acted<P, V>, Failure, Said<P, V>>({
    mutationFn: ({ path: names, query, body, ifMatch }) => {
      const headers = {
        ...(space ? { "X-Hindcast-Space": space } : {}),
        ...(ifMatch ? { "If-Match": ifMatch } : {}),
      };
      return answered(client.request(verb, path as never, { params: { path: names, query }, body, headers } as never));
    },
    onSuccess: (answer, said) => {
      void queries.invalidateQueries();
      const text = typeof act.done === "function" ? act.done(answer, said) : act.done;
      const undo = act.undo?.(answer, said);
      if (text) tell(text, { tone: "good", ...(undo ? { action: { label: "Undo", run: undo } } : {}) });
      act.after?.(answer, said);
    },
    onError: (failure) => {
      if (!act.isQuiet) tell(`${failure.detail} ${failure.remedy}`, { tone: "bad" });
      if (failure.status === 409 || failure.status === 412) void queries.invalidateQueries();
    },
  });
}
