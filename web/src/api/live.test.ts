import { QueryClient } from "@tanstack/react-query";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { refreshing, Stream, streamAddress } from "./live";

class Source extends EventTarget {
  static made: Source[] = [];
  onopen: (() => void) | null = null;
  onerror: (() => void) | null = null;
  isClosed = false;

  constructor(readonly url: string) {
    super();
    Source.made.push(this);
  }

  close(): void {
    this.isClosed = true;
  }

  tell(kind: string, data: unknown, lastEventId = ""): void {
    this.dispatchEvent(new MessageEvent(kind, { data: JSON.stringify(data), lastEventId }));
  }
}

function listening() {
  const lines: string[] = [];
  const heard: string[] = [];
  const stream = new Stream(
    (after) => streamAddress("shop", { kinds: "incident" }, after),
    ["incident"],
    (one) => heard.push(one.kind),
    (line) => lines.push(line),
  );
  return { stream, lines, heard };
}

beforeEach(() => {
  vi.useFakeTimers();
  Source.made = [];
  vi.stubGlobal("EventSource", Source);
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("after an interruption the stream goes on where it ended", () => {
  const { heard, lines, stream } = listening();
  Source.made[0]?.onopen?.();
  Source.made[0]?.tell("incident", {}, "abc-7");
  Source.made[0]?.onerror?.();
  expect(lines).toEqual(["open", "lost"]);
  vi.advanceTimersByTime(1_000);
  expect(Source.made[1]?.url).toBe("/api/v1/live?space=shop&kinds=incident&after=abc-7");
  Source.made[1]?.tell("gap", { why: "too old" });
  expect(heard).toEqual(["incident", "gap"]);
  stream.end();
});

test("it comes back ever more slowly while nobody answers, and at once after it was open", () => {
  const { stream } = listening();
  for (const wait of [1_000, 2_000, 4_000]) {
    Source.made.at(-1)?.onerror?.();
    const before = Source.made.length;
    vi.advanceTimersByTime(wait - 1);
    expect(Source.made).toHaveLength(before);
    vi.advanceTimersByTime(1);
    expect(Source.made).toHaveLength(before + 1);
  }
  stream.end();
});

test("a line on which nothing is heard for two beats is taken for lost", () => {
  const { lines, stream } = listening();
  Source.made[0]?.onopen?.();
  vi.advanceTimersByTime(30_000);
  Source.made[0]?.tell("beat", {}, "abc-1");
  vi.advanceTimersByTime(30_000);
  expect(lines).toEqual(["open"]);
  vi.advanceTimersByTime(5_000);
  expect(lines).toEqual(["open", "lost"]);
  expect(Source.made[0]?.isClosed).toBe(true);
  stream.end();
});

test("who may no longer listen does not come back", () => {
  const { lines } = listening();
  Source.made[0]?.tell("closed", { why: "ended", type: "refused" });
  vi.advanceTimersByTime(60_000);
  expect(lines).toEqual(["refused"]);
  expect(Source.made).toHaveLength(1);
});

test("an ended stream is silent", () => {
  const { stream } = listening();
  stream.end();
  vi.advanceTimersByTime(120_000);
  expect(Source.made).toHaveLength(1);
  expect(Source.made[0]?.isClosed).toBe(true);
});

test("an event makes old what it is about, and nothing else", () => {
  const queries = new QueryClient();
  queries.setQueryData(["shop", "/api/v1/incidents", {}], 1);
  queries.setQueryData(["shop", "/api/v1/members", {}], 1);
  refreshing(queries)({ kind: "incident", data: {} });
  const old = queries
    .getQueryCache()
    .getAll()
    .filter((one) => one.state.isInvalidated)
    .map((one) => one.queryKey[1]);
  expect(old).toEqual(["/api/v1/incidents"]);
});
