import { expect, test } from "vitest";
import { Rates, type RatesHeard, rate, SECONDS_SHOWN } from "./rates";

const BEGIN = Date.parse("2026-11-16T10:00:00Z");

function at(second: number): string {
  return new Date(BEGIN + second * 1000).toISOString();
}

function heard(last: number, services: Record<string, [number, number]>): RatesHeard {
  const bands = Object.fromEntries(
    Object.entries(services).map(([name, [lines, errors]]) => [
      name,
      { errors: Array(5).fill(errors), warnings: Array(5).fill(0), others: Array(5).fill(lines - errors) },
    ]),
  );
  return { seconds: [4, 3, 2, 1, 0].map((ago) => at(last - ago)), services: bands, services_left_out: 0 };
}

test("what was counted before and what is heard make one minute", () => {
  const rates = new Rates();
  const points = Array.from({ length: 30 }, (_, second) => ({ at: at(second), lines: 10, errors: 1, levels: {} }));
  rates.fill({ since: at(0), until: at(30), step_seconds: 1, services: [{ service: "payment", points }] });
  rates.hear(heard(34, { payment: [20, 4] }));
  const series = rates.view.value.get("payment");
  expect(series?.lines).toHaveLength(SECONDS_SHOWN);
  // The last two seconds are still being counted.
  expect(series?.lines.slice(-5)).toEqual([10, 10, 20, 20, 20]);
  expect(series?.linesPerSecond).toBe((7 * 10 + 3 * 20) / 10);
  expect(series?.errorsPerMinute).toBe(30 + 3 * 4);
});

test("seconds are told again with what came for them since", () => {
  const rates = new Rates();
  rates.hear(heard(10, { payment: [5, 0] }));
  rates.hear(heard(12, { payment: [9, 2] }));
  expect(rates.view.value.get("payment")?.errors.at(-1)).toBe(2);
  expect(rates.view.value.get("payment")?.lines.slice(-5)).toEqual([5, 5, 9, 9, 9]);
});

test("a service that falls silent shows no lines, and is not forgotten", () => {
  const rates = new Rates();
  rates.hear(heard(5, { payment: [5, 0] }));
  rates.hear(heard(200, {}));
  expect(rates.view.value.get("payment")).toMatchObject({ linesPerSecond: 0, errorsPerMinute: 0 });
});

test("rates read as people say them", () => {
  expect([0, 0.04, 0.44, 9.9, 9.96, 1204.4].map(rate)).toEqual(["0", "<0.1", "0.4", "9.9", "10", "1,204"]);
});
