import { expect, test } from "vitest";
import { type AskEvent, eventsIn } from "@/api/asking";
import { pasted, type Reasoning, reasoned, subjectOfService } from "./subject";

const BEGUN: Reasoning = { steps: [], sentences: [], done: null, failure: "" };

test("lines are pasted once each, with the first traces", () => {
  const text = pasted([
    { message: "refused 1", template: "7" },
    { message: "refused 2", template: "7", stack: "Traceback" },
    { message: "other", template: "0" },
    { message: "other", template: "0" },
  ]);
  expect(text).toBe("refused 2\nTraceback\nother");
});

test("of a service in an incident, the incident is asked about, and not whatever else it logs", () => {
  const noise = [{ message: "Unknown signing key", template: "3" }];
  expect(subjectOfService("payment", "inc-7-payment", noise).text).toMatch(/inc-7-payment/);
  expect(subjectOfService("payment", "inc-7-payment", noise).text).not.toMatch(/signing key/);
  expect(subjectOfService("payment", "", noise).text).toBe("Unknown signing key");
});

test("a stream of events is read frame by frame, however it is cut", () => {
  const whole = 'event: understood\ndata: {"reading":"an error"}\n\n: beat\n\nevent: said\ndata: {"te';
  const [events, rest] = eventsIn(whole);
  expect(events).toEqual([{ kind: "understood", data: { reading: "an error" } }]);
  expect(eventsIn(`${rest}xt":"x"}\n\n`)[0]).toEqual([{ kind: "said", data: { text: "x" } }]);
});

test("a step is under way until it is known what it found", () => {
  const called: AskEvent = { kind: "called", data: { tool: "incident_get", arguments: {} } };
  const evidence = ["cases/inc-1@4"];
  const found: AskEvent = {
    kind: "found",
    data: { tool: "incident_get", summary: "inc-1 [cases/inc-1@4]", evidence, is_error: false },
  };
  const asking = reasoned(BEGUN, called);
  expect(asking.steps).toEqual([{ text: "Incident get", state: "under way", evidence: [] }]);
  expect(reasoned(asking, found).steps).toEqual([{ text: "Incident get: inc-1", state: "done", evidence }]);
});

test("a failure is told, and what was said before it stays", () => {
  const said = reasoned(BEGUN, {
    kind: "said",
    data: { text: "Seen before.", citations: [], is_cited: true, is_aside: false },
  });
  const failed = reasoned(said, { kind: "failed", data: { detail: "The model is away.", remedy: "Try again." } });
  expect(failed.failure).toBe("The model is away. Try again.");
  expect(failed.sentences).toHaveLength(1);
  expect(reasoned(failed, null)).toEqual(BEGUN);
});
