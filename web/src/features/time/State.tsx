import { Search } from "lucide-react";
import { useDeferredValue, useEffect, useRef, useState } from "react";
import { useList, useRead } from "@/api/reading";
import { FilterBox } from "@/ui/Field";
import { Empty, ErrorBox, Shown, Skeletons } from "@/ui/states";
import { Tabs } from "@/ui/Tabs";
import { Time } from "@/ui/Time";
import { RecordRow } from "./Changes";
import { leaving } from "./Head";
import type { Commit } from "./history";
import type { TimeMachine } from "./timing";

interface StateProps {
  time: TimeMachine;
  commit: Commit;
  open: (address: string) => void;
  /** Whether to begin typing at once, and whom to tell that it was so. */
  wanted: boolean;
  reached: () => void;
}

/** What memory knew at a moment: by namespace, or by a question that is answered as it would have been then. */
export default function State({ time, commit, open, wanted, reached }: StateProps) {
  const box = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (!wanted) return;
    box.current?.focus();
    reached();
  }, [wanted, reached]);
  const [text, setText] = useState(time.search.text ?? "");
  const sought = useDeferredValue(text.trim());
  const { say } = time;
  const said = time.search.text ?? "";
  // biome-ignore lint/correctness/useExhaustiveDependencies: `say` is made anew each time and always does the same.
  useEffect(() => {
    if (sought !== said) say({ text: sought || undefined });
  }, [sought, said]);
  const then = { at: commit.id, branch: time.name };
  const spaces = useRead("/api/v1/memory/namespaces", { query: { ...then, limit: 200 } }, { keepsPrevious: true });
  const names = spaces.data?.items ?? [];
  const chosen = names.find((one) => one.namespace === time.search.namespace)?.namespace ?? "";
  const total = names.reduce((sum, one) => sum + one.records, 0);
  return (
    <div className="flex flex-col gap-3">
      <FilterBox
        ref={box}
        label="Search as of then: words, an error, a question"
        icon={<Search className="size-3.5" />}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={leaving}
        className="max-w-[520px]"
      />
      <Shown of={spaces} what="What was known then" loading={<Skeletons rows={1} className="h-6" />}>
        {({ items }) =>
          items.length > 0 && (
            <Tabs
              label="Namespace"
              value={chosen || "*"}
              choose={(value) => say({ namespace: value === "*" ? undefined : value })}
              options={[
                { value: "*", label: "Everything", count: total },
                ...items.map((one) => ({ value: one.namespace, label: one.namespace, count: one.records })),
              ]}
            />
          )
        }
      </Shown>
      {sought ? (
        <Hits text={sought} then={then} namespace={chosen} open={open} />
      ) : (
        <Records then={then} namespace={chosen} open={open} />
      )}
    </div>
  );
}

interface ListProps {
  then: { at: string; branch: string };
  namespace: string;
  open: (address: string) => void;
}

function Records({ then, namespace, open }: ListProps) {
  const found = useList(
    "/api/v1/memory/records",
    { query: { ...then, limit: 100, ...(namespace ? { namespace } : {}) } },
    { keepsPrevious: true },
  );
  if (found.error && found.items.length === 0)
    return <ErrorBox failure={found.error} what="The records" retry={() => void found.refetch()} />;
  if (found.isPending) return <Skeletons rows={8} className="h-9" />;
  if (found.items.length === 0) return <Empty why="Nothing was remembered at this moment." />;
  return (
    <>
      <ul aria-label="Records">
        {found.items.map((one) => (
          <RecordRow
            key={one.address}
            record={one}
            open={open}
            aside={
              <span className="shrink-0 text-meta text-fg3">
                learned <Time at={one.learned_at} />
              </span>
            }
          />
        ))}
      </ul>
      {found.hasNextPage && (
        <button
          type="button"
          onClick={found.more}
          className="self-start rounded-[7px] border border-line2 bg-s2 px-2.5 py-1 font-medium hover:bg-s3"
        >
          Show more
        </button>
      )}
    </>
  );
}

function Hits({ text, then, namespace, open }: ListProps & { text: string }) {
  const found = useRead(
    "/api/v1/memory/search",
    { query: { text, ...then, limit: 30, ...(namespace ? { namespace } : {}) } },
    { keepsPrevious: true },
  );
  return (
    <Shown of={found} what="The search" loading={<Skeletons rows={6} className="h-9" />}>
      {({ hits, arms, notes }) => (
        <>
          <p role="status" className="text-small text-fg2">
            {hits.length === 0
              ? "Nothing that was known then answers it."
              : `${hits.length} ${hits.length === 1 ? "record" : "records"} by ${arms.join(" and ")}, as of then.`}
            {notes.map((one) => ` ${one}`)}
          </p>
          <ul aria-label="Found">
            {hits.map((one) => (
              <RecordRow
                key={one.record.address}
                record={one.record}
                open={open}
                aside={
                  <span className="shrink-0 text-meta text-fg3">
                    {Object.entries(one.ranks)
                      .map(([arm, rank]) => `${arm} #${rank.place}`)
                      .join(" · ")}
                  </span>
                }
              />
            ))}
          </ul>
        </>
      )}
    </Shown>
  );
}
