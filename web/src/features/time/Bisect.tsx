import { CornerDownRight, Crosshair } from "lucide-react";
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from "react";
import type { Schemas } from "@/api/client";
import { useRead } from "@/api/reading";
import { absolute } from "@/lib/time";
import { Button } from "@/ui/Button";
import { TextField } from "@/ui/Field";
import { Empty, Shown, Skeletons } from "@/ui/states";
import { Tabs } from "@/ui/Tabs";
import { RecordRow } from "./Changes";
import { type Commit, short } from "./history";
import type { TimeMachine } from "./timing";
import { type Told, written } from "./values";

type Turn = Schemas["TurnTold"];

interface AnswerProps {
  time: TimeMachine;
  commit: Commit;
  open: (address: string) => void;
}

interface BisectProps extends AnswerProps {
  /** Whether to begin typing at once, and whom to tell that it was so. */
  wanted: boolean;
  reached: () => void;
}

/** When did the answer change, and which commit did it? The moments between two ends are halved until one is left. */
export default function Bisect({ time, commit, open, wanted, reached }: BisectProps) {
  const form = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!wanted) return;
    form.current?.querySelector("input")?.focus();
    reached();
  }, [wanted, reached]);
  const { search } = time;
  const isAsked = Boolean(search.text || search.address);
  return (
    <div ref={form} className="flex flex-col gap-4">
      <Question key={`${search.text}-${search.address}-${search.field}-${search.since}`} time={time} commit={commit} />
      {isAsked ? (
        <Answer time={time} commit={commit} open={open} />
      ) : (
        <Empty why="Ask what memory would have answered, or for a field of a record. The commit that changed the answer is found in a few looks." />
      )}
    </div>
  );
}

function Question({ time, commit }: { time: TimeMachine; commit: Commit }) {
  const { search } = time;
  const [kind, setKind] = useState<"text" | "address">(search.address ? "address" : "text");
  const [text, setText] = useState(search.text ?? "");
  const [address, setAddress] = useState(search.address ?? "");
  const [field, setField] = useState(search.field ?? "");
  const [since, setSince] = useState(search.since ?? "");
  const ask = (event: FormEvent) => {
    event.preventDefault();
    const isText = kind === "text";
    time.say({
      text: isText ? text.trim() || undefined : undefined,
      address: isText ? undefined : address.trim() || undefined,
      field: isText ? undefined : field.trim() || undefined,
      since: since.trim() || undefined,
    });
  };
  return (
    <form onSubmit={ask} className="flex flex-col gap-3">
      <Tabs
        label="What changed"
        value={kind}
        choose={setKind}
        options={[
          { value: "text", label: "What a search finds first" },
          { value: "address", label: "What a record says" },
        ]}
      />
      <div className="flex flex-wrap items-end gap-3">
        {kind === "text" ? (
          <div className="min-w-0 flex-2 basis-56">
            <TextField
              label="Question"
              value={text}
              onChange={(event) => setText(event.target.value)}
              placeholder="redis connection resets"
            />
          </div>
        ) : (
          <>
            <div className="min-w-0 flex-2 basis-48">
              <TextField
                label="Record"
                value={address}
                onChange={(event) => setAddress(event.target.value)}
                placeholder="namespace/path"
                className="font-mono"
              />
            </div>
            <div className="min-w-0 flex-1 basis-20">
              <TextField
                label="Field"
                value={field}
                onChange={(event) => setField(event.target.value)}
                placeholder="all of it"
                className="font-mono"
              />
            </div>
          </>
        )}
        <div className="min-w-0 flex-1 basis-28">
          <TextField
            label="Since"
            value={since}
            onChange={(event) => setSince(event.target.value)}
            placeholder="the beginning"
          />
        </div>
        <Button type="submit" look="primary" icon={<Crosshair className="size-3.5" />} className="mb-0.5">
          Find the commit
        </Button>
      </div>
      <p className="text-small text-fg3">
        Until the chosen moment: {commit.why}, {absolute(commit.at)}.
      </p>
    </form>
  );
}

function Answer({ time, commit, open }: AnswerProps) {
  const { search } = time;
  const found = useRead("/api/v1/memory/bisect", {
    query: {
      branch: time.name,
      until: commit.id,
      ...(search.address
        ? { address: search.address, field: search.field ?? "" }
        : { text: search.text, ...(search.namespace ? { namespace: search.namespace } : {}) }),
      ...(search.since ? { since: search.since } : {}),
    },
  });
  return (
    <Shown
      of={found}
      what="The bisection"
      loading={<Skeletons rows={4} className="h-9" label="Moments are compared" />}
    >
      {(turn) => <Turned turn={turn} time={time} open={open} />}
    </Shown>
  );
}

function Turned({ turn, time, open }: { turn: Turn; time: TimeMachine; open: (address: string) => void }) {
  const looks = `${turn.looks} ${turn.looks === 1 ? "look" : "looks"}`;
  const { turn: commit } = turn;
  if (!commit) {
    return (
      <section aria-label="Found">
        <p role="status">
          The answer is the same at both ends <span className="text-fg3">({looks})</span>. Where it changed and changed
          back in between, choose an earlier moment on the slider, or say since when.
        </p>
        <Side title="It says">
          <Value value={turn.after} open={open} />
        </Side>
      </section>
    );
  }
  return (
    <section aria-label="Found" className="rounded-card border hero">
      <div className="flex flex-wrap items-start gap-3 px-4 pt-3.5 pb-3">
        <div role="status" className="min-w-0 flex-1 basis-72">
          <p className="text-small text-fg2">This commit changed the answer, found in {looks}.</p>
          <p className="text-lead font-semibold break-words">{commit.why}</p>
          <p className="text-small text-fg2">
            <code>{commit.id.slice(0, 7)}</code> by {commit.actor}, {absolute(commit.at)}
          </p>
        </div>
        <Button icon={<CornerDownRight className="size-3.5" />} onClick={() => time.choose(commit, { view: "commit" })}>
          Go to it
        </Button>
        {commit.parent && (
          <Button
            onClick={() => time.choose(commit, { view: "compare", from: short(commit.parent ?? "") })}
            look="quiet"
          >
            Compare with just before
          </Button>
        )}
      </div>
      <div className="grid grid-cols-2 border-t border-line max-sm:grid-cols-1">
        <Side title="Before">
          <Value value={turn.before} open={open} />
        </Side>
        <Side title="After">
          <Value value={turn.after} open={open} />
        </Side>
      </div>
    </section>
  );
}

function Side({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="min-w-0 px-4 py-3 nth-2:border-l nth-2:border-line max-sm:nth-2:border-l-0">
      <h3 className="pb-1 text-small text-fg2">{title}</h3>
      {children}
    </div>
  );
}

function isHits(value: unknown): value is Pick<Told, "address" | "body">[] {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((one) => typeof one === "object" && one !== null && "address" in one && "body" in one)
  );
}

/** A field's value comes with whether the record had it at all. */
function valueIn(answer: unknown): unknown {
  const isWrapped = typeof answer === "object" && answer !== null && "there" in answer && "value" in answer;
  if (!isWrapped) return answer ?? undefined;
  return (answer as { there: boolean }).there ? answer.value : undefined;
}

/** An answer: the records that a search found, or a value. */
function Value({ value: answer, open }: { value: unknown; open: (address: string) => void }) {
  const value = valueIn(answer);
  if (Array.isArray(value) && value.length === 0) return <p className="text-fg2">Nothing was found.</p>;
  if (isHits(value)) {
    return (
      <ul>
        {value.map((one) => {
          const [namespace = "", ...rest] = one.address.split("/");
          const [path = "", entry = ""] = rest.join("/").split("#");
          const record = { ...one, namespace, path, entry, kind: "" } as Told;
          return <RecordRow key={one.address} record={record} open={open} />;
        })}
      </ul>
    );
  }
  return (
    <pre tabIndex={0} className="scroll-thin max-h-60 overflow-auto text-small break-words whitespace-pre-wrap">
      {written(value)}
    </pre>
  );
}
