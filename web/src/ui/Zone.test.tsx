import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, test, vi } from "vitest";

// Before anything writes a time: where this browser is.
process.env.TZ = "Asia/Tokyo";

const AT = "2026-10-05T20:07:09.250Z";

afterEach(() => localStorage.clear());

test("times are in UTC until somebody wants them local, which the browser remembers", async () => {
  const time = await import("@/lib/time");
  expect([time.clock(AT), time.date(AT)]).toEqual(["20:07:09", "5 Oct 2026"]);
  time.showIn("local");
  expect([time.clock(AT), time.date(AT), time.clockOf(AT)]).toEqual(["05:07:09", "6 Oct 2026", "05:07:09.250"]);
  expect(time.absolute(AT)).toBe("Tue, 6 Oct 2026, 05:07:09 local time (20:07:09 UTC)");
  expect(time.absoluteUtc(AT)).toBe("Mon, 5 Oct 2026, 20:07:09 UTC");
  vi.resetModules();
  expect((await import("@/lib/time")).zone.value).toBe("local");
  time.showIn("utc");
  expect(time.clock(AT)).toBe("20:07:09");
});

test("the clock of a page shows both zones and switches between them", async () => {
  vi.resetModules();
  const { ZoneButton } = await import("@/ui/Page");
  render(<ZoneButton now={new Date(AT)} />);
  const button = screen.getByRole("button");
  expect(button.textContent).toBe("20:07:09 UTC · 05:07 local");
  await userEvent.setup().click(button);
  expect(button.textContent).toBe("05:07:09 local · 20:07 UTC");
});
