import { expect, test } from "vitest";
import { cut, isSmall, joined } from "./cutting";

const BEFORE = `class Loop:
    def run(self):
        one()
        two()

        three()
        four()
`;
const AFTER = BEFORE.replace("        two()\n", "        two()\n        released()\n");

test("what changes is shown with two lines around it, without the indentation that all of it shares", () => {
  const found = cut(BEFORE, AFTER);
  expect(found.before).toBe("one()\ntwo()\n\nthree()");
  expect(found.after).toBe("one()\ntwo()\nreleased()\n\nthree()");
  expect(found.first).toBe(3);
});

test("what was shown makes the whole file again, edited or not", () => {
  const found = cut(BEFORE, AFTER);
  expect(joined(found, found.after)).toBe(AFTER);
  expect(joined(found, found.after.replace("released()", "if held:\n    released()"))).toBe(
    AFTER.replace("        released()", "        if held:\n            released()"),
  );
});

test("a file that is made, emptied, or changed at its very ends is put together exactly", () => {
  const pairs = [
    ["", "a\nb\n"],
    ["a\nb\n", ""],
    ["a\n", "b\n"],
    ["x\ny", "x\ny\n"],
    ["\ta\n\t\n\tb\n", "\ta\n\t\n\tc\n"],
    ["same\n", "same\n"],
  ] as const;
  for (const [before, after] of pairs) {
    const found = cut(before, after);
    expect(joined(found, found.after)).toBe(after);
  }
});

test("a line of blanks keeps its blanks", () => {
  const found = cut("    a\n    \n    b\n", "    a\n    \n    c\n");
  expect(found.indent).toBe("");
  expect(joined(found, found.after)).toBe("    a\n    \n    c\n");
});

test("words are marked where less than half of the changed lines differs, never in lines that are new", () => {
  const [before, after] = ["pool_size = 200\nrest\n", "pool_size = 20\nrest\n"];
  expect(isSmall(before, after, [{ fromA: 14, toA: 15, fromB: 14, toB: 14 }])).toBe(true);
  expect(isSmall("a\nb\n", "a\nnew line\nb\n", [{ fromA: 2, toA: 2, fromB: 2, toB: 11 }])).toBe(false);
});
