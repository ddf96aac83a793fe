import { History } from "lucide-react";
import { type FormEvent, type KeyboardEvent, type RefObject, useState } from "react";
import { read } from "@/api/reading";
import { usePlace } from "@/lib/place";
import { date } from "@/lib/time";
import { FilterBox } from "@/ui/Field";
import { short } from "./history";
import type { TimeMachine } from "./timing";
import { counted } from "./values";

/** Escape leaves a box as it is, so that keys are keys again. */
export function leaving(event: KeyboardEvent<HTMLInputElement>): void {
  if (event.key !== "Escape") return;
  event.preventDefault();
  event.currentTarget.blur();
}

/** How much history there is, which line of it is walked, and a box to go anywhere by word. */
export function Head({ time, word }: { time: TimeMachine; word: RefObject<HTMLInputElement | null> }) {
  const place = usePlace();
  const [text, setText] = useState("");
  const [problem, setProblem] = useState("");
  const { items, hasNextPage } = time.commits;
  const go = async (event: FormEvent) => {
    event.preventDefault();
    if (!text.trim()) return;
    try {
      const found = await read(place, "/api/v1/memory/moments/resolve", {
        query: { moment: text.trim(), branch: time.name },
      });
      if (!found.commit) {
        setProblem("Nothing was remembered by then: it is before the first commit.");
        return;
      }
      const isHere = time.branches.length === 0 || found.moment.branch === time.name;
      time.choose(found.commit, isHere ? {} : { line: found.moment.branch });
      setText("");
      word.current?.blur();
    } catch (failure) {
      setProblem(failure instanceof Error ? failure.message : String(failure));
    }
  };
  const oldest = items.at(-1);
  return (
    <div className="flex flex-wrap items-end gap-x-4 gap-y-2">
      <div className="min-w-0 flex-1 basis-64">
        <h1 className="text-title font-semibold">Time machine</h1>
        <p className="text-fg2">
          {/* Steps are numbered over all branches, so the newest says how many there are before all of them are read. */}
          {counted(items[0]?.step ?? 0, "commit")}
          {oldest && !hasNextPage ? ` since ${date(oldest.at)}` : ""} · {counted(time.branches.length, "branch")} ·{" "}
          {counted(time.snapshots.length, "snapshot")}
          {time.unknown && <span className="text-sand"> · There is no branch {time.unknown}: this is main.</span>}
        </p>
      </div>
      <BranchMenu time={time} />
      <form onSubmit={(event) => void go(event)} className="relative w-64 max-sm:w-full">
        <FilterBox
          ref={word}
          label="Go to: yesterday, a time, a commit, a snapshot"
          placeholder="Go to: yesterday, a commit…"
          icon={<History className="size-3.5" />}
          value={text}
          aria-invalid={problem ? true : undefined}
          onKeyDown={leaving}
          onChange={(event) => {
            setText(event.target.value);
            setProblem("");
          }}
        />
        {problem && (
          <p
            role="alert"
            className="absolute top-full right-0 z-10 mt-1 rounded-lg border edge-coral bg-s2 px-2.5 py-1 text-small"
          >
            {problem}
          </p>
        )}
      </form>
    </div>
  );
}

function BranchMenu({ time }: { time: TimeMachine }) {
  if (time.branches.length < 2) return null;
  return (
    <select
      aria-label="Branch"
      value={time.name}
      onChange={(event) => {
        const found = time.branches.find((one) => one.name === event.target.value);
        time.say({ line: event.target.value, on: found?.head ? short(found.head) : undefined });
      }}
      className="h-7 max-w-48 rounded-[7px] border border-line2 bg-s1 px-2 text-small pointer-coarse:h-9"
    >
      {time.branches.map((one) => (
        <option key={one.name} value={one.name}>
          {one.name}
        </option>
      ))}
    </select>
  );
}
