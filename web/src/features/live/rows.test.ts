import { describe, expect, test } from "vitest";
import { clockOf } from "@/lib/time";
import { gapWords } from "./LogPane";
import { pointed, pointing } from "./pointing";
import { band, identity, type LineRow, type LiveLine, NEAR_ROWS, ROWS_MAX, Rows, whyNoWords } from "./rows";

function line(message: string, more: Partial<LiveLine> = {}): LiveLine {
  return {
    time: "2026-11-16T10:16:42.752123+00:00",
    service: "payment",
    level: 9,
    message,
    is_cut: false,
    has_stack: false,
    trace: "",
    template: "0",
    fingerprint: "0",
    ...more,
  };
}

function shown(rows: Rows): string[] {
  return rows.all.map((one) => (one.kind === "line" ? `${one.line.message} ×${one.count}` : one.kind));
}

describe("folding", () => {
  const orders = ["Order 1 created", "Order 2 created", "Order 2 created"].map((one) => line(one, { template: "7" }));

  test("repeats of a pattern are one row with their number", () => {
    const rows = new Rows("pattern");
    rows.add(orders);
    expect(shown(rows)).toEqual(["Order 2 created ×3"]);
    expect((rows.all[0] as LineRow).examples.map((one) => one.message)).toEqual(orders.map((one) => one.message));
  });

  test("the same words are one row, other numbers are not", () => {
    const rows = new Rows("same");
    rows.add(orders);
    expect(shown(rows)).toEqual(["Order 1 created ×1", "Order 2 created ×2"]);
  });

  test("nothing is folded where nobody wants it", () => {
    const rows = new Rows("none");
    rows.add(orders);
    expect(rows.all).toHaveLength(3);
  });

  test("lines without a pattern are alike by their words only", () => {
    const rows = new Rows("pattern");
    rows.add([line("one"), line("two"), line("one")]);
    expect(shown(rows)).toEqual(["one ×2", "two ×1"]);
  });

  test("another service or level is another row", () => {
    const rows = new Rows("pattern");
    rows.add([line("one"), line("one", { service: "auth" }), line("one", { level: 17 })]);
    expect(rows.all).toHaveLength(3);
  });

  test("a repeat joins its row only while that is near", () => {
    const rows = new Rows("same");
    rows.add([
      line("again"),
      ...Array.from({ length: NEAR_ROWS }, (_, place) => line(`other ${place}`)),
      line("again"),
    ]);
    expect(rows.all.filter((one) => one.kind === "line" && one.line.message === "again")).toHaveLength(2);
    rows.add([line("again")]);
    expect(shown(rows).at(-1)).toBe("again ×2");
  });

  test("a row that grows is another value, so that only it is drawn again", () => {
    const rows = new Rows("same");
    rows.add([line("one"), line("two")]);
    const [one, two] = rows.all;
    rows.add([line("one")]);
    expect(rows.all[0]).not.toBe(one);
    expect(rows.all[1]).toBe(two);
  });

  test("what was folded can be unfolded, marks stay where they are", () => {
    const rows = new Rows("pattern");
    rows.add(orders);
    const gap = rows.mark({ kind: "gap", seconds: 14, state: "asking", found: 0 });
    rows.remark(gap, { state: "filled", found: 1 });
    rows.add([line("Order 3 created", { template: "7" })]);
    expect(shown(rows)).toEqual(["Order 2 created ×3", "gap", "Order 3 created ×1"]);
    rows.refold("none");
    expect(rows.all.map((one) => one.kind)).toEqual(["line", "line", "line", "gap", "line"]);
    expect(rows.all[3]).toMatchObject({ state: "filled", found: 1 });
  });
});

test("only the last ten thousand rows are kept, in their order", () => {
  const rows = new Rows("none");
  for (let batch = 0; batch < 30; batch += 1)
    rows.add(Array.from({ length: 1_000 }, (_, place) => line(`${batch * 1_000 + place}`)));
  expect(rows.added).toBe(30_000);
  expect(rows.all.length).toBeGreaterThanOrEqual(ROWS_MAX);
  expect(rows.all.length).toBeLessThanOrEqual(ROWS_MAX + 2_000);
  expect((rows.all.at(-1) as LineRow).line.message).toBe("29999");
  const ids = rows.all.map((one) => one.id);
  expect(ids).toEqual(ids.toSorted((one, other) => one - other));
});

test("folding goes on where rows were dropped", () => {
  const rows = new Rows("same");
  rows.add(Array.from({ length: 12_001 }, (_, place) => line(`${place}`)));
  rows.add([line("12000")]);
  expect(shown(rows).at(-1)).toBe("12000 ×2");
});

test("a gap says how long it was and what became of it", () => {
  expect(gapWords({ seconds: 14, state: "asking", found: 0 })).toBe("missed 14 s, asking for it");
  expect(gapWords({ seconds: 14, state: "filled", found: 1 })).toBe("missed 14 s, backfilled 1 line");
  expect(gapWords({ seconds: 90, state: "cut", found: 3000 })).toBe(
    "missed 1 min, backfilled the last 3,000 lines of it",
  );
  expect(gapWords({ seconds: 5, state: "failed", found: 0 })).toContain("could not be fetched");
});

test("levels have the names of their bands", () => {
  expect([24, 20, 17, 13, 9, 5, 1, 0].map(band)).toEqual([
    "fatal",
    "error",
    "error",
    "warn",
    "info",
    "debug",
    "trace",
    "unknown",
  ]);
});

test("a text without words, or with too many, is no filter", () => {
  expect(whyNoWords("")).toBe("");
  expect(whyNoWords("connection reset")).toBe("");
  expect(whyNoWords("[Errno 104]")).toBe("");
  expect(whyNoWords("a b c d e f g h i j a A")).toBe("");
  expect(whyNoWords("a b c d e f g h i j k")).toContain("Ten words");
});

test("an address names a line, and what is no line's address is none", () => {
  const one = { time: "2026-11-16T10:16:42.752123Z", template: "16930565960956344304", service: "pay~ment" };
  expect(pointed(pointing(one))).toEqual(one);
  expect(pointed("yesterday~1~payment")).toBeNull();
  expect(pointed(undefined)).toBeNull();
});

test("lines are told apart by all that they say, and times show milliseconds", () => {
  expect(identity(line("one"))).not.toBe(identity(line("one", { trace: "t" })));
  expect(clockOf("2026-11-16T10:16:42.752123+00:00")).toBe("10:16:42.752");
});
