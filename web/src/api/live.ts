import type { QueryClient } from "@tanstack/react-query";
import { Store } from "@/lib/store";
import type { Schemas } from "./client";

/**
 * What happens, as it happens. One stream serves all tabs of a browser: the tab that holds the lock listens and passes
 * on what it hears, and when it is closed another takes over. After an interruption the stream goes on where it ended
 * (`after`); what could not be told again is a gap, and everything shown is then asked for anew.
 */
export interface IncidentEvent {
  kind: string;
  at: string;
  why: string;
  incident: Schemas["DetectionTold"];
}

export interface AnswerEvent {
  incident: string;
  familiarity?: Schemas["Familiarity"];
  confidence?: number;
  headline?: string;
  case?: string;
  failure?: string;
}

export interface Heard {
  kind: string;
  data: unknown;
}

export type Line = "connecting" | "open" | "lost" | "refused";

export interface Connection {
  line: Line;
  /** Since when it is as it is. */
  since: Date;
  /** When something was last missed, and why. */
  gap: { at: Date; why: string } | null;
}

const KINDS = ["incident", "answer", "deck", "card", "workspace"];
const RETRY_MS = [1_000, 2_000, 4_000, 8_000, 15_000];
// The server beats every 15 seconds. Two beats missed, and nobody is there.
const SILENT_MS_MAX = 35_000;

export const connection = new Store<Connection>({ line: "connecting", since: new Date(), gap: null });

type Hear = (heard: Heard) => void;
const hearers = new Set<Hear>();

/** Hear every event of the stream, whichever tab listens. */
export function hear(hearer: Hear): () => void {
  hearers.add(hearer);
  return () => hearers.delete(hearer);
}

function turn(line: Line): void {
  connection.change((now) => (now.line === line ? now : { ...now, line, since: new Date() }));
}

function miss(why: string): void {
  connection.change((now) => ({ ...now, gap: { at: new Date(), why } }));
}

/** A stream that comes back by itself. Used by the shell, and by pages that want lines and rates of their own. */
export class Stream {
  #source: EventSource | null = null;
  #after = "";
  #tries = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #silence: ReturnType<typeof setTimeout> | undefined;
  #isEnded = false;

  constructor(
    readonly address: (after: string) => string,
    readonly kinds: readonly string[],
    readonly heard: Hear,
    readonly turned: (line: Line) => void,
  ) {
    this.#open();
  }

  end(): void {
    this.#isEnded = true;
    this.#drop();
  }

  #drop(): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#silence);
    this.#source?.close();
    this.#source = null;
  }

  #open(): void {
    const source = new EventSource(this.address(this.#after));
    this.#source = source;
    this.#listenForSilence();
    source.onopen = () => {
      this.#tries = 0;
      this.turned("open");
    };
    // The browser would come back by itself after a cut, but never after an answer such as 503. One way for both.
    source.onerror = () => this.#again();
    for (const kind of [...this.kinds, "gap", "beat"]) {
      source.addEventListener(kind, (event) => {
        this.#listenForSilence();
        if (event.lastEventId) this.#after = event.lastEventId;
        this.heard({ kind, data: JSON.parse(event.data) });
      });
    }
    source.addEventListener("closed", (event) => {
      const said = JSON.parse(event.data) as { why: string; type?: string };
      this.#drop();
      if (said.type === "refused") this.turned("refused");
      else this.#again();
    });
  }

  #listenForSilence(): void {
    clearTimeout(this.#silence);
    this.#silence = setTimeout(() => this.#again(), SILENT_MS_MAX);
  }

  #again(): void {
    this.#drop();
    if (this.#isEnded) return;
    this.turned("lost");
    const wait = RETRY_MS[Math.min(this.#tries, RETRY_MS.length - 1)] ?? 15_000;
    this.#tries += 1;
    this.#timer = setTimeout(() => this.#open(), wait);
  }
}

/** The address of a stream. */
export function streamAddress(space: string, wish: Record<string, string | string[]>, after: string): string {
  const query = new URLSearchParams();
  if (space) query.set("space", space);
  for (const [name, value] of Object.entries(wish)) {
    for (const one of Array.isArray(value) ? value : [value]) if (one) query.append(name, one);
  }
  if (after) query.set("after", after);
  return `/api/v1/live?${query}`;
}

interface Passed {
  heard?: Heard;
  line?: Line;
  asks?: boolean;
}

/** Listen to a space for as long as the shell shows it. */
export function listen(space: string): () => void {
  turn("connecting");
  const name = `hindcast-live-${space}`;
  const channel = new BroadcastChannel(name);
  const leaving = new AbortController();
  let stream: Stream | null = null;
  let line: Line = "connecting";
  let isLeft = false;

  const pass = (one: Passed) => {
    if (!isLeft) channel.postMessage(one);
  };
  const turned = (next: Line) => {
    if (isLeft) return;
    line = next;
    turn(next);
    pass({ line: next });
  };
  const heard = (one: Heard) => {
    tellAll(one);
    pass({ heard: one });
  };
  channel.onmessage = ({ data }: MessageEvent<Passed>) => {
    if (stream) {
      if (data.asks) pass({ line });
      return;
    }
    if (data.line) turn(data.line);
    if (data.heard) tellAll(data.heard);
  };
  const lead = (): Promise<void> => {
    if (isLeft) return Promise.resolve();
    stream = new Stream((after) => streamAddress(space, { kinds: KINDS.join(",") }, after), KINDS, heard, turned);
    return new Promise((resolve) => leaving.signal.addEventListener("abort", () => resolve()));
  };
  // Without locks (plain http on another host) every tab listens for itself.
  if (navigator.locks) {
    pass({ asks: true });
    void navigator.locks.request(name, { signal: leaving.signal }, lead).catch(() => undefined);
  } else void lead();
  return () => {
    isLeft = true;
    leaving.abort();
    stream?.end();
    channel.close();
  };
}

function tellAll(heard: Heard): void {
  if (heard.kind === "gap") miss(String((heard.data as { why?: unknown }).why ?? ""));
  for (const hearer of hearers) hearer(heard);
}

// What an event makes old.
const STALE: Record<string, readonly string[]> = {
  incident: ["/api/v1/incidents", "/api/v1/overview", "/api/v1/services"],
  answer: ["/api/v1/incidents"],
  deck: ["/api/v1/incidents"],
  card: ["/api/v1"],
  workspace: ["/api/v1/workspaces", "/api/v1/incidents/{incident_id}/cards"],
  gap: ["/api/v1"],
};

/** Ask again for whatever an event says is no longer so. */
export function refreshing(queries: QueryClient): (heard: Heard) => void {
  return ({ kind }) => {
    const stale = STALE[kind];
    if (!stale) return;
    void queries.invalidateQueries({
      predicate: (query) => stale.some((path) => String(query.queryKey[1] ?? "").startsWith(path)),
    });
  };
}
