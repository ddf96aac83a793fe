import { expect, test } from "vitest";
import type { Schemas } from "@/api/client";
import { escalation, handover, knowersOf } from "./handover";

const LINK = "https://hindcast.shop.example/incidents/inc-1";

function incident(parts: Partial<Schemas["IncidentTold"]> = {}): Schemas["IncidentTold"] {
  return {
    id: "inc-1",
    title: "payment: 120 errors\n# in 2 minutes",
    severity: "major",
    state: "open",
    onset_at: "2026-11-18T02:13:10Z",
    services: ["payment", "orders"],
    detection: null,
    case: null,
    ...parts,
  } as Schemas["IncidentTold"];
}

function answer(parts: Partial<Schemas["Diagnosis"]>): Schemas["AnswerTold"] {
  const diagnosis = {
    familiarity: "seen before",
    case: "past-redis",
    confidence: 0.98,
    reliability: { confidence_min: 0.9, confidence_max: 1, right: 35, asked: 38, is_own: true },
    headline: "Your team hit this 6 weeks ago.",
    fixes: [],
    avoid: [],
    people: [],
    ...parts,
  };
  return { diagnosis } as unknown as Schemas["AnswerTold"];
}

test("whoever takes over reads what it is, where it is, and that nothing was tried", () => {
  const text = handover(incident(), undefined, LINK, "");
  expect(text).toContain("# payment: 120 errors # in 2 minutes\n");
  expect(text).toContain("major, open, began Wed, 18 Nov 2026, 02:13:10 UTC: ");
  expect(text).toContain("payment, orders");
  expect(text).toContain(LINK);
  expect(text).toContain("Nobody has recorded an attempt yet.");
  expect(text).not.toContain("What memory says");
});

test("memory comes along with how sure it is, the cause, the fix, and what not to try with what it did", () => {
  const text = handover(
    incident(),
    answer({
      cause: { text: "connections were kept", evidence: [] },
      fixes: [{ action: "release them", evidence: ["cases/past-redis@7", "cases/other@2"] }] as Schemas["Advice"][],
      avoid: [{ action: "a bigger pool", happened: ["redis hit its limit"] }] as Schemas["Advice"][],
    }),
    LINK,
    "",
  );
  expect(text).toContain(
    "Your team hit this 6 weeks ago. (98% the same, right 35 of 38 times in this project; past-redis)",
  );
  expect(text).toContain("- Cause: connections were kept\n- Fix that worked in cases/past-redis: release them\n");
  expect(text).toContain("- Don't try: a bigger pool (redis hit its limit)");
});

test("what memory does not know is said", () => {
  expect(handover(incident(), answer({ familiarity: "not seen before", case: "" }), LINK, "")).toContain(
    "Nothing like this was seen before.",
  );
});

test("what was tried stands with what came of it, and what is asked stands before it", () => {
  const known = { attempts: [{ action: "restarted it", outcome: "no effect", by: "ana" }] };
  const text = handover(
    incident({ case: known as unknown as Schemas["CaseTold"] }),
    undefined,
    LINK,
    " Somebody who may restart redis. ",
  );
  expect(text).toContain("- restarted it: no effect (ana)");
  expect(text.indexOf("Somebody who may restart redis.")).toBeLessThan(text.indexOf("restarted it"));
});

test("who dealt with it comes before whose code it is, and nobody is named twice", () => {
  const people = [{ text: "priya: fixed it and found the cause", evidence: [] }];
  const owned = { path: "payment/worker/loop.py", owners: ["@payments", "@Priya"] };
  expect(knowersOf(answer({ people }), owned)).toEqual([
    { name: "priya", why: "fixed it and found the cause, owns payment/worker/loop.py" },
    { name: "@payments", why: "owns payment/worker/loop.py" },
  ]);
  expect(knowersOf(undefined, null)).toEqual([]);
});

test("what is kept with the incident is one line that says whom and what for", () => {
  expect(escalation(" priya ", "")).toBe("Escalated to priya.");
  expect(escalation("@payments", "restart redis,\nplease")).toBe("Escalated to @payments: restart redis, please");
});
