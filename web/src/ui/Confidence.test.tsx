import { render } from "@testing-library/react";
import { expect, test } from "vitest";
import { Confidence, percent, trackRecord } from "./Confidence";

test("a low confidence is called a guess", () => {
  expect(render(<Confidence value={0.59} />).container.textContent).toContain("a guess");
  expect(render(<Confidence value={0.6} />).container.textContent).not.toContain("a guess");
});

test("with fewer than five cases there is no percent", () => {
  const { container } = render(<Confidence value={0.9} cases={4} />);
  expect(container.textContent).toBe("too few to say");
});

test("certainty is never claimed, and nothing possible is called impossible", () => {
  expect([percent(1), percent(0.001), percent(0)]).toEqual(["99%", "1%", "0%"]);
});

test("a track record is told with its counts, or as too few", () => {
  const level = { confidence_min: 0.9, confidence_max: 1, right: 35, asked: 38, is_own: true };
  expect(trackRecord(level)).toBe("right 35 of 38 times in this project");
  expect(trackRecord({ ...level, is_own: false })).toBe("not yet measured here (35 of 38 on Hindcast's own test set)");
  expect(trackRecord({ ...level, asked: 4, right: 4 })).toBe("too few to say (4 so far)");
  expect(trackRecord(null)).toBe("not measured yet");
});
