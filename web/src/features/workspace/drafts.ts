import { useEffect } from "react";
import { Store, useStore } from "@/lib/store";

/** What somebody typed and has not saved. It outlives the tab that it was typed in, and a page that is left asks. */
export interface Draft {
  text: string;
  /** Of the file that it was begun from. */
  digest: string;
}

const drafts = new Store<ReadonlyMap<string, Draft>>(new Map());

export function useDrafts(): ReadonlyMap<string, Draft> {
  return useStore(drafts);
}

export function keepDraft(key: string, draft: Draft | null): void {
  drafts.change((known) => {
    const next = new Map(known);
    if (draft) next.set(key, draft);
    else next.delete(key);
    return next;
  });
}

/** A browser asks before it drops what was typed. */
export function useLeaveWarning(): void {
  const isAny = useDrafts().size > 0;
  useEffect(() => {
    if (!isAny) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener("beforeunload", ask);
    return () => window.removeEventListener("beforeunload", ask);
  }, [isAny]);
}
