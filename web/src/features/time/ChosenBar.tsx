import { Bookmark, GitBranch, GitCompareArrows, History } from "lucide-react";
import { isElsewhere, usePlace } from "@/lib/place";
import { absolute } from "@/lib/time";
import { Button } from "@/ui/Button";
import { Chip } from "@/ui/Chip";
import { CopyButton } from "@/ui/CopyButton";
import { MAIN } from "./history";
import type { TimeMachine } from "./timing";
import { counted } from "./values";

export type Asked = "branch" | "snapshot" | "";

interface ChosenBarProps {
  time: TimeMachine;
  checkOut: () => void;
  compare: () => void;
  now: () => void;
  ask: (kind: Asked) => void;
  whyNot: string;
}

/** The chosen moment by name, and what can be done with it. */
export function ChosenBar({ time, checkOut, compare, now, ask, whyNot }: ChosenBarProps) {
  const { chosen } = time;
  const isNow = chosen !== undefined && chosen?.id === time.line[0]?.id && time.name === MAIN;
  const names = time.snapshots.filter((one) => one.commit === chosen?.id);
  const place = usePlace();
  const nothing = chosen ? "" : "Choose a commit first.";
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-2 border-t border-line px-4 py-2">
      <div className="min-w-0 flex-1 basis-72">
        {chosen ? (
          <>
            <p className="flex items-center gap-2">
              <strong className="truncate font-semibold">{chosen.why}</strong>
              {isNow && <Chip tone="sage">now</Chip>}
              {names.map((one) => (
                <Chip key={one.name} icon={<Bookmark className="size-2.5" />}>
                  {one.name}
                </Chip>
              ))}
            </p>
            <p className="flex flex-wrap items-center gap-x-1.5 text-small text-fg2">
              <span>{absolute(chosen.at)}</span>· <span>{chosen.actor}</span>·{" "}
              <span>{counted(chosen.changes, "change")}</span>·{" "}
              <span>
                step {chosen.step} on {chosen.branch}
              </span>
              <span className="inline-flex items-center">
                <code className="text-meta text-fg3">{chosen.id.slice(0, 7)}</code>
                <CopyButton text={chosen.id} what="commit id" />
              </span>
            </p>
          </>
        ) : (
          <p className="text-fg2">
            {time.wrong ? time.wrong.detail : chosen === null ? "Before the first commit" : " "}
          </p>
        )}
        {time.isFurther && (
          <p role="status" className="text-small text-fg3">
            It lies further back than the rail shows yet. Scroll the rail to the left for more.
          </p>
        )}
      </div>
      <div className="flex flex-wrap gap-1.5">
        {!isNow && (
          <Button look="quiet" keys="n" onClick={now}>
            Now
          </Button>
        )}
        <Button
          look="primary"
          keys="c"
          icon={<History className="size-3.5" />}
          whyNot={nothing || (isNow && !isElsewhere(place) ? "This is the present already." : "")}
          onClick={checkOut}
        >
          Check out
        </Button>
        <Button
          keys="d"
          icon={<GitCompareArrows className="size-3.5" />}
          whyNot={nothing}
          aria-pressed={time.view === "compare"}
          onClick={compare}
        >
          Compare
        </Button>
        <Button
          keys="b"
          icon={<GitBranch className="size-3.5" />}
          whyNot={nothing || whyNot}
          onClick={() => ask("branch")}
        >
          Branch
        </Button>
        <Button
          keys="s"
          icon={<Bookmark className="size-3.5" />}
          whyNot={nothing || whyNot}
          onClick={() => ask("snapshot")}
        >
          Snapshot
        </Button>
      </div>
    </div>
  );
}
