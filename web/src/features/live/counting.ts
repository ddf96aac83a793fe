import type { Schemas } from "@/api/client";

export const VOLUME_MINUTES = 15;
export const STEP_SECONDS = 15;

export interface Volume {
  /** Lines and errors of each step, the oldest first. */
  lines: readonly number[];
  errors: readonly number[];
  total: number;
}

/** From which level on lines are counted, by the names that rates have for levels. */
const WORSE_THAN: Record<string, readonly string[]> = {
  all: [],
  info: ["info", "warn", "error", "fatal"],
  warn: ["warn", "error", "fatal"],
  error: ["error", "fatal"],
};

/** The lines of the last 15 minutes by step, of a level and worse, over all services told. */
export function volumeOf(told: Schemas["RatesTold"], level: string): Volume {
  const begin = Date.parse(told.since);
  const steps = Math.ceil((Date.parse(told.until) - begin) / (told.step_seconds * 1000));
  const lines = new Array<number>(steps).fill(0);
  const errors = new Array<number>(steps).fill(0);
  const wanted = WORSE_THAN[level] ?? [];
  for (const { points } of told.services) {
    for (const point of points) {
      const at = Math.floor((Date.parse(point.at) - begin) / (told.step_seconds * 1000));
      const place = Math.min(Math.max(at, 0), steps - 1);
      const count =
        wanted.length === 0 ? point.lines : wanted.reduce((sum, name) => sum + (point.levels[name] ?? 0), 0);
      lines[place] = (lines[place] ?? 0) + count;
      errors[place] = (errors[place] ?? 0) + point.errors;
    }
  }
  return { lines, errors, total: lines.reduce((sum, one) => sum + one, 0) };
}

/** How many lines are here, and of how many, where there are more. */
export function shownOf(shown: number, total: number): string {
  const count = (value: number) => value.toLocaleString("en");
  if (total > shown) return `showing ${count(shown)} of ${count(total)} lines of the last ${VOLUME_MINUTES} minutes`;
  return `${count(shown)} lines`;
}
