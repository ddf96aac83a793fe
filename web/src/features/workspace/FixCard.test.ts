import { expect, test } from "vitest";
import { sentences } from "./FixCard";

test("the first sentence stands alone; a name with a dot in it does not end one", () => {
  expect(sentences("It worked 1 of 1 times. The code is `loop.py` today. It fits.")).toEqual([
    "It worked 1 of 1 times.",
    "The code is `loop.py` today. It fits.",
  ]);
  expect(sentences("In payment/loop.py it worked e.g. twice")).toEqual(["In payment/loop.py it worked e.g. twice", ""]);
});
