import { GitMerge } from "lucide-react";
import { useState } from "react";
import { useAct } from "@/api/acting";
import type { Schemas } from "@/api/client";
import { read } from "@/api/reading";
import { useKeys } from "@/lib/keys";
import { usePlace } from "@/lib/place";
import { tell } from "@/lib/toasts";
import { Button } from "@/ui/Button";
import { SelectField } from "@/ui/Field";
import { Empty } from "@/ui/states";
import { Time } from "@/ui/Time";
import { type Choice, ConflictCards } from "./Conflict";
import { type Branch, MAIN } from "./history";
import type { TimeMachine } from "./timing";

type Conflict = Schemas["ConflictTold"];

interface MergeProps {
  time: TimeMachine;
  whyNot: string;
  branch: () => void;
}

/** Join a branch into another. What both changed differently is shown side by side, and somebody chooses. */
export default function Merge({ time, whyNot, branch }: MergeProps) {
  const { branches, search } = time;
  const others = branches.filter((one) => one.name !== MAIN);
  if (others.length === 0) {
    return (
      <Empty why="There is only main. A branch tries something out without touching what everybody sees; then it is merged.">
        <Button onClick={branch} whyNot={whyNot} keys="b">
          Branch from here
        </Button>
      </Empty>
    );
  }
  const written = others.filter((one) => one.head_step > one.fork_step);
  const known = (name: string | undefined) => branches.find((one) => one.name === name);
  const source =
    known(search.source) ??
    known(time.name === MAIN ? undefined : time.name) ??
    written.at(-1) ??
    (others.at(-1) as Branch);
  const into = [known(search.into), known(MAIN), ...branches].find((one) => one && one.name !== source.name) as Branch;
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap items-end gap-3">
        <Side
          label="Take what is on"
          value={source}
          branches={branches}
          choose={(name) => time.say({ source: name })}
        />
        <Side
          label="into"
          value={into}
          branches={branches.filter((one) => one.name !== source.name)}
          choose={(name) => time.say({ into: name })}
        />
      </div>
      <Joining key={`${source.name} ${into.name}`} time={time} source={source} into={into} whyNot={whyNot} />
    </div>
  );
}

function Side({
  label,
  value,
  branches,
  choose,
}: {
  label: string;
  value: Branch;
  branches: readonly Branch[];
  choose: (name: string) => void;
}) {
  return (
    <div className="w-56 max-sm:w-full">
      <SelectField
        label={label}
        value={value.name}
        onChange={(event) => choose(event.target.value)}
        hint={
          <>
            begun <Time at={value.created_at} /> by {value.actor}
          </>
        }
      >
        {branches.map((one) => (
          <option key={one.name} value={one.name}>
            {one.name}
          </option>
        ))}
      </SelectField>
    </div>
  );
}

function isSame(one: Conflict, other: Conflict): boolean {
  return (
    one.address === other.address &&
    one.ours?.version === other.ours?.version &&
    one.theirs?.version === other.theirs?.version
  );
}

interface JoiningProps {
  time: TimeMachine;
  source: Branch;
  into: Branch;
  whyNot: string;
}

function Joining({ time, source, into, whyNot }: JoiningProps) {
  const [conflicts, setConflicts] = useState<readonly Conflict[]>([]);
  const [choices, setChoices] = useState<Readonly<Record<string, Choice>>>({});
  const [current, setCurrent] = useState(0);
  const undo = useAct("post", "/api/v1/memory/revert", {
    done: (made) =>
      made.outcome === "merged"
        ? "The merge is taken back."
        : "It cannot be taken back as a whole: it was built upon since.",
  });
  const takeBack = (commit: string) =>
    undo.mutate({ body: { commit, branch: into.name, policy: "ask", choices: {}, why: "" } });
  const merge = useAct("post", "/api/v1/memory/merge", {
    after: (made) => {
      if (made.outcome === "conflicts") {
        // What was chosen stands where both sides still say what they said.
        const stays = made.conflicts.filter((one) => conflicts.some((other) => isSame(one, other)));
        setChoices((now) =>
          Object.fromEntries(stays.flatMap(({ address }) => (now[address] ? [[address, now[address]]] : []))),
        );
        setConflicts(made.conflicts);
        setCurrent(0);
        return;
      }
      const { commit } = made;
      if (!commit) {
        tell(`${source.name} has nothing that ${into.name} lacks.`);
        return;
      }
      const count = made.taken === 1 ? "1 record" : `${made.taken} records`;
      tell(`Merged: ${count} of ${source.name} went into ${into.name}.`, {
        tone: "good",
        action: { label: "Undo", run: () => takeBack(commit.id) },
      });
      time.say({ line: into.name, on: commit.id.slice(0, 12), view: "commit", source: undefined, into: undefined });
    },
  });
  const place = usePlace();
  const left = conflicts.filter((one) => choices[one.address] === undefined).length;
  const base = { source: source.name, into: into.name, policy: "ask", choices: {}, why: "" } as const;
  // Choices hold for what was seen. The branch may have moved on since, so it is looked at again before they count.
  const settle = async () => {
    const { items } = await read(place, "/api/v1/memory/branches", { query: { limit: 200 } });
    const expected_head = items.find((one) => one.name === into.name)?.head ?? null;
    // Why it failed is told where it is sent.
    const looked = await merge.mutateAsync({ body: { ...base, expected_head } }).catch(() => null);
    if (!looked) return;
    const isSeen = looked.conflicts.every(
      (one) => choices[one.address] && conflicts.some((other) => isSame(one, other)),
    );
    if (looked.outcome === "conflicts" && isSeen) merge.mutate({ body: { ...base, choices, expected_head } });
  };
  const send = () => {
    if (conflicts.length === 0) merge.mutate({ body: base });
    else
      settle().catch((failure) => tell(failure instanceof Error ? failure.message : String(failure), { tone: "bad" }));
  };
  const choose = (address: string, choice: Choice | undefined) =>
    setChoices(({ [address]: _, ...rest }) => (choice === undefined ? rest : { ...rest, [address]: choice }));
  const pick = (choice: Choice) => {
    const one = conflicts[current];
    if (!one) return;
    choose(one.address, choice);
    setCurrent(Math.min(conflicts.length - 1, current + 1));
  };
  const isOff = conflicts.length === 0;
  useKeys([
    { keys: "j", label: "Next conflict", run: () => setCurrent(Math.min(conflicts.length - 1, current + 1)), isOff },
    { keys: "k", label: "Previous conflict", run: () => setCurrent(Math.max(0, current - 1)), isOff },
    { keys: "1", label: `Keep what ${into.name} says`, run: () => pick("ours"), isOff },
    { keys: "2", label: `Take what ${source.name} says`, run: () => pick("theirs"), isOff },
    { keys: "mod+enter", label: "Merge", run: send, isOff: Boolean(whyNot) || left > 0 || merge.isPending },
  ]);
  return (
    <>
      {conflicts.length > 0 && (
        <>
          <p role="status" className="text-fg2">
            Nothing is written yet: {conflicts.length === 1 ? "one record was" : `${conflicts.length} records were`}{" "}
            changed on both sides in ways that cannot both hold.{" "}
            {left > 0 ? `${left} ${left === 1 ? "is" : "are"} still to be chosen.` : "Everything is chosen."}
          </p>
          {conflicts.map((one, place) => (
            <ConflictCards
              key={one.address}
              conflict={one}
              ours={into.name}
              theirs={source.name}
              choice={choices[one.address]}
              isCurrent={place === current}
              choose={(choice) => {
                setCurrent(place);
                choose(one.address, choice);
              }}
            />
          ))}
        </>
      )}
      <Button
        look="primary"
        icon={<GitMerge className="size-3.5" />}
        onClick={send}
        isBusy={merge.isPending}
        keys="mod+enter"
        whyNot={whyNot || (left > 0 ? "Choose for every conflict first." : "")}
        className="self-start"
      >
        {conflicts.length > 0 ? "Merge with these choices" : `Merge ${source.name} into ${into.name}`}
      </Button>
    </>
  );
}
