import createClient from "openapi-fetch";
import { Store } from "@/lib/store";
import { Failure, failureOf, offline } from "./failure";
import type { components, paths } from "./schema";

export type Schemas = components["schemas"];
export type Presence = Schemas["Presence"];

/** What a page sends with whatever changes something; told by the session. */
let csrf = "";

/** Whether the server last said that it does not know us. The shell then asks for signing in. */
export const isSignedOut = new Store(false);

export function admit(presence: Presence): Presence {
  csrf = presence.csrf;
  isSignedOut.set(false);
  return presence;
}

/** What proves that a change is asked for by one of our pages; for requests that the client cannot make. */
export function proof(): Record<string, string> {
  return csrf ? { "X-Hindcast-CSRF": csrf } : {};
}

export const client = createClient<paths>({
  baseUrl: window.location.origin,
  credentials: "same-origin",
  // Read when it is called, so that a test can put another in its place.
  fetch: (request) => globalThis.fetch(request),
});

const SAFE = new Set(["GET", "HEAD"]);

client.use({
  onRequest({ request }) {
    if (!SAFE.has(request.method)) {
      if (csrf) request.headers.set("X-Hindcast-CSRF", csrf);
      if (request.method === "POST") request.headers.set("Idempotency-Key", token());
    }
    return request;
  },
  onError: () => offline(),
});

/** Something that nobody else has made. Not randomUUID: plain http on another host has none. */
export function token(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

interface Answer {
  data?: unknown;
  error?: unknown;
  response: Response;
}

/** The data of an answer; raises Failure for anything else. */
export async function answered<T>(asked: Promise<Answer>): Promise<T> {
  const { data, error, response } = await asked;
  if (error instanceof Failure) throw error;
  if (!response.ok) {
    if (response.status === 401) isSignedOut.set(true);
    throw failureOf(response, error);
  }
  return data as T;
}
