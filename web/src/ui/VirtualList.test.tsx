import { render, screen } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { inSight, VirtualList } from "./VirtualList";

const ITEMS = Array.from({ length: 10_000 }, (_, place) => `row ${place}`);

function list(items: readonly string[], more?: () => void) {
  return (
    <VirtualList
      label="Rows"
      items={items}
      keyOf={(one) => one}
      rowHeight={30}
      row={(one) => one}
      {...(more ? { more } : {})}
    />
  );
}

test("of a long list only what is in sight is there, under the places that it has", () => {
  render(list(ITEMS));
  const rows = screen.getAllByRole("listitem");
  expect(rows.length).toBeLessThan(60);
  expect(rows[0]?.getAttribute("aria-posinset")).toBe("1");
  expect(rows[0]?.getAttribute("aria-setsize")).toBe("10000");
  expect(screen.getByRole("list", { name: "Rows" }).style.height).toBe("300000px");
});

test("rows around what is in sight are drawn, and none that do not exist", () => {
  expect(inSight(0, 300, 30, 100)).toEqual({ from: 0, to: 22 });
  expect(inSight(900, 300, 30, 100)).toEqual({ from: 18, to: 52 });
  expect(inSight(2_700, 300, 30, 100)).toEqual({ from: 78, to: 100 });
  expect(inSight(0, 300, 30, 0)).toEqual({ from: 0, to: 0 });
});

test("a list that got shorter than where it was scrolled to still shows its end", () => {
  const { from, to } = inSight(9_000, 300, 30, 5);
  expect([from, to]).toEqual([4, 5]);
});

test("more is asked for when the end comes into sight, and not before", () => {
  const more = vi.fn();
  const { rerender } = render(list(ITEMS, more));
  expect(more).not.toHaveBeenCalled();
  rerender(list(ITEMS.slice(0, 5), more));
  expect(more).toHaveBeenCalled();
});
