import { expect, test } from "vitest";
import { errorsOf, initials } from "./Rail";

test("there were at least as many errors as in the worst two minutes", () => {
  expect(errorsOf([{ errors: 72, peak: 120 }])).toBe(120);
  expect(
    errorsOf([
      { errors: 400, peak: 120 },
      { errors: 3, peak: 3 },
    ]),
  ).toBe(403);
});

test("people are known by two letters", () => {
  expect(["priya", "Priya Natarajan", "ada@shop.example"].map(initials)).toEqual(["PR", "PN", "AS"]);
});
