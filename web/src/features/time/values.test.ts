import { expect, test } from "vitest";
import { incidentOf, marked, sides, titleOf, valueAt, written } from "./values";

test("a record is called by what it says of itself, else by where it is", () => {
  expect(titleOf({ body: { title: "Redis is full" }, path: "redis", entry: "" })).toBe("Redis is full");
  expect(titleOf({ body: "a note", path: "x", entry: "" })).toBe("a note");
  expect(titleOf({ body: { title: " ", pool: 3 }, path: "payment", entry: "" })).toBe("payment");
  expect(titleOf({ body: [1], path: "payment", entry: "e1" })).toBe("e1");
});

test("cases and incidents are incidents", () => {
  expect(incidentOf({ namespace: "cases", path: "inc-1" })).toBe("inc-1");
  expect(incidentOf({ namespace: "runbooks", path: "redis" })).toBeNull();
});

test("fields are found by their dotted names, items of sets by their ids", () => {
  const body = { owner: { team: "pay" }, "a.b": { c: 1 }, attempts: [{ id: "a1", outcome: "no effect" }], tags: ["x"] };
  expect(valueAt(body, "")).toBe(body);
  expect(valueAt(body, "owner.team")).toBe("pay");
  expect(valueAt(body, "a.b.c")).toBe(1);
  expect(valueAt(body, "attempts[a1].outcome")).toBe("no effect");
  expect(valueAt(body, 'tags["x"]')).toBe("x");
  expect(valueAt(body, "attempts[a2]")).toBeUndefined();
  expect(valueAt(body, "nothing.here")).toBeUndefined();
});

test("absence, null and an empty text are told apart", () => {
  expect(["not there", "nothing", "empty", "3"]).toEqual([undefined, null, "", 3].map(written));
  expect(written({ a: 1, b: null })).toBe("a: 1\nb: nothing");
  expect(written({ a: [1] })).toBe('{\n  "a": [\n    1\n  ]\n}');
  expect(written({})).toBe("{}");
});

test("of two lists only what came and went is shown", () => {
  expect(sides(["a", "b"], ["b", "c"])).toEqual({ before: "a", after: "c", kept: 1 });
  expect(sides([], ["c"])).toEqual({ before: "nothing", after: "c", kept: 0 });
  // Another order is a difference that has to be seen whole.
  expect(sides(["a", "b"], ["b", "a"]).before).toContain('"a"');
  expect(sides(20, 200)).toEqual({ before: "20", after: "200", kept: 0 });
});

test("of an item that changed only what changed is shown, with what it is known by", () => {
  const before = [{ service: "auth" }, { service: "payment", errors: 340, peak: 9, since: "noon" }];
  const after = [{ service: "auth" }, { service: "payment", errors: 462, peak: 9, since: "noon" }];
  expect(sides(before, after)).toEqual({
    before: "service: payment\nerrors: 340",
    after: "service: payment\nerrors: 462",
    kept: 1,
  });
  const [first, second, third] = [1, 2, 3].map((errors) => ({ service: "auth", errors, peak: 9 }));
  expect(sides([first, second], [third]).after).toBe("service: auth\nerrors: 3\npeak: 9");
  // Without a name nothing says that two items are one.
  expect(sides([{ a: 1, b: 2 }], [{ a: 1, b: 3 }]).before).toBe("a: 1\nb: 2");
});

test("words that differ are marked while most of a text stays", () => {
  const found = marked("raised the pool to 20 for payment", "raised the pool to 200 for payment");
  expect(found?.before).toEqual({ head: "raised the pool to ", middle: "20", tail: " for payment" });
  expect(found?.after.middle).toBe("200");
  expect(marked("one thing", "quite another text")).toBeNull();
});

test("a repeated word at the seam is not counted from both ends", () => {
  const found = marked("a b b c and the rest stays", "a b c and the rest stays");
  expect(found && found.before.head + found.before.middle + found.before.tail).toBe("a b b c and the rest stays");
  expect(found?.after.middle).toBe("");
});
