import { expect, test } from "vitest";
import { type Pair, pairs } from "./beside";

/** Rows as somebody would draw them: what goes, what comes, and what stands beside it. */
function drawn(before: readonly string[], after: readonly string[]): readonly string[] {
  const side = (one: Pair["before"], lines: readonly string[]) =>
    one ? `${one.isChanged ? "*" : " "}${lines[one.line]}` : " ·";
  return pairs(before, after).map((one) => `${side(one.before, before)} |${side(one.after, after)}`);
}

test("lines that stay stand beside one another, and what replaces a line stands beside it", () => {
  expect(
    drawn(["try:", "    pay()", "    close()", "except Late:"], ["with session():", "    pay()", "except Late:"]),
  ).toEqual(["*try: |*with session():", "     pay() |     pay()", "*    close() | ·", " except Late: | except Late:"]);
});

test("every line of both sides is there once, in its order", () => {
  const before = ["a", "b", "c", "b", "a", "", "d"];
  const after = ["b", "a", "", "x", "b", "d", "e"];
  const found = pairs(before, after);
  expect(found.flatMap((one) => one.before?.line ?? [])).toEqual([0, 1, 2, 3, 4, 5, 6]);
  expect(found.flatMap((one) => one.after?.line ?? [])).toEqual([0, 1, 2, 3, 4, 5, 6]);
});

test("what is not marked as changed is the same on both sides", () => {
  const [before, after] = [
    ["a", "b", "c", "d"],
    ["b", "x", "d", "d"],
  ];
  for (const one of pairs(before, after)) {
    if (one.before?.isChanged === false) expect(before[one.before.line]).toBe(after[one.after?.line ?? -1]);
  }
});

test("of a line in which little changes, the words that change are marked", () => {
  const [before, after] = ["pool = Pool(size=200, timeout=3)", "pool = Pool(size=20, timeout=3)"];
  const [pair] = pairs([before], [after]);
  const marked = (text: string, one: Pair["before"] | undefined) => text.slice(one?.marked?.from, one?.marked?.to);
  expect(marked(before, pair?.before)).toBe("200");
  expect(marked(after, pair?.after)).toBe("20");
});

test("of a line that becomes another one, nothing is marked", () => {
  const [pair] = pairs(["db = session()"], ["return charge(order)"]);
  expect([pair?.before?.marked, pair?.after?.marked]).toEqual([null, null]);
});

test("texts too long to compare at leisure are shown as replaced", () => {
  const before = Array.from({ length: 1_500 }, (_, place) => `${place}`);
  const found = pairs(before, [...before].reverse());
  expect(found).toHaveLength(1_500);
  expect(found.every((one) => one.before?.isChanged && one.after?.isChanged)).toBe(true);
});

test("a side that is empty leaves the other one alone", () => {
  expect(drawn([], ["a", "b"])).toEqual([" · |*a", " · |*b"]);
  expect(drawn(["a"], [])).toEqual(["*a | ·"]);
});
