import { Link } from "@tanstack/react-router";
import { Undo2 } from "lucide-react";
import type { Schemas } from "@/api/client";
import { useRead } from "@/api/reading";
import { Button } from "@/ui/Button";
import { CopyButton } from "@/ui/CopyButton";
import { Dialog } from "@/ui/Dialog";
import { Diff } from "@/ui/Diff";
import { EvidenceLinks } from "@/ui/Evidence";
import { Shown } from "@/ui/states";
import { Time } from "@/ui/Time";
import type { Decide } from "./FixCard";
import type { Go } from "./places";

interface LogSheetProps {
  line: Schemas["LogLine"];
  close: () => void;
  go: Go;
  decide: Decide;
  whyNot: string;
}

/** One decision of the past, whole: what was proposed, why it was decided so, and what came of it. */
export default function LogSheet({ line, close, go, decide, whyNot }: LogSheetProps) {
  const card = useRead("/api/v1/cards/{card_id}", { path: { card_id: line.card } });
  const canUndo = line.state === "accepted" || line.state === "modified" || line.state === "rejected";
  return (
    <Dialog isOpen isSheet close={close} title={line.title}>
      <div className="flex flex-col gap-3">
        <p className="text-fg2">
          {line.state} by {line.by}, <Time at={line.at} />
          {line.reason && <>: “{line.reason}”</>}
        </p>
        <p className="text-fg2">
          {line.outcome ? `What came of it: ${line.outcome}.` : line.waiting || "What came of it is not known."}{" "}
          {line.branch && (
            <>
              On the branch <code>{line.branch}</code>.
            </>
          )}
        </p>
        <p className="flex flex-wrap items-center gap-x-3 text-small">
          <Link
            to="/incidents/$incident"
            params={{ incident: line.incident }}
            className="font-mono text-meta text-moon underline underline-offset-2"
          >
            {line.incident}
          </Link>
          <button
            type="button"
            className="font-mono text-meta text-moon underline underline-offset-2"
            onClick={() => {
              go({ path: line.path, ln: undefined, pane: "code", entry: undefined });
            }}
          >
            {line.path}
          </button>
          <span className="flex items-center text-fg3">
            <code className="text-meta">{line.card}</code>
            <CopyButton text={line.card} what="card id" />
          </span>
        </p>
        <Shown of={card} what="The card">
          {(found) => (
            <>
              <p className="break-words text-fg2">{found.why}</p>
              <Diff text={found.diff} />
              <p className="text-small text-fg3">
                Rests on <EvidenceLinks evidence={found.evidence} />
              </p>
              {canUndo && (
                <p>
                  <Button
                    icon={<Undo2 className="size-3.5" />}
                    whyNot={whyNot}
                    isBusy={decide.isBusy}
                    onClick={() => {
                      decide.undo(found);
                      close();
                    }}
                  >
                    Take it back
                  </Button>
                </p>
              )}
            </>
          )}
        </Shown>
      </div>
    </Dialog>
  );
}
