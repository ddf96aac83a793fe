import { expect, test } from "vitest";
import {
  type Branch,
  type Commit,
  dayed,
  days,
  lanes,
  layout,
  lineOf,
  placeAt,
  snapped,
  stepped,
  xOf,
} from "./history";

const NOON = Date.parse("2026-11-10T12:00:00Z");
const HOUR = 3_600_000;

function commit(step: number, branch = "main", hours = step): Commit {
  return {
    id: `${step}`.padStart(64, "0"),
    step,
    branch,
    parent: null,
    merge_parent: null,
    at: new Date(NOON + hours * HOUR).toISOString(),
    actor: "ada",
    why: `step ${step}`,
    action: "commit",
    detail: null,
    changes: 1,
  };
}

function branch(name: string, parent: string | null, fork: number): Branch {
  return { name, parent, fork_step: fork, head: null, head_step: fork, created_at: "", actor: "ada", why: "" };
}

const BRANCHES = [branch("main", null, 0), branch("try", "main", 3), branch("deeper", "try", 5)];
// Newest first: main 1 2 3 4 8, try 5 6, deeper 7.
const COMMITS = [
  commit(8),
  commit(7, "deeper"),
  commit(6, "try"),
  commit(5, "try"),
  commit(4),
  commit(3),
  commit(2),
  commit(1),
];
const steps = (line: readonly Commit[]) => line.map((one) => one.step);

test("a branch sees its parent up to where it left it, and so on to main", () => {
  expect(steps(lineOf(COMMITS, BRANCHES, "main"))).toEqual([8, 4, 3, 2, 1]);
  expect(steps(lineOf(COMMITS, BRANCHES, "try"))).toEqual([6, 5, 3, 2, 1]);
  expect(steps(lineOf(COMMITS, BRANCHES, "deeper"))).toEqual([7, 5, 3, 2, 1]);
});

test("before branches are known, main is what main made", () => {
  expect(steps(lineOf(COMMITS, [], "main"))).toEqual([8, 4, 3, 2, 1]);
});

test("steps follow the line and end at its ends", () => {
  const line = lineOf(COMMITS, BRANCHES, "main");
  const at = (step: number) => line.find((one) => one.step === step) as Commit;
  expect(stepped(line, at(8), -1)?.step).toBe(4);
  expect(stepped(line, at(4), 1)?.step).toBe(8);
  expect(stepped(line, at(8), 1)).toBeUndefined();
  expect(stepped(line, at(1), -1)).toBeUndefined();
  // From a commit of another branch, the nearest on the line.
  expect(stepped(line, commit(6, "try"), -1)?.step).toBe(4);
});

test("a day back is the last commit of by then, and at least the first one", () => {
  const line = [commit(9, "main", 60), commit(5, "main", 30), commit(4, "main", 29), commit(1, "main", 0)];
  expect(dayed(line, line[0] as Commit, -1)?.step).toBe(5);
  expect(dayed(line, line[1] as Commit, -1)?.step).toBe(1);
  expect(dayed(line, line[3] as Commit, -1)?.step).toBe(1);
});

test("a day on is the last commit of by then, and the next one where a day holds none", () => {
  const line = [commit(9, "main", 60), commit(5, "main", 30), commit(4, "main", 10), commit(1, "main", 0)];
  expect(dayed(line, line[3] as Commit, 1)?.step).toBe(4);
  expect(dayed(line, line[2] as Commit, 1)?.step).toBe(5);
  expect(dayed(line, line[1] as Commit, 1)?.step).toBe(9);
  expect(dayed(line, line[0] as Commit, 1)).toBeUndefined();
});

test("few commits share the width, many are never closer than can be told apart", () => {
  expect(layout(5, 1000)).toEqual({ gap: 237, width: 1000 });
  const long = layout(5_000, 1000);
  expect(long.gap).toBe(14);
  expect(long.width).toBe(14 * 4_999 + 52);
  expect(layout(1, 800)).toEqual({ gap: 748, width: 800 });
});

test("a place on the rail and its commit are one and the same", () => {
  const shape = layout(5_000, 1000);
  for (const place of [0, 1, 77, 4_999]) expect(placeAt(shape, xOf(shape, place), 5_000)).toBe(place);
  expect(placeAt(shape, xOf(shape, 77) + 6, 5_000)).toBe(77);
  expect(placeAt(shape, -500, 5_000)).toBe(4_999);
  expect(placeAt(shape, 1e9, 5_000)).toBe(0);
});

test("the slider snaps to the nearest commit of its line", () => {
  const line = lineOf(COMMITS, BRANCHES, "main");
  expect(snapped(COMMITS, line, 0)?.step).toBe(8);
  expect(snapped(COMMITS, line, 3)?.step).toBe(4);
  expect(snapped(COMMITS, line, 1)?.step).toBe(8);
  expect(snapped(COMMITS, [], 1)).toBeUndefined();
});

test("days are named at their first commit, and not on top of one another", () => {
  const all = [commit(4, "main", 50), commit(3, "main", 26), commit(2, "main", 14), commit(1, "main", 0)];
  expect(days(all, layout(4, 1000)).map((one) => one.label)).toEqual(["10 Nov 2026", "11 Nov 2026", "12 Nov 2026"]);
  expect(days(all, layout(4, 150)).map((one) => one.label)).toEqual(["10 Nov 2026", "12 Nov 2026"]);
});

test("a lane begins where its branch left, and an empty branch stands there", () => {
  const found = lanes(COMMITS, [...BRANCHES, branch("empty", "main", 4)], "main");
  expect(found.map((one) => [one.branch.name, one.fork, one.head, one.isEmpty])).toEqual([
    ["main", null, 0, false],
    ["try", 5, 2, false],
    ["deeper", 3, 1, false],
    ["empty", 4, 4, true],
  ]);
});

test("of very many branches the newest are drawn, and always the one that is looked at", () => {
  const many = [branch("main", null, 0), ...Array.from({ length: 9 }, (_, place) => branch(`b${place}`, "main", 1))];
  expect(lanes(COMMITS, many, "main").map((one) => one.branch.name)).toEqual(["main", "b5", "b6", "b7", "b8"]);
  expect(lanes(COMMITS, many, "b2").map((one) => one.branch.name)).toEqual(["main", "b2", "b6", "b7", "b8"]);
});
