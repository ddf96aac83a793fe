import { expect, test } from "vitest";
import type { Schemas } from "@/api/client";
import { countsOf } from "./Hero";

const one = { times_seen: 1, minutes: 41, fixes: [] } as unknown as Schemas["Diagnosis"];

test("what is counted over several incidents is called a count", () => {
  const fixes = [{ held: 3, held_of: 4 }] as Schemas["Advice"][];
  expect(countsOf({ ...one, times_seen: 4, minutes_median: 28, fixes })).toBe(
    "4 incidents of this kind; median 28 min; this fix held in 3 of 4.",
  );
});

test("of one incident there is nothing to count", () => {
  expect(countsOf(one)).toBe("");
});
