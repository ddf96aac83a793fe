import { render } from "@testing-library/react";
import { expect, test } from "vitest";
import { UnderWay } from "./UnderWay";

test("each incident of the same failure is told with its evidence", () => {
  const underWay = ["payment (inc-1) began just now.", "auth (inc-2) began 2 minutes ago."].map((text, at) => ({
    text,
    evidence: [`billing:cases/inc-${at + 1}@7`],
  }));
  const { container } = render(<UnderWay underWay={underWay} lead="Happening now" />);
  expect([...container.querySelectorAll("p")].map((one) => one.textContent)).toEqual([
    "Happening now: payment (inc-1) began just now. billing:cases/inc-1@7",
    "Happening now: auth (inc-2) began 2 minutes ago. billing:cases/inc-2@7",
  ]);
});

test("where nothing goes on, or an older server does not say, nothing is shown", () => {
  expect(render(<UnderWay underWay={[]} lead="Happening now" />).container.textContent).toBe("");
  expect(render(<UnderWay underWay={undefined} lead="Happening now" />).container.textContent).toBe("");
});
