import { render, screen } from "@testing-library/react";
import { expect, test } from "vitest";
import type { Schemas } from "@/api/client";
import { LeadingTrace, leadingTrace } from "./Trace";

type Incident = Schemas["IncidentTold"];

function seen(exemplars: object[], fingerprints: object[] = [], stack = ""): Incident {
  return { detection: { exemplars, fingerprints, alerts: [] }, case: { stack } } as unknown as Incident;
}

const RARE = { fingerprint: "2", stack: "ValueError: rare", service: "user" };
const OFTEN = { fingerprint: "1", stack: "ConnectionError: often\n  at hold", service: "payment" };

test("the trace of the most frequent failure leads", () => {
  const incident = seen(
    [{ ...OFTEN, stack: "" }, RARE, OFTEN],
    [
      { id: "2", count: 3 },
      { id: "1", count: 234 },
    ],
  );
  expect(leadingTrace(incident)).toEqual({ text: OFTEN.stack, service: "payment" });
});

test("a frequent failure without a trace leaves the lead to one that has a trace", () => {
  expect(leadingTrace(seen([RARE], [{ id: "9", count: 500 }]))?.text).toBe("ValueError: rare");
});

test("without lines it is the trace that the case keeps, and without that there is none", () => {
  expect(leadingTrace(seen([], [], "kept"))?.text).toBe("kept");
  expect(leadingTrace(seen([]))).toBeNull();
});

test("the trace is open and can be copied without a click before", () => {
  render(<LeadingTrace incident={seen([OFTEN])} />);
  expect(screen.getByText(/at hold/).closest("details")).toBeNull();
  expect(screen.getByRole("button", { name: "Copy trace" })).toBeTruthy();
});
