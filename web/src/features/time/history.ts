/** What the rail is drawn from: which commits a branch sees, where a slider snaps, where days begin. Pure. */
import type { Schemas } from "@/api/client";
import { date } from "@/lib/time";

export type Commit = Schemas["CommitTold"];
export type Branch = Schemas["BranchTold"];
export type Snapshot = Schemas["SnapshotTold"];

export const MAIN = "main";
const DAY_MS = 86_400_000;
// Below this, a finger or a mouse no longer tells two commits apart.
const GAP_PX_MIN = 14;
export const EDGE_PX = 26;
const DAY_LABEL_PX_MIN = 72;
/** Enough letters of a commit's id to be the only one, and few enough for an address. */
const SHORT = 12;

export function short(id: string): string {
  return id.slice(0, SHORT);
}

/** The branches that a branch sees, each up to the step at which the next one left it. */
export function lineage(branches: readonly Branch[], name: string): ReadonlyMap<string, number> {
  const seen = new Map<string, number>([[name, Number.POSITIVE_INFINITY]]);
  let last = Number.POSITIVE_INFINITY;
  let branch = branches.find((one) => one.name === name);
  while (branch?.parent && !seen.has(branch.parent)) {
    last = Math.min(last, branch.fork_step);
    seen.set(branch.parent, last);
    const parent: string = branch.parent;
    branch = branches.find((one) => one.name === parent);
  }
  return seen;
}

/** The commits that a branch sees, newest first as they are given. */
export function lineOf(commits: readonly Commit[], branches: readonly Branch[], name: string): readonly Commit[] {
  const seen = lineage(branches, name);
  return commits.filter((one) => one.step <= (seen.get(one.branch) ?? -1));
}

/** The next commit to the past (-1) or to the present (1) on a line that is newest first. */
export function stepped(line: readonly Commit[], from: Commit, by: 1 | -1): Commit | undefined {
  return by < 0 ? line.find((one) => one.step < from.step) : line.findLast((one) => one.step > from.step);
}

/** A day to the past or to the present, snapped to the last commit of by then; always a step further, if there is one. */
export function dayed(line: readonly Commit[], from: Commit, by: 1 | -1): Commit | undefined {
  const goal = Date.parse(from.at) + by * DAY_MS;
  const found = line.find((one) => Date.parse(one.at) <= goal);
  if (by < 0) return found && found.step < from.step ? found : line.at(-1);
  return found && found.step > from.step ? found : stepped(line, from, 1);
}

/** How the rail is laid out: all commits side by side, newest right, one column each. */
export interface Layout {
  gap: number;
  width: number;
}

export function layout(count: number, width: number): Layout {
  const room = Math.max(0, width - 2 * EDGE_PX);
  const gap = count < 2 ? room : Math.max(GAP_PX_MIN, room / (count - 1));
  return { gap, width: count < 2 ? width : Math.max(width, gap * (count - 1) + 2 * EDGE_PX) };
}

/** Where a commit stands, by its place from the newest. */
export function xOf({ gap, width }: Layout, place: number): number {
  return width - EDGE_PX - place * gap;
}

/** The place that is nearest to somewhere on the rail. */
export function placeAt({ gap, width }: Layout, x: number, count: number): number {
  const place = gap > 0 ? Math.round((width - EDGE_PX - x) / gap) : 0;
  return Math.max(0, Math.min(count - 1, place));
}

/** The commit of a line that is nearest to a place among all commits. */
export function snapped(commits: readonly Commit[], line: readonly Commit[], place: number): Commit | undefined {
  const members = new Set(line.map((one) => one.id));
  for (let away = 0; away < commits.length; away += 1) {
    for (const near of [commits[place + away], commits[place - away]]) {
      if (near && members.has(near.id)) return near;
    }
  }
  return undefined;
}

export interface Day {
  place: number;
  label: string;
}

/** The first commit of each day, left out where labels would touch. */
export function days(commits: readonly Commit[], shape: Layout): readonly Day[] {
  const found: Day[] = [];
  let last = "";
  let free = Number.NEGATIVE_INFINITY;
  for (let place = commits.length - 1; place >= 0; place -= 1) {
    const { at } = commits[place] as Commit;
    const day = new Date(at).toISOString().slice(0, 10);
    const x = xOf(shape, place);
    if (day !== last && x >= free) {
      found.push({ place, label: date(at) });
      free = x + DAY_LABEL_PX_MIN;
    }
    last = day;
  }
  return found;
}

const LANES_MAX = 5;

export interface Lane {
  branch: Branch;
  /** Main is 0, the lowest. */
  number: number;
  /** The place at which it leaves its parent; null: further back than what is loaded. */
  fork: number | null;
  /** The place of its newest commit, or where it begins while it has none. */
  head: number | null;
  isEmpty: boolean;
}

/** Main below, the others above it in the order they were begun; with very many, the newest and the one looked at. */
export function lanes(commits: readonly Commit[], branches: readonly Branch[], looked: string): readonly Lane[] {
  const others = branches.filter((one) => one.name !== MAIN);
  const shown = others.slice(-(LANES_MAX - 1));
  const wanted = others.find((one) => one.name === looked);
  if (wanted && !shown.includes(wanted)) shown[0] = wanted;
  const main = branches.find((one) => one.name === MAIN);
  return [...(main ? [main] : []), ...shown].map((branch, number) => {
    const fork = placeOf(commits, branch.fork_step);
    const newest = commits.findIndex((one) => one.branch === branch.name);
    return {
      branch,
      number,
      fork: branch.parent ? fork : null,
      head: newest >= 0 ? newest : fork,
      isEmpty: newest < 0,
    };
  });
}

/** The place of the newest commit that is no later than a step; null: it is not loaded. */
function placeOf(commits: readonly Commit[], step: number): number | null {
  const place = commits.findIndex((one) => one.step <= step);
  return place >= 0 ? place : null;
}
