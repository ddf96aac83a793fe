import { expect, test } from "vitest";
import { headlineOf, sentence } from "./words";

const fixes = [{ action: "release it, and cap the pool." }];

test("a headline does not say what ended it when that is told right below", () => {
  const headline =
    "Your team hit this 6 weeks ago: Redis: reset. Fixed by priya, held until now: release it, and cap the pool.";
  expect(headlineOf({ headline, fixes })).toBe(
    "Your team hit this 6 weeks ago: Redis: reset. Fixed by priya, held until now.",
  );
  expect(headlineOf({ headline: `${headline} 2 incidents of this kind, the last 3 weeks ago.`, fixes })).toBe(
    "Your team hit this 6 weeks ago: Redis: reset. Fixed by priya, held until now. 2 incidents of this kind, the last 3 weeks ago.",
  );
  expect(headlineOf({ headline, fixes: [] })).toBe(headline);
  const elsewhere = "Your team hit this twice: Redis. What ended it in other cases: release it, and cap the pool.";
  expect(headlineOf({ headline: elsewhere, fixes })).toBe(elsewhere);
  expect(headlineOf({ headline: "Not seen before.", fixes })).toBe("Not seen before.");
});

test("what somebody tried reads as a sentence", () => {
  expect(sentence("restarted the workers")).toBe("Restarted the workers.");
  expect(sentence("Why?")).toBe("Why?");
});
