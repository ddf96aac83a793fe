import type { Place } from "@/lib/place";
import { answered, client, type Schemas } from "./client";

/** What happens while a question is answered, one after the other; `done` or `failed` comes last. */
export type AskEvent =
  | { kind: "understood"; data: { reading: string } }
  | { kind: "called"; data: { tool: string; arguments: Record<string, unknown> } }
  | { kind: "found"; data: { tool: string; summary: string; evidence: readonly string[]; is_error: boolean } }
  | { kind: "said"; data: Schemas["SentenceTold"] }
  | { kind: "done"; data: Schemas["AskTold"] }
  | { kind: "failed"; data: { detail: string; remedy: string } };

/** Ask in words, and hear the answer as it is made. Raises Failure where it cannot be asked. */
export async function askAloud(
  place: Place,
  question: string,
  heard: (event: AskEvent) => void,
  signal: AbortSignal,
): Promise<void> {
  const headers = { Accept: "text/event-stream", ...(place.space ? { "X-Hindcast-Space": place.space } : {}) };
  const body = await answered<ReadableStream<Uint8Array>>(
    client.POST("/api/v1/ask", {
      body: { question, at: place.at },
      headers,
      parseAs: "stream",
      signal,
    } as never),
  );
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  for (;;) {
    const { value, done } = await reader.read();
    text += decoder.decode(value, { stream: !done });
    const [events, rest] = eventsIn(text);
    for (const one of events) heard(one);
    text = rest;
    if (done) return;
  }
}

/** The whole events in a text, and what is left of it. */
export function eventsIn(text: string): [AskEvent[], string] {
  const frames = text.split("\n\n");
  const rest = frames.pop() ?? "";
  return [frames.flatMap(eventOf), rest];
}

function eventOf(frame: string): AskEvent[] {
  const kind = /^event: (.+)$/m.exec(frame)?.[1];
  const data = /^data: (.+)$/m.exec(frame)?.[1];
  return kind && data ? [{ kind, data: JSON.parse(data) } as AskEvent] : [];
}
