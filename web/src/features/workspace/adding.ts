import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { answered, client } from "@/api/client";
import { Failure } from "@/api/failure";
import { usePlace } from "@/lib/place";
import { type Arriving, below, TEXT_BYTES_MAX, textOf } from "./arriving";

/** A file on its way into the workspace. */
export interface Sending {
  path: string;
  state: "sending" | "there" | "refused";
  /** Why it was refused. */
  why: string;
}

/** Puts single files into a workspace, one after the other; each tells what became of it. */
export function useAdding(name: string) {
  const { space } = usePlace();
  const queries = useQueryClient();
  const [sent, setSent] = useState<readonly Sending[]>([]);
  const set = (one: Sending) => setSent((known) => [...known.filter((other) => other.path !== one.path), one]);
  const add = async (files: readonly Arriving[], folder: string) => {
    for (const { path, file } of files) {
      const whole = below(folder, path);
      set({ path: whole, state: "sending", why: "" });
      const why = await put(name, space, whole, file);
      set({ path: whole, state: why ? "refused" : "there", why });
    }
    await queries.invalidateQueries({
      predicate: (query) => String(query.queryKey[1]).startsWith("/api/v1/workspaces"),
    });
  };
  return { sent, add, clear: () => setSent([]) };
}

async function put(name: string, space: string, path: string, file: File): Promise<string> {
  if (file.size > TEXT_BYTES_MAX) return `It is larger than ${TEXT_BYTES_MAX / 1_000_000} MB.`;
  const text = await textOf(file);
  if (text === null) return "It is no text.";
  // Nothing that is there already is overwritten by a drop.
  const headers = { "If-None-Match": "*", ...(space ? { "X-Hindcast-Space": space } : {}) };
  try {
    await answered(
      client.PUT("/api/v1/workspaces/{name}/file", {
        params: { path: { name }, query: { path } },
        headers,
        body: { text },
      }),
    );
    return "";
  } catch (failure) {
    if (!(failure instanceof Failure)) throw failure;
    return failure.status === 412
      ? "It is there already: open it to change it."
      : `${failure.detail} ${failure.remedy}`;
  }
}
