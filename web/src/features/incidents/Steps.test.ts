import { expect, test } from "vitest";
import { stepsToTake } from "./Steps";

test("the steps of the answer and of runbooks are told, and not the command that a button stands for", () => {
  const steps = [
    "Check that the cause is there again: workers kept their connections.",
    "Runbook “Redis”: Count the clients.",
    "Say whether this was it: hindcast incident verdict inc-1 --right --incident inc-2 (or --wrong)",
  ].map((text) => ({ text, evidence: [] }));
  expect(stepsToTake(steps)).toEqual(steps.slice(0, 2));
});
