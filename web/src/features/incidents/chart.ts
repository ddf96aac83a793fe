import type { Schemas } from "@/api/client";

export interface Point {
  /** From the first signal. */
  seconds: number;
  value: number;
}

const LEAD_SECONDS = 600;
const SPAN_SECONDS_MIN = 1_200;
const SPAN_SECONDS_MAX = 6 * 3_600;
const POINTS_MAX = 120;

export interface Window {
  /** Before the first signal. */
  lead: number;
  /** After it. */
  span: number;
  step: number;
}

/** How much around the first signal is shown: what has passed, as much as the last time took, and a little more. */
export function windowOf(elapsed: number, minutesThen: number | null): Window {
  const wanted = Math.max(elapsed * 1.4, (minutesThen ?? 0) * 60 * 1.15, SPAN_SECONDS_MIN);
  const span = Math.min(SPAN_SECONDS_MAX, Math.ceil(wanted / 300) * 300);
  const step = Math.max(5, Math.ceil((LEAD_SECONDS + span) / POINTS_MAX / 5) * 5);
  return { lead: LEAD_SECONDS, span, step };
}

/** When an incident ended, as far as it has: what came later in its services is of something else. */
export function endOf(incident: Pick<Schemas["IncidentTold"], "resolved_at" | "detection">): string | null {
  const ends = [incident.detection?.quiet_since, incident.resolved_at].filter((at) => typeof at === "string");
  return ends.toSorted((one, other) => Date.parse(one) - Date.parse(other))[0] ?? null;
}

/** Errors per minute of some services together, by their distance from the first signal. Steps without lines are 0. */
export function pointsOf(rates: Schemas["RatesTold"], zero: string, until: number): Point[] {
  const counted = new Map<number, number>();
  for (const service of rates.services) {
    for (const point of service.points) {
      const at = Math.round((Date.parse(point.at) - Date.parse(zero)) / 1000);
      counted.set(at, (counted.get(at) ?? 0) + point.errors);
    }
  }
  if (counted.size === 0) return [];
  const step = rates.step_seconds;
  const first = Math.min(...counted.keys());
  const begin = Math.round((Date.parse(rates.since) - Date.parse(zero)) / 1000);
  // The steps of the answer lie on a grid of their own; the first that has lines says where.
  let at = first - Math.floor((first - begin) / step) * step;
  const points: Point[] = [];
  const rate = (from: number) => ((counted.get(from) ?? 0) * 60) / step;
  for (; at + step <= until; at += step) points.push({ seconds: at, value: rate(at) });
  // A step that still goes on can only grow: it is told as soon as it has more than the one before, and shows no fall.
  if (at <= until && rate(at) > (points.at(-1)?.value ?? 0)) points.push({ seconds: at, value: rate(at) });
  return points;
}

// About as wide as a letter is at the size of a label.
const LETTER_PX = 6;
const GAP_PX = 10;

/** Which labels of marks have room: of two that would stand on each other, the last one matters more. */
export function apart(marks: readonly { place: number; isLeft: boolean; label: string }[]): boolean[] {
  const taken: [number, number][] = [];
  return marks
    .toReversed()
    .map(({ place, isLeft, label }) => {
      const wide = label.length * LETTER_PX + GAP_PX;
      const [from, to] = isLeft ? [place - wide, place] : [place, place + wide];
      if (taken.some(([begin, end]) => from < end && begin < to)) return false;
      taken.push([from, to]);
      return true;
    })
    .toReversed();
}

/** The same of an incident that memory knows: how it went is kept longer than what was logged. */
export function pointsOfCourse(course: Schemas["Course"], zero: string, until: number): Point[] {
  const begin = (Date.parse(course.since) - Date.parse(zero)) / 1000;
  return course.errors
    .map((errors, place) => ({
      seconds: begin + place * course.step_seconds,
      value: (errors * 60) / course.step_seconds,
    }))
    .filter((one) => one.seconds + course.step_seconds <= until);
}

/** The most of a line around a place, so that words can stand above all of it. */
export function mostAround(points: readonly Point[], at: number, seconds: number): number {
  return Math.max(0, ...points.filter((one) => Math.abs(one.seconds - at) <= seconds).map((one) => one.value));
}

/** A round number at or above, for the top of an axis. */
export function roundUp(value: number): number {
  if (value <= 4) return 4;
  const size = 10 ** Math.floor(Math.log10(value));
  return ([1, 2, 4, 5, 6, 8, 10].find((one) => one * size >= value) ?? 10) * size;
}
