import { expect, test } from "vitest";
import type { Schemas } from "@/api/client";
import { lastOf } from "./Services";

test("of each service the newest incident counts, whichever part it had in it", () => {
  const glance = (onset_at: string, ...services: string[]) => ({ onset_at, services }) as Schemas["IncidentGlance"];
  const last = lastOf([glance("2026-11-16T02:00:00Z", "payment"), glance("2026-10-05T02:00:00Z", "auth", "payment")]);
  expect([...last]).toEqual([
    ["payment", "2026-11-16T02:00:00Z"],
    ["auth", "2026-10-05T02:00:00Z"],
  ]);
});
