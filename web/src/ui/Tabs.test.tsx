import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { Tabs } from "./Tabs";

const OPTIONS = [
  { value: "all", label: "All", count: 1_204 },
  { value: "accepted", label: "Accepted" },
  { value: "rejected", label: "Rejected" },
] as const;

function shown(value: "all" | "accepted" | "rejected" | "none") {
  const choose = vi.fn();
  render(<Tabs label="Which" value={value} choose={choose} options={OPTIONS as never} />);
  return choose;
}

test("what is chosen is told, and counts are written as numbers", () => {
  shown("accepted");
  expect(screen.getByRole("radio", { checked: true }).textContent).toBe("Accepted");
  expect(screen.getByRole("radiogroup", { name: "Which" }).textContent).toContain("1,204");
});

test("Tab comes to the chosen one, arrows go round, Enter chooses", async () => {
  const choose = shown("rejected");
  const person = userEvent.setup();
  await person.tab();
  expect(document.activeElement?.textContent).toBe("Rejected");
  await person.keyboard("{ArrowRight}");
  expect(document.activeElement?.textContent).toContain("All");
  await person.keyboard("{ArrowLeft}{ArrowLeft}");
  expect(document.activeElement?.textContent).toBe("Accepted");
  expect(choose).not.toHaveBeenCalled();
  await person.keyboard("{Enter}");
  expect(choose).toHaveBeenCalledExactlyOnceWith("accepted");
});

test("Home and End lead to both ends; other keys are the page's", async () => {
  shown("accepted");
  const person = userEvent.setup();
  await person.tab();
  await person.keyboard("{End}");
  expect(document.activeElement?.textContent).toBe("Rejected");
  await person.keyboard("{Home}j");
  expect(document.activeElement?.textContent).toContain("All");
});

test("choosing what is chosen changes nothing", async () => {
  const choose = shown("all");
  await userEvent.click(screen.getByRole("radio", { name: /^All/ }));
  expect(choose).not.toHaveBeenCalled();
});

test("where nothing is chosen, Tab comes to the first", async () => {
  shown("none");
  await userEvent.tab();
  expect(document.activeElement?.textContent).toContain("All");
});
