import { useSyncExternalStore } from "react";

const NARROW = window.matchMedia("(width < 900px)");

function listen(changed: () => void): () => void {
  NARROW.addEventListener("change", changed);
  return () => NARROW.removeEventListener("change", changed);
}

/** Whether there is room for one column only: a phone, or a page that is enlarged. */
export function useIsNarrow(): boolean {
  return useSyncExternalStore(listen, () => NARROW.matches);
}
