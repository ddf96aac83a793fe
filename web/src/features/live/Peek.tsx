import { X } from "lucide-react";
import type { ReactNode } from "react";
import type { Schemas } from "@/api/client";
import { absolute, clockOf } from "@/lib/time";
import { Button, IconButton } from "@/ui/Button";
import { Chip } from "@/ui/Chip";
import { CopyButton, Snippet } from "@/ui/CopyButton";
import { Shown, Skeletons } from "@/ui/states";
import { Time } from "@/ui/Time";
import { Context } from "./Context";
import { type Pointed, useWholeLine } from "./pointing";
import { band, type LineRow } from "./rows";

interface PeekProps {
  what: Pointed;
  /** The row it was opened from, where that is still there. */
  row: LineRow | null;
  isContextOpen: boolean;
  openContext: () => void;
}

const TONES = { fatal: "coral", error: "coral", warn: "sand" } as const;

/** One line, whole: its words, its stack, what was sent with it, and what was logged around it. */
export function Peek({ what, row, isContextOpen, openContext }: PeekProps) {
  const whole = useWholeLine(what);
  return (
    <div>
      <div className="px-4 py-3">
        <Shown of={whole} what="The line" still="The stream goes on." loading={<Known row={row} />}>
          {(line) => <Whole line={line} />}
        </Shown>
        {row && row.count > 1 && <Repeats row={row} />}
      </div>
      {isContextOpen ? (
        <Context key={`${what.time} ${what.service}`} what={what} />
      ) : (
        <div className="border-t border-line px-4 py-3">
          <Button size="small" keys="x" onClick={openContext}>
            Lines around it
          </Button>
        </div>
      )}
    </div>
  );
}

/** What the stream told already, while the rest is on its way. */
function Known({ row }: { row: LineRow | null }) {
  if (!row) return <Skeletons rows={4} className="h-5" label="Loading the line" />;
  return <p className="font-mono text-small break-words whitespace-pre-wrap">{row.line.message}</p>;
}

function Whole({ line }: { line: Schemas["LineTold"] }) {
  const level = band(line.level);
  const facts = Object.entries(line.attributes);
  return (
    <div className="flex flex-col gap-3">
      <p className="flex flex-wrap items-center gap-2 text-small text-fg2">
        <Chip tone={level in TONES ? TONES[level as keyof typeof TONES] : "plain"}>{level}</Chip>
        <span className="text-fg">{line.service}</span>
        <span title={absolute(line.time)}>
          {clockOf(line.time)} · <Time at={line.time} />
        </span>
      </p>
      <div className="flex items-start gap-1">
        <p className="min-w-0 flex-1 font-mono text-small break-words whitespace-pre-wrap">{line.message}</p>
        <CopyButton text={line.message} what="message" />
      </div>
      {line.stack && (
        <div>
          <h3 className="pb-1 text-small text-fg2">Trace</h3>
          <Snippet text={line.stack} what="trace" />
        </div>
      )}
      <dl className="grid grid-cols-[fit-content(45%)_minmax(0,1fr)] items-center gap-x-3 text-small">
        {line.trace && (
          <Fact name="trace id">
            <Copied text={line.trace} what="trace id" />
          </Fact>
        )}
        {line.template !== "0" && (
          <Fact name="pattern">
            <Copied text={line.template} what="pattern" />
          </Fact>
        )}
        {line.fingerprint !== "0" && (
          <Fact name="fingerprint">
            <Copied text={line.fingerprint} what="fingerprint" />
          </Fact>
        )}
        {facts.map(([name, value]) => (
          <Fact key={name} name={name}>
            <span className="font-mono text-meta break-words">{value}</span>
          </Fact>
        ))}
      </dl>
    </div>
  );
}

function Copied({ text, what }: { text: string; what: string }) {
  return (
    <span className="flex min-w-0 items-center">
      <code className="truncate text-meta">{text}</code>
      <CopyButton text={text} what={what} />
    </span>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="min-h-6 content-center wrap-anywhere text-fg3">{name}</dt>
      <dd className="min-w-0 content-center">{children}</dd>
    </>
  );
}

function Repeats({ row }: { row: LineRow }) {
  const last = row.examples.slice(-5);
  return (
    <section aria-label="Repeats" className="pt-3">
      <h3 className="text-small text-fg2">
        {row.count.toLocaleString("en")} times since {clockOf(row.since)}; the last {last.length}:
      </h3>
      <ol className="font-mono text-meta text-fg2">
        {last.map((one, place) => (
          <li key={place} className="flex gap-2 py-0.5">
            <span className="shrink-0 text-fg3 tabular-nums">{clockOf(one.time)}</span>
            <span className="min-w-0 break-words">{one.message}</span>
          </li>
        ))}
      </ol>
    </section>
  );
}

/** The head of the right pane. */
export function PeekHead({ title, close, children }: { title: string; close: () => void; children?: ReactNode }) {
  return (
    <div className="flex h-10 shrink-0 items-center gap-2 border-b border-line px-4">
      <h2 className="min-w-0 flex-1 truncate font-semibold">{title}</h2>
      {children}
      <IconButton label="Close" onClick={close}>
        <X className="size-4" />
      </IconButton>
    </div>
  );
}
