import { useKeys } from "@/lib/keys";
import { undoLast } from "@/lib/toasts";
import type { Doing } from "./FixCard";

interface BenchKeys {
  has: { cards: boolean; file: boolean; whyNot: string; begun: boolean };
  can: { decide: boolean; reject: boolean };
  step: (by: number) => void;
  accept: () => void;
  begin: (what: Doing) => void;
  /** Take back the chosen card, where nothing newer offers it. */
  undo: () => void;
  widen: () => void;
  find: () => void;
  blame: () => void;
  edit: () => void;
  save: () => void;
  leave: () => void;
}

/** The keys of the workspace, as the help lists them. */
export function useBenchKeys({ has, can, ...run }: BenchKeys): void {
  useKeys([
    { keys: "j", label: "Next fix", run: () => run.step(1), isOff: !has.cards },
    { keys: "k", label: "Previous fix", run: () => run.step(-1), isOff: !has.cards },
    { keys: "a", label: "Accept the fix", run: run.accept, isOff: !can.decide },
    { keys: "e", label: "Modify the fix", run: () => run.begin("modify"), isOff: !can.decide },
    { keys: "r", label: "Reject the fix", run: () => run.begin("reject"), isOff: !can.reject },
    {
      keys: "u",
      label: "Undo what was just done, or the fix",
      run: () => {
        if (!undoLast()) run.undo();
      },
    },
    { keys: "d", label: "The whole diff", run: run.widen, isOff: !has.cards },
    { keys: "t", label: "Find a file", run: run.find },
    { keys: "b", label: "Who touched which line", run: run.blame, isOff: !has.file },
    { keys: "i", label: "Edit the file", run: run.edit, isOff: !has.file || has.whyNot !== "" },
    { keys: "mod+s", label: "Save the file", run: run.save, isOff: !has.file },
    { keys: "escape", label: "Leave what was begun", run: run.leave, isOff: !has.begun },
  ]);
}
