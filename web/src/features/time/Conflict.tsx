import { Check } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import type { Schemas } from "@/api/client";
import { cn } from "@/lib/cn";
import { Button } from "@/ui/Button";
import { TextArea } from "@/ui/Field";
import { Time } from "@/ui/Time";
import { type Told, titleOf, valueAt, written } from "./values";

type Conflict = Schemas["ConflictTold"];
export type Choice = "ours" | "theirs" | { body: unknown };

interface ConflictCardsProps {
  conflict: Conflict;
  /** The names of the branches. */
  ours: string;
  theirs: string;
  choice: Choice | undefined;
  isCurrent: boolean;
  choose: (choice: Choice | undefined) => void;
}

/** One record that both sides changed: two cards, of which one is taken, or neither. */
export function ConflictCards({ conflict, ours, theirs, choice, isCurrent, choose }: ConflictCardsProps) {
  const box = useRef<HTMLElement>(null);
  const [isWriting, setWriting] = useState(false);
  useEffect(() => {
    if (isCurrent) box.current?.scrollIntoView({ block: "nearest" });
  }, [isCurrent]);
  const any = conflict.ours ?? conflict.theirs ?? conflict.base;
  return (
    <section
      ref={box}
      aria-label={`Conflict: ${conflict.address}`}
      className={cn("flex flex-col gap-2 rounded-card border p-3", isCurrent ? "edge-moon" : "border-line")}
    >
      <div className="flex flex-wrap items-baseline gap-x-3">
        <h3 className="font-medium break-words">{any ? titleOf(any) : conflict.address}</h3>
        <code className="text-meta text-fg3">{conflict.address}</code>
      </div>
      <div className="grid grid-cols-2 gap-3 max-sm:grid-cols-1">
        <Side
          name={ours}
          keys="1"
          record={conflict.ours}
          fields={conflict.fields}
          isTaken={choice === "ours"}
          take={() => choose("ours")}
        />
        <Side
          name={theirs}
          keys="2"
          record={conflict.theirs}
          fields={conflict.fields}
          isTaken={choice === "theirs"}
          take={() => choose("theirs")}
        />
      </div>
      <details className="text-small">
        <summary className="text-fg2">What both began with</summary>
        <Fields record={conflict.base} fields={conflict.fields} />
      </details>
      {isWriting ? (
        <Own record={conflict.ours ?? conflict.theirs} choose={choose} />
      ) : (
        <Button size="small" look="quiet" className="self-start" onClick={() => setWriting(true)}>
          Neither: write it myself
        </Button>
      )}
    </section>
  );
}

interface SideProps {
  name: string;
  keys: string;
  record: Told | null | undefined;
  fields: readonly string[];
  isTaken: boolean;
  take: () => void;
}

function Side({ name, keys, record, fields, isTaken, take }: SideProps) {
  return (
    <div
      className={cn(
        "flex min-w-0 flex-col gap-2 rounded-lg border p-3",
        isTaken ? "edge-moon wash-moon" : "border-line2 bg-s2",
      )}
    >
      <p className="flex items-baseline gap-2 text-small text-fg2">
        <code className="font-medium text-fg">{name}</code>
        {record && (
          <span className="min-w-0 truncate">
            {record.actor}, <Time at={record.learned_at} />
          </span>
        )}
      </p>
      <Fields record={record} fields={fields} />
      <Button
        aria-pressed={isTaken}
        keys={keys}
        look={isTaken ? "primary" : "plain"}
        icon={isTaken ? <Check className="size-3.5" /> : undefined}
        onClick={take}
        className="mt-auto self-start"
      >
        {isTaken ? "Taken" : "Take this one"}
        <span className="sr-only"> of {name}</span>
      </Button>
    </div>
  );
}

function Fields({ record, fields }: { record: Told | null | undefined; fields: readonly string[] }) {
  if (record?.state !== "live") return <p className="text-fg2">It has no such record.</p>;
  const named = fields.length > 0 ? fields : [""];
  return (
    <dl className="flex flex-col gap-1.5">
      {named.map((field) => (
        <div key={field} className="min-w-0">
          <dt className="font-mono text-meta text-fg3">{field || "all of it"}</dt>
          <dd tabIndex={0} className="scroll-thin max-h-40 overflow-auto text-small break-words whitespace-pre-wrap">
            {written(valueAt(record.body, field))}
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** A body of one's own, as JSON; it counts as soon as it can be read. */
function Own({ record, choose }: { record: Told | null | undefined; choose: (choice: Choice | undefined) => void }) {
  const [text, setText] = useState(() => JSON.stringify(record?.body ?? {}, null, 2));
  const [problem, setProblem] = useState("");
  const write = (next: string) => {
    setText(next);
    try {
      choose({ body: JSON.parse(next) as unknown });
      setProblem("");
    } catch (error) {
      choose(undefined);
      setProblem(`That is no JSON: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
  return (
    <TextArea
      label="What it shall say (JSON)"
      rows={8}
      value={text}
      problem={problem || undefined}
      hint="It takes the place of both."
      onChange={(event) => write(event.target.value)}
      className="font-mono text-small"
    />
  );
}
