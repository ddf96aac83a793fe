import type { Schemas } from "@/api/client";
import { Failure } from "@/api/failure";
import { type Heard, type IncidentEvent, type Line, Stream, streamAddress } from "@/api/live";
import { type Asked, read } from "@/api/reading";
import type { Place } from "@/lib/place";
import { Store } from "@/lib/store";
import type { Rates, RatesHeard } from "./rates";
import { type Fold, identity, type LiveLine, type Row, Rows } from "./rows";

/** Which lines are wanted. */
export interface Wish {
  services: readonly string[];
  levelMin: number;
  words: string;
}

export interface FeedView {
  rows: readonly Row[];
  version: number;
  /** Lines that came in so far. */
  added: number;
  /** Lines that came faster than anybody reads: counted, and not shown. */
  dropped: number;
  line: Line;
  /** Whether what was there before has been fetched. */
  isFilled: boolean;
  failure: Failure | null;
}

interface LinesHeard {
  lines: readonly LiveLine[];
  matched: number;
  dropped: number;
  unseen: number;
}

const COMMIT_MS = 200;
const FIRST_MINUTES = 15;
const FIRST_LINES = 300;
const BACKFILL_PAGES_MAX = 3;
const BACKFILL_LINES = 1_000;
// Lines are written a little before they are told, and not in order.
const LATE_SECONDS = 5;

/**
 * The log stream: what was there, what comes, and what was missed meanwhile. It lives outside React, and tells what it
 * has at most five times a second.
 */
export class Feed {
  readonly view: Store<FeedView>;
  readonly #place: Place;
  readonly #space: string;
  readonly #wish: Wish;
  readonly #rows: Rows;
  readonly #rates: Rates;
  readonly #leaving = new AbortController();
  readonly #stream: Stream;
  // While older lines are fetched, newer ones wait here.
  #held: LiveLine[] | null = [];
  #dropped = 0;
  #line: Line = "connecting";
  #isFilled = false;
  #failure: Failure | null = null;
  #lastHeard = Date.now();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(place: Place, space: string, wish: Wish, fold: Fold, rates: Rates) {
    this.#place = place;
    this.#space = space;
    this.#wish = wish;
    this.#rows = new Rows(fold);
    this.#rates = rates;
    this.view = new Store(this.#seen(0));
    this.#stream = new Stream(
      (after) => streamAddress(this.#space, this.#asked(), after),
      ["line", "rates"],
      (one) => this.#hear(one),
      (line) => this.#turn(line),
    );
    void this.#begin();
  }

  end(): void {
    this.#stream.end();
    this.#leaving.abort();
    clearTimeout(this.#timer);
  }

  refold(fold: Fold): void {
    this.#rows.refold(fold);
    this.#commit();
  }

  /** Ask again for what was there before, after it could not be had. */
  again(): void {
    this.#failure = null;
    this.#held ??= [];
    void this.#begin();
  }

  /** Something happened to an incident: where it opened is marked among the lines. */
  happened({ kind, at, incident }: IncidentEvent): void {
    if (kind !== "opened" && kind !== "reopened") return;
    this.#rows.mark({ kind: "opened", incident: incident.id, title: incident.title, at });
    this.#soon();
  }

  #asked(): Record<string, string | string[]> {
    const { services, levelMin, words } = this.#wish;
    return { kinds: "line,rates", service: [...services], level_min: levelMin ? String(levelMin) : "", words };
  }

  #hear({ kind, data }: Heard): void {
    if (kind === "rates") this.#rates.hear(data as RatesHeard);
    if (kind === "line") {
      const { lines, dropped, unseen } = data as LinesHeard;
      this.#dropped += dropped + unseen;
      // A batch comes service by service.
      const inOrder = lines.toSorted((one, other) => Date.parse(one.time) - Date.parse(other.time));
      if (this.#held) this.#held.push(...inOrder);
      else this.#rows.add(inOrder);
      this.#soon();
    }
    // The service says that we were too slow for it.
    if (kind === "gap") void this.#fillGap(this.#lastHeard);
    this.#lastHeard = Date.now();
  }

  #turn(line: Line): void {
    const wasLost = this.#line === "lost";
    this.#line = line;
    if (line === "open" && wasLost && this.#isFilled) void this.#fillGap(this.#lastHeard);
    this.#soon();
  }

  /** What was there before anybody looked. */
  async #begin(): Promise<void> {
    const since = new Date(Date.now() - FIRST_MINUTES * 60_000).toISOString();
    try {
      const { items } = await this.#read({ since, newest_first: true, limit: FIRST_LINES });
      this.#isFilled = true;
      this.#join(items.map(told).reverse());
    } catch (error) {
      if (this.#leaving.signal.aborted) return;
      this.#failure = error instanceof Failure ? error : null;
      this.#isFilled = true;
      this.#join([]);
    }
  }

  /** Mark what was missed, fetch it, and go on with what came meanwhile. */
  async #fillGap(from: number): Promise<void> {
    if (this.#held) return;
    this.#held = [];
    const seconds = Math.max(1, Math.round((Date.now() - from) / 1000));
    const gap = this.#rows.mark({ kind: "gap", seconds, state: "asking", found: 0 });
    this.#soon();
    try {
      const known = new Set(this.#rows.recent(2_000).map(identity));
      const { lines, isWhole } = await this.#missed(from - LATE_SECONDS * 1000);
      const fresh = lines.filter((one) => !known.has(identity(one)));
      this.#rows.remark(gap, { state: isWhole ? "filled" : "cut", found: fresh.length });
      this.#join(fresh);
    } catch {
      if (this.#leaving.signal.aborted) return;
      this.#rows.remark(gap, { state: "failed" });
      this.#join([]);
    }
  }

  async #missed(from: number): Promise<{ lines: LiveLine[]; isWhole: boolean }> {
    const found: LiveLine[] = [];
    let cursor: string | null = null;
    for (let page = 0; page < BACKFILL_PAGES_MAX; page += 1) {
      const since = new Date(from).toISOString();
      const next: Schemas["Page_LineTold_"] = await this.#read({
        since,
        newest_first: true,
        limit: BACKFILL_LINES,
        ...(cursor ? { cursor } : {}),
      });
      found.push(...next.items.map(told));
      cursor = next.next ?? null;
      if (!cursor) break;
    }
    return { lines: found.reverse(), isWhole: cursor === null };
  }

  /** Lines that were fetched, then those that waited; none of them twice. */
  #join(fetched: readonly LiveLine[]): void {
    const known = new Set(fetched.map(identity));
    const waited = this.#held ?? [];
    this.#held = null;
    this.#rows.add(fetched);
    this.#rows.add(waited.filter((one) => !known.has(identity(one))));
    this.#commit();
  }

  #read(query: NonNullable<Asked<"/api/v1/logs">["query"]>): Promise<Schemas["Page_LineTold_"]> {
    const { services, levelMin, words } = this.#wish;
    const wanted = { ...query, service: [...services], level_min: levelMin, words };
    return read(this.#place, "/api/v1/logs", { query: wanted }, this.#leaving.signal);
  }

  #soon(): void {
    this.#timer ??= setTimeout(() => this.#commit(), COMMIT_MS);
  }

  #commit(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (!this.#leaving.signal.aborted) this.view.set(this.#seen(this.view.value.version + 1));
  }

  #seen(version: number): FeedView {
    return {
      // A copy: what is drawn must not change under whoever draws it.
      rows: [...this.#rows.all],
      version,
      added: this.#rows.added,
      dropped: this.#dropped,
      line: this.#line,
      isFilled: this.#isFilled,
      failure: this.#failure,
    };
  }
}

function told(line: Schemas["LineTold"]): LiveLine {
  const { time, service, level, message, trace, template, fingerprint, stack } = line;
  return { time, service, level, message, trace, template, fingerprint, is_cut: false, has_stack: stack !== "" };
}
