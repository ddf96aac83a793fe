import { useRef } from "react";
import { useAct } from "@/api/acting";
import type { Glance } from "./deck";
import type { Decide } from "./FixCard";
import type { Go } from "./places";

/** What can be decided about a card. Each decision can be taken back from what tells of it, and by `u`. */
export function useDecide(go: Go): Decide {
  // Undoing is offered by the others, and asked for through this.
  const takeBack = useRef<(card: string) => void>(() => undefined);
  const undone = (card: { id: string }) => () => takeBack.current(card.id);
  const accept = useAct("post", "/api/v1/cards/{card_id}/accept", {
    done: (card) => (card.line?.branch ? `It is on the branch ${card.line.branch}.` : `${card.path} is changed.`),
    undo: undone,
  });
  const modify = useAct("post", "/api/v1/cards/{card_id}/modify", {
    done: (card) => `${card.path} is changed, your way.`,
    undo: undone,
  });
  const reject = useAct("post", "/api/v1/cards/{card_id}/reject", {
    done: (_, said) => (said.body?.dont_try ? "Rejected; others are told not to try it." : "Rejected."),
    undo: undone,
  });
  const undo = useAct("post", "/api/v1/cards/{card_id}/undo", {
    done: "Taken back: everything is as it was.",
    after: (card) => go({ card: card.id, path: card.path, ln: card.lines.first }),
  });
  const recheck = useAct("post", "/api/v1/cards/{card_id}/recheck", {
    done: "Checked again: it is made for the file as it is now.",
    after: (card) => go({ card: card.id, path: card.path, ln: card.lines.first }),
  });
  takeBack.current = (card) => undo.mutate({ path: { card_id: card } });
  const on = (card: Glance) => ({ path: { card_id: card.id } });
  return {
    accept: (card, branch = "") => accept.mutate({ ...on(card), body: { branch, commit: false, message: "" } }),
    modify: (card, text) =>
      modify.mutate({ ...on(card), body: { text, reason: "", branch: "", commit: false, message: "" } }),
    reject: (card, reason, isWarning) => reject.mutate({ ...on(card), body: { reason, dont_try: isWarning } }),
    undo: (card) => takeBack.current(card.id),
    recheck: (card) => recheck.mutate(on(card)),
    isBusy: accept.isPending || modify.isPending || reject.isPending || undo.isPending || recheck.isPending,
  };
}
