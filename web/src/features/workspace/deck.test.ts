import { expect, test } from "vitest";
import { badges, beside, type Glance, reviewed, times } from "./deck";

function card(id: string, more: Partial<Glance> = {}): Glance {
  return { id, path: "pay/loop.py", state: "proposed", severity: "warning", ...more } as Glance;
}

test("a folder is marked by the fixes within it, as bad as the worst of them", () => {
  const found = badges([card("a"), card("b", { path: "pay/db.py", severity: "critical" })]);
  expect(found.get("pay")).toEqual({ count: 2, tone: "coral" });
  expect(found.get("pay/loop.py")).toEqual({ count: 1, tone: "sand" });
});

test("what was applied marks nothing, and what was taken back marks again", () => {
  expect(badges([card("a", { state: "accepted" })]).size).toBe(0);
  expect(badges([card("a", { state: "undone" })]).get("pay/loop.py")?.count).toBe(1);
});

test("reviewed are those that somebody decided about, of all that there were", () => {
  const cards = [card("a"), card("b", { state: "accepted" })];
  expect(reviewed(cards, { accepted: 1, rejected: 1, proposed: 7 })).toEqual({ done: 2, all: 3 });
});

test("stepping ends at the first and the last card", () => {
  const cards = [card("a"), card("b")];
  expect(beside(cards, "a", -1)?.id).toBe("a");
  expect(beside(cards, "a", 1)?.id).toBe("b");
  expect(beside(cards, "b", 1)?.id).toBe("b");
});

test("times are said as people say them", () => {
  expect([1, 2, 3].map(times)).toEqual(["once", "twice", "3 times"]);
});
