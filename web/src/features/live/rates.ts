import type { Schemas } from "@/api/client";
import { Store } from "@/lib/store";

/** Lines by second and service, as the live stream tells them once a second. A store of its own, set at that pace. */
export interface RatesHeard {
  seconds: readonly string[];
  services: Record<string, Record<"errors" | "warnings" | "others", readonly number[]>>;
  services_left_out: number;
}

export interface Series {
  /** Lines and errors of each second shown, the oldest first. */
  lines: readonly number[];
  errors: readonly number[];
  /** A second, over the last few. */
  linesPerSecond: number;
  /** Of the seconds shown, as the list of services has it everywhere. */
  errorsPerMinute: number;
}

export type RatesView = ReadonlyMap<string, Series>;

export const SECONDS_SHOWN = 60;
// Senders gather for a while: the last two seconds are still being counted.
const SECONDS_UNSURE = 2;
const SECONDS_MEANT = 10;

interface Counted {
  lines: number;
  errors: number;
}

export class Rates {
  readonly view = new Store<RatesView>(new Map());
  #counts = new Map<string, Map<number, Counted>>();
  #last = 0;

  /** What was counted before anybody listened. */
  fill(told: Schemas["RatesTold"]): void {
    for (const { service, points } of told.services) {
      const seconds = this.#of(service);
      for (const { at, lines, errors } of points) {
        const second = secondOf(at);
        if (!seconds.has(second)) seconds.set(second, { lines, errors });
      }
    }
    this.#last = Math.max(this.#last, secondOf(told.until));
    this.#tell();
  }

  /** The last seconds, told again with what came for them since. */
  hear({ seconds, services }: RatesHeard): void {
    const told = seconds.map(secondOf);
    for (const name of Object.keys(services)) this.#of(name);
    for (const [name, counts] of this.#counts) {
      const bands = services[name];
      told.forEach((second, place) => {
        const errors = bands?.errors[place] ?? 0;
        const lines = errors + (bands?.warnings[place] ?? 0) + (bands?.others[place] ?? 0);
        if (lines > 0) counts.set(second, { lines, errors });
        else counts.delete(second);
      });
    }
    this.#last = Math.max(this.#last, ...told);
    this.#tell();
  }

  #of(service: string): Map<number, Counted> {
    const known = this.#counts.get(service);
    if (known) return known;
    const made = new Map<number, Counted>();
    this.#counts.set(service, made);
    return made;
  }

  #tell(): void {
    const end = this.#last - SECONDS_UNSURE;
    const view = new Map<string, Series>();
    for (const [name, counts] of this.#counts) {
      for (const second of counts.keys()) if (second < end - SECONDS_SHOWN * 2) counts.delete(second);
      const shown = Array.from({ length: SECONDS_SHOWN }, (_, place) => counts.get(end - SECONDS_SHOWN + 1 + place));
      const lines = shown.map((one) => one?.lines ?? 0);
      const errors = shown.map((one) => one?.errors ?? 0);
      view.set(name, { lines, errors, linesPerSecond: mean(lines), errorsPerMinute: perMinute(errors) });
    }
    this.view.set(view);
  }
}

function secondOf(at: string): number {
  return Math.floor(Date.parse(at) / 1000);
}

function mean(values: readonly number[]): number {
  const last = values.slice(-SECONDS_MEANT);
  return last.reduce((sum, one) => sum + one, 0) / Math.max(1, last.length);
}

function perMinute(values: readonly number[]): number {
  return (values.reduce((sum, one) => sum + one, 0) * 60) / Math.max(1, values.length);
}

/** "0", "<0.1", "0.4", "12", "1,204". */
export function rate(value: number): string {
  if (value === 0) return "0";
  if (value < 0.05) return "<0.1";
  return value >= 9.95 ? Math.round(value).toLocaleString("en") : value.toFixed(1);
}
