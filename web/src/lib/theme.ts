import { keep, kept } from "./kept";
import { Store } from "./store";

export type Theme = "dark" | "light";
export type Choice = Theme | "system";

const system = window.matchMedia("(prefers-color-scheme: light)");

/** What somebody chose; the system's until then. `public/theme.js` reads the same before the first paint. */
export const choice = new Store<Choice>(chosen());
export const theme = new Store<Theme>(shown());

function chosen(): Choice {
  const value = kept("theme");
  return value === "light" || value === "dark" ? value : "system";
}

function shown(): Theme {
  if (choice.value !== "system") return choice.value;
  return system.matches ? "light" : "dark";
}

function show(): void {
  theme.set(shown());
  document.documentElement.dataset.theme = theme.value;
}

system.addEventListener("change", show);

export function choose(value: Choice): void {
  choice.set(value);
  keep("theme", value === "system" ? "" : value);
  show();
}

export function toggle(): void {
  choose(theme.value === "dark" ? "light" : "dark");
}
