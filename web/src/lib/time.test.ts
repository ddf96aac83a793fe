import { expect, test } from "vitest";
import { absolute, offset, relative, since, span } from "./time";

const NOW = new Date("2026-11-16T02:14:14Z");

test.each([
  ["2026-11-16T02:14:12Z", "just now"],
  ["2026-11-16T02:13:30Z", "44 s ago"],
  ["2026-11-16T02:00:00Z", "14 min ago"],
  ["2026-11-15T20:00:00Z", "6 h ago"],
  ["2026-11-14T20:00:00Z", "1 day ago"],
  ["2026-10-05T02:07:00Z", "6 weeks ago"],
  ["2026-04-01T00:00:00Z", "7 months ago"],
  ["2020-04-01T00:00:00Z", "6 years ago"],
  ["2026-11-16T05:30:00Z", "in 3 h"],
])("%s is %s", (at, words) => {
  expect(relative(at, NOW)).toBe(words);
});

test("a duration has two units where the second one matters", () => {
  expect([span(59), span(61), span(3_600), span(4_800)]).toEqual(["59 s", "1 min", "1 h", "1 h 20 min"]);
});

test("something that begins in the future has lasted for nothing", () => {
  expect(since("2026-11-16T05:30:00Z", NOW)).toBe("0 s");
});

test("the whole moment is told with its zone", () => {
  expect(absolute("2026-10-05T02:07:09Z")).toBe("Mon, 5 Oct 2026, 02:07:09 UTC");
});

test("places on a timeline are told from its beginning", () => {
  const zero = "2026-11-16T02:00:00Z";
  expect(
    ["2026-11-16T01:59:52Z", "2026-11-16T02:06:20Z", "2026-11-16T03:06:20Z"].map((at) => offset(at, zero)),
  ).toEqual(["−00:08", "+06:20", "+1:06:20"]);
});
