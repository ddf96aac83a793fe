import { Bookmark, GitMerge, Undo2 } from "lucide-react";
import { cn } from "@/lib/cn";
import { Chip } from "@/ui/Chip";
import { Time } from "@/ui/Time";
import { VirtualList } from "@/ui/VirtualList";
import { hueOf } from "./Drawing";
import { type Commit, lanes } from "./history";
import type { TimeMachine } from "./timing";

const ROW_PX = 46;

/** The commits of the line in words: what the rail shows as dots. */
export default function CommitList({ time }: { time: TimeMachine }) {
  const { line, chosen } = time;
  const shown = lanes(time.commits.items, time.branches, time.name);
  return (
    <VirtualList
      label={`Commits of ${time.name}`}
      items={line}
      keyOf={(one) => one.id}
      rowHeight={ROW_PX}
      chosen={chosen ? line.findIndex((one) => one.id === chosen.id) : -1}
      more={time.commits.more}
      className="flex-1"
      row={(one) => (
        <Row
          commit={one}
          hue={hueOf(shown, one.branch)}
          names={time.snapshots.filter((named) => named.commit === one.id).map((named) => named.name)}
          isChosen={one.id === chosen?.id}
          isPinned={one.id === time.pinned?.id}
          choose={() => time.choose(one)}
        />
      )}
    />
  );
}

interface RowProps {
  commit: Commit;
  hue: string;
  names: readonly string[];
  isChosen: boolean;
  isPinned: boolean;
  choose: () => void;
}

function Row({ commit, hue, names, isChosen, isPinned, choose }: RowProps) {
  return (
    <button
      type="button"
      onClick={choose}
      aria-current={isChosen ? "true" : undefined}
      className={cn(
        "flex h-full w-full min-w-0 items-center gap-2.5 border-b border-l-3 border-b-line pr-3 pl-2.5 text-left outline-offset-[-2px] hover:bg-s2",
        isChosen ? "border-l-moon bg-s2" : "border-l-transparent",
      )}
    >
      <Kind commit={commit} hue={hue} />
      <span className="min-w-0 flex-1">
        <span className="block truncate">{commit.why}</span>
        <span className="flex items-center gap-1.5 truncate text-meta text-fg3">
          <code>{commit.id.slice(0, 7)}</code> {commit.actor}
          {names.map((name) => (
            <Chip key={name} icon={<Bookmark className="size-2.5" />} className="h-4">
              {name}
            </Chip>
          ))}
          {isPinned && (
            <Chip tone="sand" className="h-4">
              from
            </Chip>
          )}
        </span>
      </span>
      <Time at={commit.at} className="shrink-0 text-meta text-fg3" />
    </button>
  );
}

function Kind({ commit, hue }: { commit: Commit; hue: string }) {
  if (commit.action === "merge") return <GitMerge aria-label="merge" className={cn("size-3.5 shrink-0", hue)} />;
  if (commit.action === "revert") return <Undo2 aria-label="taken back" className={cn("size-3.5 shrink-0", hue)} />;
  return <span aria-hidden="true" className={cn("mx-[3px] size-2 shrink-0 rounded-full bg-current", hue)} />;
}
