import { Link } from "@tanstack/react-router";
import { lazy, Suspense, useRef, useState } from "react";
import { useRead } from "@/api/reading";
import { useWhyNot } from "@/api/session";
import { useKeys } from "@/lib/keys";
import { Button } from "@/ui/Button";
import { Page } from "@/ui/Page";
import { Empty, ErrorBox, Shown, Skeleton, Skeletons, Stale } from "@/ui/states";
import { Tabs } from "@/ui/Tabs";
import { Changes } from "./Changes";
import { type Asked, ChosenBar } from "./ChosenBar";
import { Head } from "./Head";
import type { Commit } from "./history";
import { Rail } from "./Rail";
import { type TimeMachine, useTime, type View } from "./timing";
import { useWalking } from "./walking";

// The rail comes first; the list in words and what not everybody opens are fetched after it.
const CommitList = lazy(() => import("./CommitList"));
const Compare = lazy(() => import("./Compare"));
const State = lazy(() => import("./State"));
const Bisect = lazy(() => import("./Bisect"));
const Merge = lazy(() => import("./Merge"));
const NameDialog = lazy(() => import("./NameDialog"));
const RecordSheet = lazy(() => import("./RecordSheet"));

/** The history of memory: choose a moment, see what it knew, compare, find what changed an answer, branch and merge. */
export function TimePage() {
  const time = useTime();
  return (
    <Page title="Time machine" crumbs={[{ label: "Time machine" }]} isFilled>
      <div className="scroll-thin mx-auto flex h-full max-w-[1400px] flex-col gap-3 px-6 pt-4 max-narrow:overflow-y-auto max-narrow:px-4 max-narrow:pb-6">
        {time.failure ? <Failed time={time} /> : !time.isReady ? <Loading /> : <Machine time={time} />}
      </div>
    </Page>
  );
}

function Loading() {
  return (
    <>
      <h1 className="text-title font-semibold">Time machine</h1>
      <Skeleton className="h-32" />
      <div className="grid grid-cols-[320px_minmax(0,1fr)] gap-3 max-narrow:grid-cols-1">
        <Skeletons rows={7} className="h-10" label="History is read" />
        <Skeletons rows={5} className="h-14" label="" />
      </div>
    </>
  );
}

function Failed({ time }: { time: TimeMachine }) {
  return (
    <>
      <h1 className="text-title font-semibold">Time machine</h1>
      {time.failure?.isMissing ? (
        <Empty why="Nothing has been remembered in this project yet, so there is no history to look back at.">
          <Link
            to="/settings/$part"
            params={{ part: "sending" }}
            className="rounded-[7px] bg-moon px-2.5 py-1 font-medium text-ink"
          >
            Connect a log source
          </Link>
        </Empty>
      ) : (
        <ErrorBox failure={time.failure} what="History" retry={() => void time.commits.refetch()} />
      )}
    </>
  );
}

function Machine({ time }: { time: TimeMachine }) {
  const [asked, setAsked] = useState<Asked>("");
  const address = time.search.record ?? "";
  const word = useRef<HTMLInputElement>(null);
  const [wanted, setWanted] = useState<View | "">("");
  const whyNot = useWhyNot("maintain", true);
  const { chosen } = time;
  const ask = (kind: Asked) => !whyNot && chosen && setAsked(kind);
  const walk = useWalking(time);
  // Who comes by key types next.
  const look = (view: View) => {
    time.say({ view });
    setWanted(view);
  };
  useKeys([
    { keys: "t", label: "Go to a time, commit or snapshot", run: () => word.current?.focus() },
    { keys: "/", label: "Search as of then", run: () => look("state") },
    { keys: "f", label: "Find the commit that changed an answer", run: () => look("bisect") },
    { keys: "b", label: "Branch from here", run: () => ask("branch") },
    { keys: "s", label: "Name this moment", run: () => ask("snapshot") },
  ]);
  return (
    <>
      <Head time={time} word={word} />
      {time.commits.error && <Stale updatedAt={time.commits.dataUpdatedAt} failure={time.commits.error} />}
      <section aria-label="History" className="shrink-0 rounded-card border border-line bg-s1">
        <Rail time={time} />
        <ChosenBar time={time} {...walk} ask={ask} whyNot={whyNot} />
      </section>
      <div className="grid min-h-0 flex-1 grid-cols-[320px_minmax(0,1fr)] gap-3 max-narrow:grid-cols-1 max-narrow:flex-none">
        <section
          aria-label="Commits"
          className="flex min-h-0 flex-col overflow-hidden rounded-t-card border border-b-0 border-line bg-s1 max-narrow:h-64 max-narrow:rounded-b-card max-narrow:border-b"
        >
          <Suspense fallback={<Skeletons rows={7} className="mx-3 h-9" />}>
            <CommitList time={time} />
          </Suspense>
        </section>
        <section
          aria-label="What is shown of it"
          className="flex min-h-0 min-w-0 flex-col overflow-hidden rounded-t-card border border-b-0 border-line bg-s1 max-narrow:rounded-b-card max-narrow:border-b"
        >
          <h2 className="sr-only">{chosen?.why ?? "No commit is chosen"}</h2>
          <Views time={time} />
          <div tabIndex={0} data-scroll className="scroll-thin min-h-0 flex-1 overflow-y-auto px-4 py-3.5">
            {chosen ? (
              <Suspense fallback={<Skeletons rows={4} className="h-9" />}>
                <Shows
                  time={time}
                  commit={chosen}
                  open={(record) => time.say({ record })}
                  wanted={wanted === time.view}
                  reached={() => setWanted("")}
                  whyNot={whyNot}
                  branch={() => ask("branch")}
                />
              </Suspense>
            ) : (
              <NotThere time={time} />
            )}
          </div>
        </section>
      </div>
      <Suspense>
        {asked && chosen && <NameDialog time={time} commit={chosen} kind={asked} close={() => setAsked("")} />}
        {address && chosen && (
          <RecordSheet
            address={address}
            commit={chosen}
            branch={time.name}
            close={() => time.say({ record: undefined })}
            bisect={(where) => {
              const fresh = { field: undefined, text: undefined, since: undefined, record: undefined };
              time.say({ view: "bisect", address: where, ...fresh });
            }}
          />
        )}
      </Suspense>
    </>
  );
}

function Views({ time }: { time: TimeMachine }) {
  return (
    <div className="flex min-h-10 items-center border-b border-line px-3 py-1">
      <Tabs<View>
        label="What to show"
        value={time.view}
        choose={(view) => time.say({ view: view === "commit" ? undefined : view })}
        options={[
          { value: "commit", label: "This commit" },
          { value: "state", label: "What was known" },
          { value: "compare", label: "Compare" },
          { value: "bisect", label: "When did it change?" },
          { value: "merge", label: "Merge" },
        ]}
      />
    </div>
  );
}

interface ShowsProps {
  time: TimeMachine;
  commit: Commit;
  open: (address: string) => void;
  /** Whether to begin typing at once, and whom to tell that it was so. */
  wanted: boolean;
  reached: () => void;
  whyNot: string;
  branch: () => void;
}

function Shows({ time, commit, open, wanted, reached, whyNot, branch }: ShowsProps) {
  const typing = { wanted, reached };
  if (time.view === "state") return <State time={time} commit={commit} open={open} {...typing} />;
  if (time.view === "compare") return <Compare time={time} commit={commit} open={open} />;
  if (time.view === "bisect") return <Bisect time={time} commit={commit} open={open} {...typing} />;
  if (time.view === "merge") return <Merge time={time} whyNot={whyNot} branch={branch} />;
  return <OneCommit commit={commit} open={open} />;
}

const SHOWN = 100;
const SHOWN_MAX = 1_000;

function OneCommit({ commit, open }: { commit: Commit; open: (address: string) => void }) {
  const [shown, setShown] = useState(SHOWN);
  const found = useRead(
    "/api/v1/memory/commits/{commit}",
    { path: { commit: commit.id }, query: { shown } },
    { keepsPrevious: true },
  );
  return (
    <Shown
      of={found}
      what="What this commit did"
      still="The rail and the search still work."
      loading={<Skeletons rows={5} className="h-9" />}
    >
      {({ difference }) => (
        <Changes
          difference={difference}
          open={open}
          more={shown < SHOWN_MAX ? () => setShown(SHOWN_MAX) : undefined}
          nothing="It changed nothing that can be read."
        />
      )}
    </Shown>
  );
}

/** No commit is chosen: because none was made by then, or because the word means nothing. */
function NotThere({ time }: { time: TimeMachine }) {
  const first = time.line.at(-1);
  if (time.chosen === undefined && !time.wrong) return <Skeletons rows={5} className="h-9" />;
  if (time.wrong)
    return <ErrorBox failure={time.wrong} what="That moment" still="The rail names the commits there are." />;
  return (
    <Empty why="Nothing was remembered by then.">
      {first && (
        <Button onClick={() => time.choose(first)}>
          Go to the first commit{time.commits.hasNextPage ? " that is loaded" : ""}
        </Button>
      )}
    </Empty>
  );
}
