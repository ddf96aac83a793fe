import { Check, GitBranch, Pencil, Undo2, X } from "lucide-react";
import { type FormEvent, useState } from "react";
import type { Schemas } from "@/api/client";
import { Button, IconButton } from "@/ui/Button";
import { Time } from "@/ui/Time";
import { type Cut, joined } from "./cutting";
import { isApplied } from "./deck";
import type { FixCardProps } from "./FixCard";

export const STALE = "The file has changed since this was made: check it again first.";

/** What was typed is accepted as somebody's own version; where nothing was, the card as it is. */
export function submitModified({ card, decide, setDoing }: FixCardProps, part: Cut | null, typed: string | null): void {
  if (!part) return;
  if (typed === null || typed === part.after) decide.accept(card);
  else decide.modify(card, joined(part, typed));
  setDoing("");
}

// What can be decided stays in sight, however long the reasons and the diff above it are.
const FOOT =
  "sticky -bottom-3 z-1 flex flex-wrap items-center gap-2 rounded-b-card border-t border-line bg-s1 px-3.5 py-2.5";

interface ActionsProps extends FixCardProps {
  part: Cut | null;
  typed: string | null;
  line: Schemas["LogLine"] | null | undefined;
}

/** What can be done with a card that is looked at. */
export function Actions(props: ActionsProps) {
  const { card, doing, setDoing, decide, whyNot, part, typed, line } = props;
  if (isApplied(card)) return <Applied card={card} line={line} decide={decide} whyNot={whyNot} />;
  if (doing === "reject") return <Rejecting {...props} />;
  if (doing === "branch") return <Branching {...props} />;
  return (
    <div className={FOOT}>
      {doing === "modify" ? (
        <>
          <Button
            look="primary"
            keys="mod+enter"
            whyNot={whyNot}
            isBusy={decide.isBusy}
            onClick={() => submitModified(props, part, typed)}
          >
            Accept my version
          </Button>
          <Button look="quiet" keys="escape" onClick={() => setDoing("")}>
            Cancel
          </Button>
        </>
      ) : (
        <>
          <Button
            look="primary"
            icon={<Check className="size-3.5" />}
            keys="a"
            whyNot={whyNot}
            isBusy={decide.isBusy}
            onClick={() => decide.accept(card)}
          >
            Accept
          </Button>
          <Button icon={<Pencil className="size-3.5" />} keys="e" whyNot={whyNot} onClick={() => setDoing("modify")}>
            Modify
          </Button>
          <Button
            look="quiet"
            icon={<X className="size-3.5" />}
            keys="r"
            whyNot={whyNot === STALE ? "" : whyNot}
            onClick={() => setDoing("reject")}
          >
            Reject
          </Button>
          <IconButton label="Accept on a branch of its own" whyNot={whyNot} onClick={() => setDoing("branch")}>
            <GitBranch className="size-3.5" />
          </IconButton>
        </>
      )}
    </div>
  );
}

function Applied({ card, line, decide, whyNot }: Pick<ActionsProps, "card" | "line" | "decide" | "whyNot">) {
  return (
    <div className={FOOT}>
      <Button
        icon={<Undo2 className="size-3.5" />}
        keys="u"
        whyNot={whyNot}
        isBusy={decide.isBusy}
        onClick={() => decide.undo(card)}
      >
        Undo
      </Button>
      {line && (
        <span className="text-small text-fg2">
          by {line.by}, <Time at={line.at} />
          {line.branch && (
            <>
              {" "}
              on <code>{line.branch}</code>
            </>
          )}
          {line.outcome ? `: ${line.outcome}` : "; what came of it is not known yet"}
          {!line.outcome && line.waiting && <span className="block text-fg3">{line.waiting}</span>}
        </span>
      )}
    </div>
  );
}

function Rejecting({ card, setDoing, decide }: ActionsProps) {
  const [reason, setReason] = useState("");
  const [isWarning, setWarning] = useState<boolean | null>(null);
  const warns = isWarning ?? reason.trim() !== "";
  const submit = (event: FormEvent) => {
    event.preventDefault();
    decide.reject(card, reason.trim(), warns);
    setDoing("");
  };
  return (
    <form onSubmit={submit} className={FOOT}>
      <input
        // biome-ignore lint/a11y/noAutofocus: it was just asked for, by key or by button.
        autoFocus
        aria-label="Why not? One line, or nothing"
        placeholder="Why not? One line, or nothing"
        maxLength={2_000}
        value={reason}
        onChange={(event) => setReason(event.target.value)}
        className="h-7 min-w-40 flex-1 rounded-[7px] border border-line2 bg-bg px-2.5 pointer-coarse:h-9"
      />
      <label className="flex min-h-6 items-center gap-1.5 text-small text-fg2">
        <input
          type="checkbox"
          checked={warns}
          onChange={(event) => setWarning(event.target.checked)}
          className="size-4 accent-(--moon)"
        />
        Tell others: don't try
      </label>
      <Button type="submit" look="primary" isBusy={decide.isBusy}>
        Reject
      </Button>
      <Button look="quiet" keys="escape" onClick={() => setDoing("")}>
        Cancel
      </Button>
    </form>
  );
}

function Branching({ card, setDoing, decide }: ActionsProps) {
  const [branch, setBranch] = useState(`fix/${card.incident}`);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!branch.trim()) return;
    decide.accept(card, branch.trim());
    setDoing("");
  };
  return (
    <form onSubmit={submit} className={FOOT}>
      <input
        // biome-ignore lint/a11y/noAutofocus: it was just asked for.
        autoFocus
        aria-label="Commit it on this branch; the files that are checked out stay as they are"
        title="The files that are checked out stay as they are"
        maxLength={200}
        value={branch}
        onChange={(event) => setBranch(event.target.value)}
        className="h-7 min-w-40 flex-1 rounded-[7px] border border-line2 bg-bg px-2.5 font-mono text-small pointer-coarse:h-9"
      />
      <Button type="submit" look="primary" isBusy={decide.isBusy}>
        Commit there
      </Button>
      <Button look="quiet" keys="escape" onClick={() => setDoing("")}>
        Cancel
      </Button>
    </form>
  );
}
