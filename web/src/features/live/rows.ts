/** Log lines as rows: repeats folded, gaps and incidents marked, and only so many of them kept. Outside React. */

/** A line as the live stream tells it. */
export interface LiveLine {
  time: string;
  service: string;
  level: number;
  message: string;
  is_cut: boolean;
  has_stack: boolean;
  trace: string;
  template: string;
  fingerprint: string;
}

/** What counts as a repeat: nothing, the very same words, or the same pattern with other numbers in it. */
export type Fold = "none" | "same" | "pattern";

export interface LineRow {
  kind: "line";
  id: number;
  /** The newest of them. */
  line: LiveLine;
  count: number;
  /** When the first of them was written. */
  since: string;
  /** The last few, the oldest first. */
  examples: readonly LiveLine[];
}

export interface GapRow {
  kind: "gap";
  id: number;
  seconds: number;
  state: "asking" | "filled" | "cut" | "failed";
  /** How many lines were fetched afterwards. */
  found: number;
}

export interface OpenedRow {
  kind: "opened";
  id: number;
  incident: string;
  title: string;
  at: string;
}

export type Row = LineRow | GapRow | OpenedRow;
type Mark = Omit<GapRow, "id"> | Omit<OpenedRow, "id">;
type Entry = { line: LiveLine } | { mark: Row };

export const ROWS_MAX = 10_000;
/** A repeat joins its row while that is near enough to be in sight. */
export const NEAR_ROWS = 40;
const EXAMPLES_MAX = 20;
// What is dropped is dropped in one go, so that arrays are not moved for every line.
const SLACK = 2_000;

export function identity(line: LiveLine): string {
  return `${line.time}\u0000${line.service}\u0000${line.message}\u0000${line.trace}`;
}

function foldKey(line: LiveLine, fold: Fold): string {
  // A line without a pattern of its own is like its own words only.
  const what = fold === "pattern" && line.template !== "0" ? line.template : line.message;
  return `${line.service}\u0000${line.level}\u0000${what}`;
}

export class Rows {
  #fold: Fold;
  #entries: Entry[] = [];
  #rows: Row[] = [];
  // How many rows were dropped at the beginning; a row's number counts those, too.
  #dropped = 0;
  #near = new Map<string, number>();
  #ids = 0;
  #added = 0;

  constructor(fold: Fold) {
    this.#fold = fold;
  }

  /** The rows, the oldest first. The array goes on changing: whoever wants it to rest takes a copy. */
  get all(): readonly Row[] {
    return this.#rows;
  }

  /** How many lines came in so far. */
  get added(): number {
    return this.#added;
  }

  /** The lines of the last few entries, to know what came twice. */
  recent(count: number): LiveLine[] {
    return this.#entries.slice(-count).flatMap((one) => ("line" in one ? [one.line] : []));
  }

  add(lines: readonly LiveLine[]): void {
    for (const line of lines) {
      this.#entries.push({ line });
      this.#put(line);
    }
    this.#added += lines.length;
    this.#trim();
  }

  /** Mark this place. Lines after it do not fold into rows before it. */
  mark(what: Mark): number {
    const row = { ...what, id: this.#nextId() } as Row;
    this.#entries.push({ mark: row });
    this.#rows.push(row);
    this.#near.clear();
    this.#trim();
    return row.id;
  }

  /** Say something else at a place that was marked. */
  remark(id: number, what: Partial<Omit<GapRow, "id" | "kind">>): void {
    const change = (row: Row): Row => (row.id === id ? ({ ...row, ...what } as Row) : row);
    this.#rows = this.#rows.map(change);
    this.#entries = this.#entries.map((one) => ("mark" in one ? { mark: change(one.mark) } : one));
  }

  refold(fold: Fold): void {
    this.#fold = fold;
    this.#rows = [];
    this.#dropped = 0;
    this.#near.clear();
    for (const one of this.#entries) {
      if ("line" in one) this.#put(one.line);
      else {
        this.#rows.push(one.mark);
        this.#near.clear();
      }
    }
  }

  #nextId(): number {
    this.#ids += 1;
    return this.#ids;
  }

  #put(line: LiveLine): void {
    const key = this.#fold === "none" ? "" : foldKey(line, this.#fold);
    const total = this.#dropped + this.#rows.length;
    const number = key ? this.#near.get(key) : undefined;
    const place = number === undefined || total - number > NEAR_ROWS ? -1 : number - this.#dropped;
    const row = place >= 0 ? this.#rows[place] : undefined;
    if (row?.kind === "line") {
      const examples = [...row.examples.slice(1 - EXAMPLES_MAX), line];
      this.#rows[place] = { ...row, line, count: row.count + 1, examples };
      return;
    }
    this.#rows.push({ kind: "line", id: this.#nextId(), line, count: 1, since: line.time, examples: [line] });
    if (!key) return;
    this.#near.set(key, total);
    if (this.#near.size > NEAR_ROWS * 4) this.#forgetFar(total);
  }

  #forgetFar(total: number): void {
    for (const [key, number] of this.#near) if (total - number > NEAR_ROWS) this.#near.delete(key);
  }

  #trim(): void {
    if (this.#entries.length > ROWS_MAX + SLACK) this.#entries = this.#entries.slice(-ROWS_MAX);
    if (this.#rows.length > ROWS_MAX + SLACK) {
      this.#dropped += this.#rows.length - ROWS_MAX;
      this.#rows = this.#rows.slice(-ROWS_MAX);
    }
  }
}

/** The bands that people speak of. */
export type Band = "fatal" | "error" | "warn" | "info" | "debug" | "trace" | "unknown";

export function band(level: number): Band {
  if (level >= 21) return "fatal";
  if (level >= 17) return "error";
  if (level >= 13) return "warn";
  if (level >= 9) return "info";
  if (level >= 5) return "debug";
  return level >= 1 ? "trace" : "unknown";
}

export const LEVEL_MIN: Record<string, number> = { error: 17, warn: 13, info: 9 };

/** Why a text is no filter; empty: it is one. The service looks for ten parts at most. */
export function whyNoWords(text: string): string {
  const parts = text.toLowerCase().split(/\s+/).filter(Boolean);
  return new Set(parts).size > 10 ? "Ten words at most." : "";
}
