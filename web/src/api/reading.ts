import { keepPreviousData, type UseQueryResult, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { type Place, usePlace } from "@/lib/place";
import { answered, client } from "./client";
import type { Failure } from "./failure";
import type { paths } from "./schema";

type Json<Answer> = Answer extends { content: { "application/json": infer Body } } ? Body : never;
type Get<P extends keyof paths> = paths[P] extends { get: infer Operation } ? Operation : never;

/** Paths that answer a GET with JSON. */
export type ReadPath = {
  [P in keyof paths]: Get<P> extends { responses: { 200: infer Answer } }
    ? Json<Answer> extends never
      ? never
      : P
    : never;
}[keyof paths];
export type Read<P extends ReadPath> = Get<P> extends { responses: { 200: infer Answer } } ? Json<Answer> : never;
type Parameters<P extends ReadPath> = Get<P> extends { parameters: infer All } ? All : never;
type Query<P extends ReadPath> = Parameters<P> extends { query?: infer Q } ? Omit<NonNullable<Q>, "space"> : never;
type Path<P extends ReadPath> = Parameters<P> extends { path: infer Names } ? Names : never;

export interface Asked<P extends ReadPath> {
  path?: Path<P>;
  query?: Query<P>;
}

export interface Reading {
  /** Not asked while false. */
  isOn?: boolean;
  /** How often it is asked again by itself; live events ask again anyway. */
  everySeconds?: number;
  /** Show what was there before while other parameters are asked for. */
  keepsPrevious?: boolean;
}

/** Reads that can be of any moment. A test holds this list to the API's own description. */
export const MOMENTARY: ReadonlySet<string> = new Set([
  "/api/v1/overview",
  "/api/v1/incidents",
  "/api/v1/incidents/{incident_id}",
  "/api/v1/incidents/{incident_id}/recall",
  "/api/v1/cards/{card_id}",
  "/api/v1/memory-log",
  "/api/v1/memory/records",
  "/api/v1/memory/namespaces",
  "/api/v1/memory/search",
  "/api/v1/memory/records/{address}",
  "/api/v1/memory/commits",
  "/api/v1/memory/history",
  "/api/v1/memory/blame",
]);

/** Under which a read is kept: the project, the path, and everything that was said with it. */
export function keyOf<P extends ReadPath>(place: Place, path: P, asked: Asked<P> = {}): readonly unknown[] {
  return [place.space, path, init(place, path, asked)];
}

function init<P extends ReadPath>(place: Place, path: P, asked: Asked<P>): object {
  const then = MOMENTARY.has(path) ? { at: place.at || undefined, branch: place.branch || undefined } : {};
  return { path: asked.path, query: { ...then, ...asked.query } };
}

/** Ask, at a place. */
export function read<P extends ReadPath>(
  place: Place,
  path: P,
  asked: Asked<P> = {},
  signal?: AbortSignal,
): Promise<Read<P>> {
  const headers = place.space ? { "X-Hindcast-Space": place.space } : {};
  return answered(client.GET(path as never, { params: init(place, path, asked), headers, signal } as never));
}

/** What the API answers, at the project and the moment that the address of the page says. */
export function useRead<P extends ReadPath>(
  path: P,
  asked: Asked<P> = {},
  options: Reading = {},
): UseQueryResult<Read<P>, Failure> {
  const place = usePlace();
  return useQuery<Read<P>, Failure>({
    queryKey: keyOf(place, path, asked),
    queryFn: ({ signal }) => read(place, path, asked, signal),
    enabled: options.isOn ?? true,
    refetchInterval: options.everySeconds ? options.everySeconds * 1000 : false,
    ...(options.keepsPrevious ? { placeholderData: keepPreviousData as never } : {}),
  });
}

type Item<P extends ReadPath> = Read<P> extends { items: readonly (infer One)[] } ? One : never;

/** A list, page after page: `items` so far, and `more()` while there are more. */
export function useList<P extends ReadPath>(path: P, asked: Asked<P> = {}, options: Reading = {}) {
  const place = usePlace();
  const found = useInfiniteQuery({
    queryKey: [...keyOf(place, path, asked), "pages"],
    queryFn: ({ pageParam, signal }) => {
      const query = { ...asked.query, ...(pageParam ? { cursor: pageParam } : {}) } as Query<P>;
      return read(place, path, { ...asked, query }, signal) as Promise<{ items: Item<P>[]; next: string | null }>;
    },
    initialPageParam: "",
    getNextPageParam: (page) => page.next ?? undefined,
    enabled: options.isOn ?? true,
    refetchInterval: options.everySeconds ? options.everySeconds * 1000 : false,
    ...(options.keepsPrevious ? { placeholderData: keepPreviousData } : {}),
  });
  return {
    ...found,
    error: found.error as Failure | null,
    items: found.data?.pages.flatMap((page) => page.items) ?? [],
    more: () => {
      if (found.hasNextPage && !found.isFetchingNextPage) void found.fetchNextPage();
    },
  };
}
