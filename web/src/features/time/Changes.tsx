import { Minus, Pencil, Plus } from "lucide-react";
import type { ReactNode } from "react";
import type { Schemas } from "@/api/client";
import { cn } from "@/lib/cn";
import { Button } from "@/ui/Button";
import { Empty } from "@/ui/states";
import { type Marked, marked, sides, type Told, titleOf, valueAt } from "./values";

type Difference = Schemas["DifferenceTold"];
type Alteration = Schemas["AlterationTold"];

const FIELDS_MAX = 6;

interface ChangesProps {
  difference: Difference;
  open: (address: string) => void;
  /** Asked for when not everything is shown. */
  more?: (() => void) | undefined;
  /** Said where nothing differs. */
  nothing: ReactNode;
}

/** What was learned, changed and forgotten. */
export function Changes({ difference, open, more, nothing }: ChangesProps) {
  const { learned, changed, forgotten } = difference;
  const total = difference.learned_count + difference.changed_count + difference.forgotten_count;
  if (total === 0) return <Empty why={nothing} />;
  const isAll = learned.length + changed.length + forgotten.length === total;
  return (
    <div className="flex flex-col gap-5">
      <Part name="Learned" count={difference.learned_count} tone="text-sage" icon={<Plus className="size-3.5" />}>
        {learned.map((one) => (
          <RecordRow key={one.address} record={one} open={open} />
        ))}
      </Part>
      <Part name="Changed" count={difference.changed_count} tone="text-sand" icon={<Pencil className="size-3.5" />}>
        {changed.map((one) => (
          <Altered key={one.address} alteration={one} open={open} />
        ))}
      </Part>
      <Part name="Forgotten" count={difference.forgotten_count} tone="text-coral" icon={<Minus className="size-3.5" />}>
        {forgotten.map((one) => (
          <RecordRow key={one.address} record={one} isGone open={open} />
        ))}
      </Part>
      {!isAll && more && (
        <Button className="self-start" onClick={more}>
          Show more of {total.toLocaleString("en")}
        </Button>
      )}
      {!isAll && !more && (
        <p className="text-small text-fg3">Not all of it is shown: compare moments that are closer.</p>
      )}
    </div>
  );
}

function Part({
  name,
  count,
  tone,
  icon,
  children,
}: {
  name: string;
  count: number;
  tone: string;
  icon: ReactNode;
  children: ReactNode;
}) {
  if (count === 0) return null;
  return (
    <section aria-label={name} className="min-w-0">
      <h3 className={cn("flex items-center gap-1.5 pb-1 text-small font-medium", tone)}>
        {icon}
        {name} <span className="font-normal text-fg3">{count.toLocaleString("en")}</span>
      </h3>
      <ul className="flex flex-col">{children}</ul>
    </section>
  );
}

interface RowProps {
  record: Told;
  open: (address: string) => void;
  isGone?: boolean;
  aside?: ReactNode;
}

/** A record in a list: what it is called, and where it is. */
export function RecordRow({ record, open, isGone = false, aside }: RowProps) {
  return (
    <li className="border-b border-line last:border-b-0">
      <button
        type="button"
        onClick={() => open(record.address)}
        className="flex w-full min-w-0 items-baseline gap-3 rounded-[5px] px-1.5 py-1.5 text-left hover:bg-s2"
      >
        <span className="min-w-0 flex-1">
          <span className={cn("block truncate", isGone && "text-fg2 line-through decoration-fg3")}>
            {titleOf(record)}
          </span>
          <span className="block truncate font-mono text-meta text-fg3">{record.address}</span>
        </span>
        {aside ?? <span className="shrink-0 text-meta text-fg3">{record.kind}</span>}
      </button>
    </li>
  );
}

function Altered({ alteration, open }: { alteration: Alteration; open: (address: string) => void }) {
  const { before, after, fields } = alteration;
  return (
    <>
      <RecordRow record={after} open={open} />
      <li className="flex flex-col gap-2 border-b border-line pb-2.5 last:border-b-0">
        {fields.slice(0, FIELDS_MAX).map((field) => (
          <Field key={field} name={field} before={valueAt(before.body, field)} after={valueAt(after.body, field)} />
        ))}
        {fields.length === 0 && (
          <p className="px-1.5 text-small text-fg2">
            {before.kind === after.kind
              ? "What search reads of it changed; its fields did not."
              : `It was a ${before.kind} and is a ${after.kind}.`}
          </p>
        )}
        {fields.length > FIELDS_MAX && (
          <p className="px-1.5 text-small text-fg3">
            and {fields.length - FIELDS_MAX} fields more: open it to see them.
          </p>
        )}
      </li>
    </>
  );
}

/** One field, before and after. Of lists only what came and went; of texts the words that differ are marked. */
export function Field({ name, before, after }: { name: string; before: unknown; after: unknown }) {
  const told = sides(before, after);
  const marks = typeof before === "string" && typeof after === "string" ? marked(told.before, told.after) : null;
  return (
    <div className="min-w-0 px-1.5">
      <p className="pb-0.5 font-mono text-meta text-fg2">
        {name || "all of it"}
        {told.kept > 0 && <span className="font-sans text-fg3"> · {told.kept} more stay</span>}
      </p>
      <div className="grid grid-cols-2 gap-2 max-sm:grid-cols-1">
        <Side label="before" text={told.before} marks={marks?.before} tone="coral" />
        <Side label="after" text={told.after} marks={marks?.after} tone="sage" />
      </div>
    </div>
  );
}

interface SideProps {
  label: string;
  text: string;
  marks?: Marked | undefined;
  tone: "coral" | "sage";
}

function Side({ label, text, marks, tone }: SideProps) {
  return (
    <pre
      tabIndex={0}
      className={cn(
        "scroll-thin max-h-44 min-w-0 overflow-auto rounded-[6px] border-l-3 px-2.5 py-1.5 text-small break-words whitespace-pre-wrap",
        tone === "coral" ? "border-coral wash-coral" : "border-sage wash-sage",
      )}
    >
      <span className="sr-only">{label}: </span>
      {marks ? (
        <>
          {marks.head}
          <mark className={cn("rounded-[3px] text-fg", tone === "coral" ? "bg-coral/25" : "bg-sage/25")}>
            {marks.middle}
          </mark>
          {marks.tail}
        </>
      ) : (
        text
      )}
    </pre>
  );
}
