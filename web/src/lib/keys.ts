import { useEffect, useRef } from "react";
import { keep, kept } from "./kept";
import { Store } from "./store";

/**
 * Keys of a page. Whatever a page offers by key is registered here, so that the help can list it and one switch turns
 * single keys off (WCAG 2.1.4). A key is written as on the help: "g o" (one after the other), "shift+r", "mod+k", "?".
 */
export interface Key {
  keys: string;
  label: string;
  run: (event: KeyboardEvent) => void;
  /** Under which heading the help shows it; "This page" unless said. */
  group?: string;
  isOff?: boolean;
  /** Whether it also counts while a dialog is open; a page's own keys rest then. */
  inDialog?: boolean;
}

const SEQUENCE_MS = 1_200;
const registered: { current: readonly Key[] }[] = [];

export const pageKeys = new Store<readonly Key[]>([]);
export const areSingleKeysOn = new Store(kept("keys") !== "off");

export function switchSingleKeys(isOn: boolean): void {
  areSingleKeysOn.set(isOn);
  keep("keys", isOn ? "" : "off");
}

/** Whether the system calls its command key by a symbol. */
export const isMac = /Mac|iP(?:hone|ad)/.test(navigator.platform);

/** How a key is written on a button. */
export function written(keys: string): string {
  const names: Record<string, string> = {
    mod: isMac ? "⌘" : "Ctrl ",
    shift: "⇧",
    enter: "↵",
    escape: "Esc",
    arrowleft: "←",
    arrowright: "→",
    arrowup: "↑",
    arrowdown: "↓",
    space: "Space",
  };
  return keys
    .split(" ")
    .map((one) =>
      one
        .split("+")
        .map((part) => names[part] ?? part.toUpperCase())
        .join(""),
    )
    .join(" ");
}

/** Keys while a part of the page is shown. Later ones come first, so a dialog's keys win over its page's. */
export function useKeys(keys: readonly Key[]): void {
  const current = useRef(keys);
  current.current = keys;
  const names = keys.map((one) => `${one.keys}${one.isOff ? "-" : ""}${one.label}`).join("|");
  // biome-ignore lint/correctness/useExhaustiveDependencies: the help has to be told when the list of names changes.
  useEffect(() => {
    registered.push(current);
    announce();
    return () => {
      registered.splice(registered.indexOf(current), 1);
      announce();
    };
  }, [names]);
}

function announce(): void {
  pageKeys.set(registered.flatMap((one) => one.current).filter((one) => !one.isOff));
}

/** The key that an event is, as it is registered. */
export function pressed(event: KeyboardEvent): string {
  const key = event.key === " " ? "space" : event.key.toLowerCase();
  const isLetter = /^[a-z]$/.test(key);
  const isNamed = key.length > 1;
  return [
    event.metaKey || event.ctrlKey ? "mod" : "",
    event.altKey ? "alt" : "",
    // Of a symbol, shift is part of how it is typed on some keyboard or other.
    event.shiftKey && (isLetter || isNamed) ? "shift" : "",
    key,
  ]
    .filter(Boolean)
    .join("+");
}

/** Whether somebody is typing, so that letters are letters. */
export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName);
}

// What a focused button or link does with a key is its own business.
function isTaken(target: EventTarget | null, key: string): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (key === "enter" || key === "space")
    return target.closest("a[href], button, summary, [role=tab], [role=menuitem], [role=option]") !== null;
  return (
    key.startsWith("arrow") && target.closest("[role=tablist], [role=menu], [role=slider], [role=listbox]") !== null
  );
}

let begun = "";
let begunAt = 0;

export function handle(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing || /^(?:Shift|Control|Alt|Meta)$/.test(event.key)) return;
  const key = pressed(event);
  const isSingle = !key.includes("mod+") && key !== "escape";
  if (isTyping(event.target) && isSingle) return;
  if (isSingle && (!areSingleKeysOn.value || isTaken(event.target, key))) return;
  const wanted = begun && event.timeStamp - begunAt < SEQUENCE_MS ? [`${begun} ${key}`, key] : [key];
  begun = "";
  const isCovered = document.querySelector("[role=dialog][data-state=open]") !== null;
  const keys = registered.flatMap((one) => one.current).filter((one) => !one.isOff && (one.inDialog || !isCovered));
  for (const name of wanted) {
    const found = keys.findLast((one) => one.keys === name);
    if (found) {
      event.preventDefault();
      // Whoever moves through a list has left the button that had the focus: Enter is the list's from then on.
      if (/^(?:shift\+)?[jk]$/.test(name) && isTaken(event.target, "enter")) (event.target as HTMLElement).blur();
      found.run(event);
      return;
    }
  }
  if (keys.some((one) => one.keys.startsWith(`${key} `))) {
    begun = key;
    begunAt = event.timeStamp;
  }
  // Escape leaves a box, so that letters are keys again; a dialog closes by it instead.
  if (key === "escape" && !isCovered && isTyping(event.target)) (event.target as HTMLElement).blur();
}

export function listenToKeys(): () => void {
  window.addEventListener("keydown", handle);
  return () => window.removeEventListener("keydown", handle);
}
