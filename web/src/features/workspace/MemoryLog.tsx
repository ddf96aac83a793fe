import { Check, Pencil, Undo2, X } from "lucide-react";
import { lazy, Suspense } from "react";
import type { Schemas } from "@/api/client";
import { useList } from "@/api/reading";
import { cn } from "@/lib/cn";
import { useNow } from "@/lib/now";
import { isElsewhere, usePlace } from "@/lib/place";
import { absolute, relative } from "@/lib/time";
import { Empty, ErrorBox, Skeletons, Stale } from "@/ui/states";
import { Tabs } from "@/ui/Tabs";
import { VirtualList } from "@/ui/VirtualList";
import { Words } from "@/ui/Words";
import { type State, sum } from "./deck";
import type { Decide } from "./FixCard";
import { Counts } from "./FixCard";
import type { Go } from "./places";

type Line = Schemas["LogLine"];
type Which = "all" | "accepted" | "rejected";

// What is opened by hand is fetched then.
const LogSheet = lazy(() => import("./LogSheet"));

const ROW_PX = 28;
// What is only proposed, or has no place any more, nobody has decided.
const STATES: Record<Which, readonly State[]> = {
  all: ["accepted", "modified", "rejected", "undone"],
  accepted: ["accepted", "modified"],
  rejected: ["rejected"],
};

interface MemoryLogProps {
  name: string;
  shown: string | undefined;
  /** Which decision is read whole. */
  entry: string | undefined;
  go: Go;
  decide: Decide;
  whyNot: string;
}

/** What this team decided before: every card, and what came of it. */
export function MemoryLog({ name, shown, entry, go, decide, whyNot }: MemoryLogProps) {
  const place = usePlace();
  const which: Which = shown === "accepted" || shown === "rejected" ? shown : "all";
  const found = useList(
    "/api/v1/memory-log",
    { query: { workspace: name, state: [...STATES[which]], limit: 100 } },
    { keepsPrevious: true },
  );
  const counts = (found.data?.pages[0] as Schemas["LogTold"] | undefined)?.counts;
  const opened = entry ? found.items.find((one) => one.card === entry) : undefined;
  const option = (value: Which, label: string) => ({
    value,
    label,
    ...(counts ? { count: sum(counts, STATES[value]) } : {}),
  });
  return (
    <section aria-label="Memory log" className="flex h-full min-h-0 flex-col">
      <div className="flex h-[38px] shrink-0 items-center gap-2.5 border-b border-line px-4">
        <h2 className="font-semibold whitespace-nowrap">Memory log</h2>
        <span className="min-w-0 flex-1 truncate text-small text-fg2 max-sm:hidden">what this team decided before</span>
        <Tabs
          label="Which decisions"
          value={which}
          choose={(value) => go({ log: value === "all" ? undefined : value })}
          options={[option("all", "All"), option("accepted", "Accepted"), option("rejected", "Rejected")]}
        />
      </div>
      {found.error && found.items.length > 0 && <Stale updatedAt={found.dataUpdatedAt} failure={found.error} />}
      {found.error && found.items.length === 0 ? (
        <div className="p-3">
          <ErrorBox failure={found.error} what="The log" retry={() => void found.refetch()} />
        </div>
      ) : found.isPending ? (
        <div className="px-4">
          <Skeletons rows={4} className="h-5" />
        </div>
      ) : found.items.length === 0 ? (
        <Empty
          className="px-4"
          why={
            isElsewhere(place)
              ? "Nothing of this kind had been decided then."
              : which === "all"
                ? "Nobody has decided about a fix here yet. What you accept or reject above is remembered here."
                : `Nothing was ${which}.`
          }
        />
      ) : (
        <VirtualList
          label="Decisions, the newest first"
          items={found.items}
          keyOf={(one) => one.card}
          rowHeight={ROW_PX}
          more={found.more}
          className="flex-1 py-1"
          row={(one) => <LogRow line={one} open={() => go({ entry: one.card })} />}
        />
      )}
      {opened && (
        <Suspense>
          <LogSheet line={opened} close={() => go({ entry: undefined })} go={go} decide={decide} whyNot={whyNot} />
        </Suspense>
      )}
    </section>
  );
}

const VERDICTS: Record<State, { word: string; hue: string; icon: typeof Check }> = {
  accepted: { word: "Accepted", hue: "text-sage", icon: Check },
  modified: { word: "Accepted with changes", hue: "text-sand", icon: Pencil },
  rejected: { word: "Rejected", hue: "text-coral", icon: X },
  undone: { word: "Taken back", hue: "text-fg3", icon: Undo2 },
  proposed: { word: "Proposed", hue: "text-fg3", icon: Check },
  gone: { word: "Has no place any more", hue: "text-fg3", icon: X },
};

function LogRow({ line, open }: { line: Line; open: () => void }) {
  const now = useNow();
  const { word, hue, icon: Icon } = VERDICTS[line.state];
  return (
    <button
      type="button"
      onClick={open}
      className="flex h-full w-full items-center gap-2.5 px-4 text-left outline-offset-[-2px] hover:bg-s2"
    >
      <Icon aria-hidden="true" className={cn("size-3.5 shrink-0", hue)} />
      <span className="sr-only">{word}: </span>
      <span className="min-w-0 flex-1 truncate">
        <span className={line.state === "rejected" ? "text-fg2" : ""}>
          <Words text={line.title} />
        </span>{" "}
        <span className="text-meta text-fg3">{line.reason || line.path}</span>
      </span>
      <Outcome line={line} />
      <Counts added={line.added} removed={line.removed} />
      <span className="w-14 shrink-0 truncate text-right text-small text-fg2">{line.by}</span>
      <time
        dateTime={line.at}
        title={absolute(line.at)}
        className="w-16 shrink-0 truncate text-right text-small text-fg3"
      >
        {relative(line.at, now).replace(" ago", "")}
      </time>
    </button>
  );
}

export function Outcome({ line }: { line: Line }) {
  if (!line.outcome) return null;
  const hue = line.outcome === "worked" ? "text-sage" : line.outcome === "made worse" ? "text-coral" : "text-fg2";
  return <span className={cn("shrink-0 text-meta", hue)}>{line.outcome}</span>;
}
