import { render } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { handle, type Key, pressed, switchSingleKeys, useKeys, written } from "./keys";

function Keys({ keys }: { keys: readonly Key[] }) {
  useKeys(keys);
  return <input aria-label="text" />;
}

function press(key: string, more: KeyboardEventInit = {}, target: EventTarget = document.body): void {
  const event = new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...more });
  target.dispatchEvent(event);
}

beforeEach(() => window.addEventListener("keydown", handle));
afterEach(() => {
  window.removeEventListener("keydown", handle);
  switchSingleKeys(true);
});

test("a key, a sequence and a key with shift each run what they are for", () => {
  const run = vi.fn();
  render(<Keys keys={["j", "g i", "shift+r", "?"].map((keys) => ({ keys, label: keys, run: () => run(keys) }))} />);
  press("j");
  press("g");
  press("i");
  press("R", { shiftKey: true });
  press("?", { shiftKey: true });
  expect(run.mock.calls.flat()).toEqual(["j", "g i", "shift+r", "?"]);
});

test("letters are letters where somebody types, and mod keys are not", () => {
  const run = vi.fn();
  const { getByLabelText } = render(
    <Keys keys={["j", "mod+k"].map((keys) => ({ keys, label: keys, run: () => run(keys) }))} />,
  );
  press("j", {}, getByLabelText("text"));
  press("k", { ctrlKey: true }, getByLabelText("text"));
  expect(run.mock.calls.flat()).toEqual(["mod+k"]);
});

test("single keys can be switched off, and what has a modifier stays", () => {
  const run = vi.fn();
  render(<Keys keys={["j", "mod+k"].map((keys) => ({ keys, label: keys, run: () => run(keys) }))} />);
  switchSingleKeys(false);
  press("j");
  press("k", { metaKey: true });
  expect(run.mock.calls.flat()).toEqual(["mod+k"]);
});

test("while a dialog is open, the page's own keys rest", () => {
  const run = vi.fn();
  render(
    <>
      <Keys keys={[{ keys: "j", label: "down", run: () => run("j") }]} />
      <Keys keys={[{ keys: "k", label: "up", run: () => run("k"), inDialog: true }]} />
      <div role="dialog" data-state="open" />
    </>,
  );
  press("j");
  press("k");
  expect(run.mock.calls.flat()).toEqual(["k"]);
});

test("a key is gone with the part of the page that it belonged to", () => {
  const run = vi.fn();
  const { unmount } = render(<Keys keys={[{ keys: "j", label: "down", run }]} />);
  unmount();
  press("j");
  expect(run).not.toHaveBeenCalled();
});

test("keys are named as they are registered and written as they are on keyboards", () => {
  expect(pressed(new KeyboardEvent("keydown", { key: " " }))).toBe("space");
  expect(pressed(new KeyboardEvent("keydown", { key: "ArrowLeft", shiftKey: true }))).toBe("shift+arrowleft");
  expect([written("g o"), written("shift+r"), written("enter")]).toEqual(["G O", "⇧R", "↵"]);
});

test("escape leaves a box, so that letters are keys again", () => {
  const run = vi.fn();
  const { getByLabelText } = render(<Keys keys={[{ keys: "j", label: "down", run: () => run("j") }]} />);
  const box = getByLabelText("text");
  box.focus();
  press("j", {}, box);
  press("Escape", {}, box);
  expect(document.activeElement).toBe(document.body);
  press("j");
  expect(run.mock.calls.flat()).toEqual(["j"]);
});

test("enter belongs to the list that somebody moves through, not to the button that had the focus", () => {
  const run = vi.fn();
  const { getByText } = render(
    <>
      <button type="button">other</button>
      <Keys keys={["j", "enter"].map((keys) => ({ keys, label: keys, run: () => run(keys) }))} />
    </>,
  );
  const other = getByText("other");
  other.focus();
  press("Enter", {}, other);
  press("j", {}, other);
  expect(document.activeElement).toBe(document.body);
  press("Enter");
  expect(run.mock.calls.flat()).toEqual(["j", "enter"]);
});
