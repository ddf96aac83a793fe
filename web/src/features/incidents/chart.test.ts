import { expect, test } from "vitest";
import type { Schemas } from "@/api/client";
import { apart, endOf, mostAround, pointsOf, pointsOfCourse, roundUp, windowOf } from "./chart";

const ZERO = "2026-11-16T02:00:00Z";

test("the window holds what has passed, as much as the last time took, and a little more", () => {
  expect(windowOf(60, null).span).toBe(1_200);
  expect(windowOf(60, 34).span).toBe(2_400);
  expect(windowOf(3_000, 34).span).toBe(4_200);
  expect(windowOf(1e9, null).span).toBe(6 * 3_600);
});

test("steps without lines are nothing, not a gap", () => {
  const told = {
    since: "2026-11-16T01:59:00Z",
    until: "2026-11-16T02:02:00Z",
    step_seconds: 30,
    services: [
      { service: "a", points: [{ at: "2026-11-16T02:00:30Z", lines: 9, errors: 5, levels: {} }] },
      { service: "b", points: [{ at: "2026-11-16T02:00:30Z", lines: 9, errors: 1, levels: {} }] },
    ],
  };
  expect(pointsOf(told, ZERO, 90).map((one) => [one.seconds, one.value])).toEqual([
    [-60, 0],
    [-30, 0],
    [0, 0],
    [30, 12],
    [60, 0],
  ]);
  expect(pointsOf({ ...told, services: [] }, ZERO, 90)).toEqual([]);
});

test("an outage that has just begun is seen before its step is over, and no step that has just begun looks like a fall", () => {
  const point = (at: string, errors: number) => ({ at, lines: 9, errors, levels: {} });
  const told = (...points: ReturnType<typeof point>[]) => ({
    since: "2026-11-16T01:59:30Z",
    until: "2026-11-16T02:01:00Z",
    step_seconds: 30,
    services: [{ service: "a", points }],
  });
  const begun = told(point("2026-11-16T02:00:00Z", 120));
  expect(pointsOf(begun, ZERO, 10).map((one) => [one.seconds, one.value])).toEqual([
    [-30, 0],
    [0, 240],
  ]);
  const goesOn = told(point("2026-11-16T02:00:00Z", 120), point("2026-11-16T02:00:30Z", 5));
  expect(pointsOf(goesOn, ZERO, 35).at(-1)).toEqual({ seconds: 0, value: 240 });
});

test("what memory kept of the last time is lined up at its first signal", () => {
  const course = { since: "2026-11-16T01:59:00Z", step_seconds: 30, errors: [0, 1, 60, 0] };
  expect(pointsOfCourse(course, ZERO, 30).map((one) => [one.seconds, one.value])).toEqual([
    [-60, 0],
    [-30, 2],
    [0, 120],
  ]);
});

test("axes end at round numbers", () => {
  expect([0, 3, 12, 47, 230, 1_001].map(roundUp)).toEqual([4, 4, 20, 50, 400, 2_000]);
});

test("labels never stand on each other; of two, the one that came last is told", () => {
  const mark = (place: number, isLeft = false) => ({ place, isLeft, label: "release 3.2" });
  expect(apart([mark(100), mark(300)])).toEqual([true, true]);
  expect(apart([mark(100), mark(120)])).toEqual([false, true]);
  expect(apart([mark(100, true), mark(120)])).toEqual([true, true]);
});

test("words about a line stand above all of it that is beside them", () => {
  const steps = [0, 60, 120, 180].map((seconds, place) => ({ seconds, value: [300, 600, 300, 0][place] ?? 0 }));
  expect(mostAround(steps, 120, 60)).toBe(600);
  expect(mostAround(steps, 120, 30)).toBe(300);
  expect(mostAround(steps, 900, 60)).toBe(0);
});

test("an incident ends when it became quiet, or when somebody said so before", () => {
  const detection = (quiet: string | null) => ({ quiet_since: quiet }) as Schemas["IncidentTold"]["detection"];
  expect(endOf({ resolved_at: null, detection: detection(null) })).toBeNull();
  expect(endOf({ resolved_at: "2026-11-16T12:00:00Z", detection: detection("2026-11-16T10:05:00Z") })).toBe(
    "2026-11-16T10:05:00Z",
  );
  expect(endOf({ resolved_at: "2026-11-16T10:02:00Z", detection: null })).toBe("2026-11-16T10:02:00Z");
});
