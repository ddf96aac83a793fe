import { render } from "@testing-library/react";
import { expect, test } from "vitest";
import type { Schemas } from "@/api/client";
import { Owner } from "./Acknowledge";

function told(state: string, by?: string): string {
  const at = new Date(Date.now() - 240_000).toISOString();
  const known = { acknowledged: by ? { by, at } : null };
  const incident = { id: "inc-1", state, case: known } as unknown as Schemas["IncidentTold"];
  return render(<Owner incident={incident} />).container.textContent ?? "";
}

test("who works on an incident is told, and for how long", () => {
  expect(told("open", "priya")).toBe("Owner: priya, for 4 min");
});

test("an incident under way that nobody has taken says so; one that is over does not", () => {
  expect(told("open")).toBe("No owner");
  expect(told("resolved")).toBe("");
  expect(told("resolved", "priya")).toBe("Owner: priya");
});
