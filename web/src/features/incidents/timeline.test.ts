import { expect, test } from "vitest";
import type { Schemas } from "@/api/client";
import { suspectOf, timelineOf } from "./timeline";

const ONSET = "2026-11-16T02:00:00Z";
const at = (minutes: number, from = ONSET) => new Date(Date.parse(from) + minutes * 60_000).toISOString();

function known(parts: Partial<Schemas["CaseTold"]>): Schemas["CaseTold"] {
  return {
    attempts: [],
    notes: [],
    resolution: null,
    resolved_at: null,
    state: "open",
    occurred_at: ONSET,
    ...parts,
  } as Schemas["CaseTold"];
}

function attempt(id: string, when: string, outcome: Schemas["Outcome"]): Schemas["Attempt"] {
  return {
    id,
    action: `did ${id}`,
    outcome,
    at: when,
    by: "ana",
    diff: "",
    command: "",
    config: "",
    evidence: [],
    confidence: 1,
  };
}

function incident(parts: Partial<Schemas["IncidentTold"]>): Schemas["IncidentTold"] {
  return {
    onset_at: ONSET,
    state: "open",
    resolved_at: null,
    detection: null,
    case: null,
    ...parts,
  } as Schemas["IncidentTold"];
}

const THEN = known({
  occurred_at: "2026-10-05T02:00:00Z",
  state: "resolved",
  attempts: [
    attempt("a1", at(5, "2026-10-05T02:00:00Z"), "made worse"),
    attempt("a2", at(28, "2026-10-05T02:00:00Z"), "worked"),
  ],
  resolved_at: at(34, "2026-10-05T02:00:00Z"),
});

test("what happened later the last time is what may come next", () => {
  const rows = timelineOf(incident({}), null, THEN, new Date(at(14)));
  expect(rows.map((one) => [one.title, one.isNext])).toEqual([
    ["did a1", false],
    ["did a2", true],
    ["Resolved", true],
  ]);
});

test("what has gone quiet does not go on like the last time", () => {
  const rows = timelineOf(incident({ state: "awaiting" }), null, THEN, new Date(at(14)));
  expect(rows.some((one) => one.isNext)).toBe(false);
});

test("now and then stand in one order, by their distance from the first signal", () => {
  const mine = known({
    attempts: [attempt("A1", at(10), "no effect")],
    notes: [{ id: "n", text: "hm", at: at(1), by: "bo" }],
  });
  const rows = timelineOf(incident({ case: mine }), { case: "past", ready_at: at(0.5) }, THEN, new Date(at(40)));
  expect(rows.map((one) => one.title)).toEqual(["Note", "did a1", "did A1", "did a2", "Resolved"]);
});

const DETECTION = {
  onset_at: ONSET,
  opened_at: at(1),
  origin: "",
  changes: [],
  affected: [],
  alerts: [],
  trigger: { why: "errors", rule: "fixed" },
  quiet_since: null,
  closed_at: null,
} as unknown as Schemas["DetectionTold"];

test("what noticed it does not read as if it had been fixed", () => {
  const rows = timelineOf(incident({ detection: DETECTION }), null, null, new Date(at(14)));
  expect(rows.find((one) => one.title === "First signal")?.source).toBe("error count");
});

test("memory says how quick it was, as long as it is its first word", () => {
  const detection = DETECTION;
  const recalled = (minute: number) =>
    timelineOf(incident({ detection }), { case: "past-1", ready_at: at(minute) }, null, new Date(at(20))).find(
      (one) => one.kind === "memory",
    )?.detail;
  expect(recalled(1.03)).toBe("1.8 s after it was opened");
  expect(recalled(9)).toBe("brought up to date");
});

test("what may have been taken back is the last change before it, of a service that is in it", () => {
  const change = (ref: string, service: string, minute: number) =>
    ({ ref, service, at: at(minute), kind: "deploy" }) as Schemas["DetectionTold"]["changes"][number];
  const changes = [change("bbb", "payment", -2), change("aaa", "payment", -9), change("ccc", "search", -1)];
  const detection = { ...DETECTION, changes: [...changes, change("ddd", "payment", 3)] } as Schemas["DetectionTold"];
  expect(suspectOf(incident({ detection, services: ["payment"] }))?.ref).toBe("bbb");
  expect(suspectOf(incident({ detection, services: ["auth"] }))).toBeNull();
  expect(suspectOf(incident({ detection, services: ["payment"], state: "resolved" }))).toBeNull();
});

test("a change just before it is told once, whoever else wrote it down", () => {
  const change: Schemas["DetectionTold"]["changes"][number] = {
    source: "github",
    key: "d1",
    kind: "deploy",
    at: at(-8),
    service: "payment",
    title: "Simplify",
    actor: "",
    ref: "8f3c2e1d90aa",
    url: "",
    labels: {},
  };
  const detection = { ...DETECTION, changes: [change] } as Schemas["DetectionTold"];
  const mine = known({
    notes: [
      { id: "N1", text: "Before it: deploy payment Simplify", at: at(-8), by: "github" },
      { id: "N2", text: "looked at it", at: at(-8), by: "ana" },
    ],
  });
  const rows = timelineOf(incident({ detection, case: mine }), null, null, new Date(at(14)));
  expect(rows.filter((one) => one.seconds < 0).map((one) => `${one.title} ${one.detail}`)).toEqual([
    "Deploy 8f3c2e1 of payment Simplify",
    "Note looked at it",
  ]);
});
