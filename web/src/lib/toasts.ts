import { Store } from "./store";

export interface Toast {
  id: number;
  text: string;
  tone: "plain" | "good" | "bad";
  /** What the toast offers: undoing, mostly. */
  action?: { label: string; run: () => void };
}

const SHOWN_MS = 6_000;
// Long enough to read, notice the mistake and reach for the key.
const SHOWN_WITH_ACTION_MS = 12_000;
const SHOWN_MAX = 4;

let last = 0;
export const toasts = new Store<readonly Toast[]>([]);

export function tell(text: string, more: Partial<Omit<Toast, "id" | "text">> = {}): void {
  last += 1;
  const toast: Toast = { id: last, text, tone: "plain", ...more };
  toasts.change((shown) => [...shown, toast].slice(-SHOWN_MAX));
  setTimeout(() => dismiss(toast.id), toast.action ? SHOWN_WITH_ACTION_MS : SHOWN_MS);
}

export function dismiss(id: number): void {
  toasts.change((shown) => shown.filter((one) => one.id !== id));
}

/** Do what the newest toast offers. */
export function undoLast(): boolean {
  const newest = toasts.value.findLast((one) => one.action);
  if (!newest?.action) return false;
  dismiss(newest.id);
  newest.action.run();
  return true;
}
