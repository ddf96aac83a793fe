import { Check, History, Maximize2, RotateCw, TriangleAlert } from "lucide-react";
import { lazy, Suspense, useEffect, useMemo, useRef, useState } from "react";
import type { Schemas } from "@/api/client";
import { useRead } from "@/api/reading";
import { cn } from "@/lib/cn";
import { Button, IconButton } from "@/ui/Button";
import { Confidence } from "@/ui/Confidence";
import { caseOf, EvidenceLinks } from "@/ui/Evidence";
import { Shown, Skeleton } from "@/ui/states";
import { Words } from "@/ui/Words";
import { Actions, STALE, submitModified } from "./CardActions";
import { type Cut, cut } from "./cutting";
import { type Glance, isApplied } from "./deck";
import { tongueOf } from "./editor/languages";
import { ReadSides } from "./ReadSides";

// A change is read without an editor; one that can be typed into is fetched by whoever modifies.
const TwoSides = lazy(() => import("./TwoSides"));

export type Doing = "" | "modify" | "reject" | "branch";

export interface Decide {
  accept: (card: Glance, branch?: string) => void;
  modify: (card: Glance, text: string) => void;
  reject: (card: Glance, reason: string, isWarning: boolean) => void;
  undo: (card: Glance) => void;
  recheck: (card: Glance) => void;
  isBusy: boolean;
}

export interface FixCardProps {
  card: Glance;
  isChosen: boolean;
  choose: () => void;
  doing: Doing;
  setDoing: (doing: Doing) => void;
  decide: Decide;
  whyNot: string;
  /** Its file has changed since it was made. */
  isStale: boolean;
  widen: () => void;
}

/** A card: what it proposes and why; the chosen one with its diff and what can be done with it. */
export function FixCard(props: FixCardProps) {
  const { card, isChosen, choose } = props;
  const box = useRef<HTMLElement>(null);
  useEffect(() => {
    if (isChosen) box.current?.scrollIntoView({ block: "start" });
  }, [isChosen]);
  return (
    <article
      ref={box}
      aria-label={card.title}
      className={cn(
        // What stands above the first card stays in sight with it.
        "relative scroll-mt-3 rounded-card border bg-s1 first:scroll-mt-[100vh]",
        isChosen ? "border-line2 shadow-(--shadow)" : "border-line hover:border-line2",
      )}
    >
      <Head card={card} isChosen={isChosen} choose={choose} />
      {isChosen && <Body {...props} />}
    </article>
  );
}

function Head({ card, isChosen, choose }: Pick<FixCardProps, "card" | "isChosen" | "choose">) {
  const past = card.evidence.map(caseOf).find((one) => one !== null);
  return (
    <div className="flex gap-3 px-3.5 py-2.5">
      <Level severity={card.severity} />
      <div className="min-w-0 flex-1">
        <div className="flex items-start gap-3">
          <h3 className={cn("min-w-0 flex-1 font-medium", !isChosen && "truncate")}>
            <button
              type="button"
              aria-expanded={isChosen}
              onClick={choose}
              className={cn(
                "max-w-full text-left after:absolute after:inset-0",
                isChosen ? "after:hidden" : "truncate",
              )}
            >
              <Words text={card.title} />
            </button>
          </h3>
          {isApplied(card) ? (
            <span className="flex h-5 items-center gap-1 text-small whitespace-nowrap text-sage">
              <Check aria-hidden="true" className="size-3.5" />
              {card.state === "modified" ? "Accepted, changed" : "Accepted"}
            </span>
          ) : (
            <Confidence value={card.confidence} className="h-5 text-small" />
          )}
        </div>
        <p className="flex min-w-0 items-center gap-x-2.5 text-small whitespace-nowrap text-fg2 max-sm:flex-wrap">
          <span className={LEVELS[card.severity].hue}>{LEVELS[card.severity].word}</span>
          <code className="min-w-0 truncate text-meta text-fg">
            {card.path}:{card.lines.first}
          </code>
          <Counts added={card.added} removed={card.removed} />
          {isChosen ? null : past ? (
            <span className="flex min-w-0 items-center gap-1">
              <History aria-hidden="true" className="size-3 shrink-0 text-moon" />
              <span className="truncate">from {past}</span>
            </span>
          ) : (
            <span>from the {card.source === "model" ? "model" : card.source}</span>
          )}
        </p>
      </div>
    </div>
  );
}

const LEVELS: Record<Schemas["CardSeverity"], { bars: number; word: string; hue: string }> = {
  critical: { bars: 4, word: "Critical", hue: "text-coral" },
  warning: { bars: 3, word: "Warning", hue: "text-sand" },
  hint: { bars: 2, word: "Hint", hue: "text-moon" },
};

function Level({ severity }: { severity: Schemas["CardSeverity"] }) {
  const { bars, hue } = LEVELS[severity];
  return (
    <svg viewBox="0 0 14 12" className={cn("mt-[3px] h-3 w-3.5 shrink-0", hue)} aria-hidden="true">
      {[0, 1, 2, 3].map((place) => (
        <rect
          key={place}
          x={place * 3.6}
          y={9 - place * 3}
          width="2.6"
          height={3 + place * 3}
          rx="0.8"
          className={place < bars ? "fill-current" : "fill-line2"}
        />
      ))}
    </svg>
  );
}

export function Counts({ added, removed }: { added: number; removed: number }) {
  return (
    <span className="font-mono text-meta whitespace-nowrap">
      <span className="text-sage">+{added}</span> <span className="text-coral">−{removed}</span>
    </span>
  );
}

function Body(props: FixCardProps) {
  const { card, doing, decide, whyNot, isStale, widen } = props;
  const whole = useRead("/api/v1/cards/{card_id}", { path: { card_id: card.id } });
  const [before, after] = [whole.data?.before ?? "", whole.data?.after ?? ""];
  const isThere = whole.data !== undefined;
  const part = useMemo(() => (isThere ? cut(before, after) : null), [isThere, before, after]);
  // What was typed is for the change that it began from; of another one it would undo what is new in it.
  const [draft, setDraft] = useState<{ part: Cut | null; text: string } | null>(null);
  const typed = draft && draft.part === part ? draft.text : null;
  const setTyped = (text: string) => setDraft({ part, text });
  // One sentence before the change, as much as one reads at night; how it was worked out stands below it.
  const [first, rest] = sentences(card.why);
  return (
    <>
      <div className="px-3.5 pb-2 pl-[39px]">
        <p className="break-words text-fg2">
          <Words text={first} />
        </p>
        {card.again && (
          <p className="break-words text-sand">
            <Words text={card.again} />
          </p>
        )}
        {card.risk && (
          <p className="flex gap-1.5 break-words text-small text-sand">
            <TriangleAlert aria-hidden="true" className="mt-0.5 size-3 shrink-0" />
            <span>
              <Words text={card.risk} />
            </span>
          </p>
        )}
      </div>
      <div className="flex items-center border-y border-line text-small text-fg2">
        <span className="flex-1 px-3.5 py-1">Before</span>
        <span className="flex flex-1 items-center gap-1.5 border-l border-line py-0.5 pr-1 pl-3.5">
          After {doing === "modify" && <span className="text-sand">editing</span>}
          <IconButton label="The whole file, before and after" size="small" onClick={widen} className="ml-auto">
            <Maximize2 className="size-3.5" />
          </IconButton>
        </span>
      </div>
      <div className="max-h-72 overflow-y-auto bg-bg">
        <Shown of={whole} what="The diff" loading={<Skeleton className="m-3 h-20" />}>
          {() =>
            part && (
              <Sides
                {...{ part, card, typed, setTyped }}
                isEditing={doing === "modify"}
                accept={() => submitModified(props, part, typed)}
                cancel={() => props.setDoing("")}
              />
            )
          }
        </Shown>
      </div>
      <div className="border-t border-line px-3.5 py-2 pl-[39px] text-small text-fg2">
        <p className="break-words">
          <Words text={rest} /> <Words text={card.severity_reason} />
        </p>
        <p className="flex flex-wrap items-center gap-x-2 text-fg3">
          From {card.source === "carried over" ? "" : `a ${card.source}, `}
          <EvidenceLinks evidence={card.evidence} />
          {card.tests.length > 0 && <span className="min-w-0 truncate">· tests in {card.tests.join(", ")}</span>}
          <span className="ml-auto" title="How cards of this kind fared with this team so far">
            {card.record === "too few to say" ? "too few decided to say" : card.record}
          </span>
        </p>
      </div>
      {isStale && (
        <p role="status" className="flex items-center gap-2 border-t border-line px-3.5 py-2 text-small text-sand">
          <TriangleAlert aria-hidden="true" className="size-3.5 shrink-0" />
          <span className="flex-1">The file has changed since this was made.</span>
          <Button
            size="small"
            icon={<RotateCw className="size-3" />}
            whyNot={whyNot}
            isBusy={decide.isBusy}
            onClick={() => decide.recheck(card)}
          >
            Check again
          </Button>
        </p>
      )}
      <Actions {...props} whyNot={whyNot || (isStale ? STALE : "")} part={part} typed={typed} line={whole.data?.line} />
    </>
  );
}

/** The first sentence of a text, and what follows it. */
export function sentences(text: string): readonly [string, string] {
  const end = /[.!?](?=\s+\p{Lu})/u.exec(text)?.index ?? text.length;
  return [text.slice(0, end + 1), text.slice(end + 1).trim()];
}

interface SidesProps {
  part: Cut;
  card: Glance;
  isEditing: boolean;
  typed: string | null;
  setTyped: (text: string) => void;
  accept: () => void;
  cancel: () => void;
}

function Sides({ part, card, isEditing, typed, setTyped, accept, cancel }: SidesProps) {
  const shown = {
    before: part.before,
    after: part.after,
    first: part.first,
    tongue: tongueOf(card.path),
    label: card.path,
  };
  const read = <ReadSides {...shown} />;
  if (!isEditing) return read;
  return (
    <Suspense fallback={read}>
      <TwoSides {...shown} begun={typed} isWrapped isEditing typed={setTyped} accept={accept} cancel={cancel} />
    </Suspense>
  );
}
