import { expect, test } from "vitest";
import type { Schemas } from "@/api/client";
import { shownOf, volumeOf } from "./counting";

const TOLD = {
  since: "2026-11-15T02:00:00Z",
  until: "2026-11-15T02:01:00Z",
  step_seconds: 15,
  services: [
    {
      service: "payment",
      points: [
        { at: "2026-11-15T02:00:00Z", lines: 12, errors: 2, levels: { info: 9, warn: 1, error: 2 } },
        { at: "2026-11-15T02:00:45Z", lines: 800, errors: 800, levels: { error: 799, fatal: 1 } },
      ],
    },
    { service: "user", points: [{ at: "2026-11-15T02:00:01Z", lines: 1, errors: 0, levels: { debug: 1 } }] },
  ],
} as unknown as Schemas["RatesTold"];

test("lines are added up by step over all services, and empty steps are there", () => {
  expect(volumeOf(TOLD, "all")).toEqual({ lines: [13, 0, 0, 800], errors: [2, 0, 0, 800], total: 813 });
});

test("of a level it counts that level and worse", () => {
  expect(volumeOf(TOLD, "info").total).toBe(812);
  expect(volumeOf(TOLD, "warn").lines).toEqual([3, 0, 0, 800]);
  expect(volumeOf(TOLD, "error").total).toBe(802);
});

test("what is beyond the buffer is told with both numbers, and nothing is told where there is no more", () => {
  expect(shownOf(300, 812)).toBe("showing 300 of 812 lines of the last 15 minutes");
  expect(shownOf(1_300, 812)).toBe("1,300 lines");
});
