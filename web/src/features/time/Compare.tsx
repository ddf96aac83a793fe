import { ArrowLeftRight, ArrowRight } from "lucide-react";
import { type FormEvent, useState } from "react";
import { useRead } from "@/api/reading";
import { absolute } from "@/lib/time";
import { Button } from "@/ui/Button";
import { TextField } from "@/ui/Field";
import { Empty, ErrorBox, Shown, Skeletons } from "@/ui/states";
import { Changes } from "./Changes";
import { type Commit, short } from "./history";
import type { TimeMachine } from "./timing";

const SHOWN = 100;
const SHOWN_MAX = 1_000;

interface CompareProps {
  time: TimeMachine;
  commit: Commit;
  open: (address: string) => void;
}

/** What was learned, changed and forgotten between a moment that is held and the one that is chosen. */
export default function Compare({ time, commit, open }: CompareProps) {
  const { pinned, search } = time;
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap items-start gap-3">
        <From key={search.from ?? ""} time={time} />
        <ArrowRight aria-hidden="true" className="mt-7 size-4 text-fg3 max-sm:hidden" />
        <p className="min-w-0 flex-1 basis-56 pt-4.5 max-sm:pt-0">
          <span className="block truncate">{commit.why}</span>
          <span className="block text-small text-fg3">{absolute(commit.at)}</span>
        </p>
        <Button
          keys="w"
          icon={<ArrowLeftRight className="size-3.5" />}
          whyNot={pinned ? "" : "Say from where first."}
          onClick={() => pinned && time.choose(pinned, { from: short(commit.id) })}
          className="mt-[22px] max-sm:mt-0"
        >
          Swap
        </Button>
      </div>
      {!search.from ? (
        <Empty why="Say which moment to compare with: yesterday, 2 days ago, a commit, a snapshot. Shift and a click on the rail does it, too." />
      ) : time.pinnedWrong ? (
        <ErrorBox failure={time.pinnedWrong} what="That moment" still="The rail names the commits there are." />
      ) : pinned === undefined ? (
        <Skeletons rows={5} className="h-9" />
      ) : (
        <Between
          key={`${pinned?.id}-${commit.id}`}
          before={pinned}
          commit={commit}
          branch={time.name}
          open={open}
          word={search.from}
        />
      )}
    </div>
  );
}

function From({ time }: { time: TimeMachine }) {
  const [text, setText] = useState(time.search.from ?? "");
  const go = (event: FormEvent) => {
    event.preventDefault();
    time.say({ from: text.trim() || undefined });
  };
  const { pinned } = time;
  return (
    <form onSubmit={go} className="w-64 max-sm:w-full">
      <TextField
        label="From"
        value={text}
        onChange={(event) => setText(event.target.value)}
        onBlur={() => text.trim() !== (time.search.from ?? "") && time.say({ from: text.trim() || undefined })}
        placeholder="yesterday, a commit, a snapshot"
        hint={pinned ? `${pinned.why.slice(0, 60)} · ${absolute(pinned.at)}` : " "}
      />
    </form>
  );
}

interface BetweenProps {
  before: Commit | null;
  commit: Commit;
  branch: string;
  open: (address: string) => void;
  word: string;
}

function Between({ before, commit, branch, open, word }: BetweenProps) {
  const [shown, setShown] = useState(SHOWN);
  // Before the first commit there is no commit to name, but the word still means a moment.
  const found = useRead(
    "/api/v1/memory/diff",
    { query: { before: before?.id ?? word, after: commit.id, branch, shown } },
    { keepsPrevious: true },
  );
  return (
    <Shown
      of={found}
      what="The difference"
      still="Each commit can still be looked at by itself."
      loading={<Skeletons rows={6} className="h-9" />}
    >
      {(difference) => (
        <Changes
          difference={difference}
          open={open}
          more={shown < SHOWN_MAX ? () => setShown(SHOWN_MAX) : undefined}
          nothing="Both moments show the same. Step the slider to another one."
        />
      )}
    </Shown>
  );
}
