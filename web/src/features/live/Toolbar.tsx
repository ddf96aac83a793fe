import { History, Pause, Play, Search } from "lucide-react";
import { type RefObject, useEffect, useState } from "react";
import { Button } from "@/ui/Button";
import { FilterBox } from "@/ui/Field";
import { Tabs } from "@/ui/Tabs";
import { type Fold, whyNoWords } from "./rows";

export type LevelChoice = "all" | "info" | "warn" | "error";

interface ToolbarProps {
  text: string;
  level: LevelChoice;
  fold: Fold;
  isPaused: boolean;
  change: (next: { text?: string; level?: LevelChoice; fold?: Fold }) => void;
  toggle: () => void;
  analyse: () => void;
  analyseWhat: string;
  whyNoAnalysis: string;
  box: RefObject<HTMLDivElement | null>;
}

const TYPING_MS = 300;

/** What narrows the stream, stops it, and asks memory about it. */
export function Toolbar(props: ToolbarProps) {
  const { level, fold, isPaused, change, toggle, analyse, analyseWhat, whyNoAnalysis } = props;
  return (
    <div
      ref={props.box}
      className="flex flex-wrap items-center gap-x-3 gap-y-1.5 border-b border-line px-3 py-1.5"
      data-screen
    >
      <Words text={props.text} change={(text) => change({ text })} />
      <Tabs
        label="Level"
        value={level}
        choose={(next) => change({ level: next })}
        options={[
          { value: "all", label: "All" },
          { value: "info", label: "Info" },
          { value: "warn", label: "Warn" },
          { value: "error", label: "Error" },
        ]}
      />
      <select
        aria-label="Group repeats"
        value={fold}
        onChange={(event) => change({ fold: event.target.value as Fold })}
        className="h-6 rounded-[6px] border border-line2 bg-s1 px-1.5 text-small text-fg2 hover:text-fg pointer-coarse:h-9"
      >
        <option value="pattern">Group by pattern</option>
        <option value="same">Group same words</option>
        <option value="none">Every line</option>
      </select>
      <span className="ml-auto flex items-center gap-1.5">
        <Button
          size="small"
          keys="space"
          icon={isPaused ? <Play className="size-3.5" /> : <Pause className="size-3.5" />}
          onClick={toggle}
        >
          {isPaused ? "Resume" : "Pause"}
        </Button>
        <Button
          size="small"
          look="primary"
          keys="a"
          icon={<History className="size-3.5" />}
          whyNot={whyNoAnalysis}
          onClick={analyse}
        >
          <span className="max-w-44 truncate">Analyse{analyseWhat && ` ${analyseWhat}`}</span>
        </Button>
      </span>
    </div>
  );
}

/** Parts of the message or stack that a line has to have; looked for a moment after the last letter. */
function Words({ text, change }: { text: string; change: (text: string) => void }) {
  const [typed, setTyped] = useState(text);
  const problem = whyNoWords(typed);
  // Going back in the browser brings back what was looked for.
  useEffect(() => setTyped(text), [text]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only typing starts the wait.
  useEffect(() => {
    if (typed.trim() === text || problem) return;
    const timer = setTimeout(() => change(typed.trim()), TYPING_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  return (
    <span className="flex min-w-[150px] flex-1 basis-36 flex-col">
      <FilterBox
        label="Search logs"
        icon={<Search className="size-3.5" />}
        value={typed}
        aria-invalid={problem ? true : undefined}
        onChange={(event) => setTyped(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape") event.currentTarget.blur();
        }}
      />
      {problem && (
        <span role="alert" className="pt-0.5 text-meta text-coral">
          {problem}
        </span>
      )}
    </span>
  );
}
