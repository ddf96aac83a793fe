import { useKeys } from "@/lib/keys";
import { usePlace } from "@/lib/place";
import { tell } from "@/lib/toasts";
import { type Commit, dayed, MAIN, short, stepped } from "./history";
import type { TimeMachine } from "./timing";

/** Moving through time, by key and by button. */
export function useWalking(time: TimeMachine) {
  const place = usePlace();
  const { chosen, line, name, branches } = time;
  const go = (next: Commit | undefined) => next && time.choose(next);
  const checkOut = () => {
    if (!chosen) return;
    const isHead = chosen.id === line[0]?.id;
    const there = { at: isHead ? undefined : short(chosen.id), branch: name === MAIN ? undefined : name };
    if (isHead && name === MAIN && !place.at) tell("This is the present: there is nothing to check out.");
    time.say({ ...there, on: short(chosen.id) }, true);
  };
  const compare = () => {
    if (time.view === "compare") {
      time.say({ view: undefined, from: undefined });
      return;
    }
    if (!chosen) return;
    const head = line[0];
    const isHead = chosen.id === head?.id;
    // From the past to now; from now, back a day.
    const back = isHead ? dayed(line, chosen, -1) : chosen;
    time.say({ view: "compare", from: short((back ?? chosen).id), on: head ? short(head.id) : undefined });
  };
  const now = () => time.say({ at: undefined, branch: undefined, on: undefined, line: undefined });
  const next = () => {
    const place = branches.findIndex((one) => one.name === name);
    const other = branches[(place + 1) % branches.length];
    if (other) time.say({ line: other.name, on: other.head ? short(other.head) : undefined });
  };
  const swap = () => chosen && time.pinned && time.choose(time.pinned, { from: short(chosen.id) });
  useKeys([
    { keys: "arrowleft", label: "A commit back", run: () => chosen && go(stepped(line, chosen, -1)) },
    { keys: "arrowright", label: "A commit on", run: () => chosen && go(stepped(line, chosen, 1)) },
    { keys: "shift+arrowleft", label: "A day back", run: () => chosen && go(dayed(line, chosen, -1)) },
    { keys: "shift+arrowright", label: "A day on", run: () => chosen && go(dayed(line, chosen, 1)) },
    { keys: "n", label: "Now", run: now },
    { keys: "c", label: "Check out: everything as of then", run: checkOut },
    { keys: "d", label: "Compare, or stop comparing", run: compare },
    { keys: "w", label: "Swap the two moments", run: swap, isOff: time.view !== "compare" },
    { keys: "m", label: "Merge", run: () => time.say({ view: "merge" }) },
    { keys: "l", label: "Next branch", run: next, isOff: branches.length < 2 },
  ]);
  return { checkOut, compare, now };
}
