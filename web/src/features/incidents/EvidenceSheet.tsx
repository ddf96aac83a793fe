import type { ReactNode } from "react";
import type { Schemas } from "@/api/client";
import { absolute } from "@/lib/time";
import { CopyButton } from "@/ui/CopyButton";
import { Dialog } from "@/ui/Dialog";
import { EvidenceLinks } from "@/ui/Evidence";

interface EvidenceSheetProps {
  reason: string;
  close: () => void;
  incident: Schemas["IncidentTold"];
  answer: Schemas["AnswerTold"];
  remembered: Schemas["RememberedTold"] | null;
}

function Text({ title, text }: { title: string; text: string }) {
  return (
    <section aria-label={title}>
      <h3 className="flex items-center text-small text-fg2">
        {title} <CopyButton text={text} what={title.toLowerCase()} />
      </h3>
      <pre
        tabIndex={0}
        className="scroll-thin max-h-64 overflow-auto rounded-lg border border-line bg-bg px-3 py-2 text-small leading-[18px]"
      >
        {text}
      </pre>
    </section>
  );
}

function Lines({ title, lines }: { title: string; lines: readonly string[] }) {
  if (lines.length === 0) return null;
  return (
    <section aria-label={title}>
      <h3 className="pb-1 text-small text-fg2">{title}</h3>
      <ul className="flex flex-col gap-1">
        {lines.map((line) => (
          <li key={line} className="font-mono text-small break-all text-fg">
            {line}
          </li>
        ))}
      </ul>
    </section>
  );
}

function shared(now: readonly string[], then: readonly string[]): string[] {
  const known = new Set(then);
  return now.filter((one) => known.has(one));
}

/** What a reason rests on: the same thing now and then, side by side. */
export default function EvidenceSheet({ reason, close, incident, answer, remembered }: EvidenceSheetProps) {
  const isCause = reason === "cause";
  return (
    <Dialog
      isOpen
      isSheet
      close={close}
      title={isCause ? "Why this is thought to be the cause" : reason.charAt(0).toUpperCase() + reason.slice(1)}
      about={remembered ? <>from {remembered.case.title}</> : undefined}
    >
      <div className="flex flex-col gap-4">
        {isCause ? (
          <CauseEvidence answer={answer} remembered={remembered} />
        ) : (
          remembered && <Compared reason={reason} incident={incident} answer={answer} remembered={remembered} />
        )}
      </div>
    </Dialog>
  );
}

function CauseEvidence({ answer, remembered }: Pick<EvidenceSheetProps, "answer" | "remembered">) {
  const cause = remembered?.case.cause;
  return (
    <>
      <p>{answer.diagnosis.cause?.text}</p>
      {(cause?.evidence ?? []).map((one) => (
        <figure key={one.quote} className="border-l-2 border-moon/50 pl-3">
          <blockquote>{one.quote}</blockquote>
          <figcaption className="text-small break-all text-fg3">
            {[one.witness, one.ref, one.at ? absolute(one.at) : ""].filter(Boolean).join(" · ")}
          </figcaption>
        </figure>
      ))}
      <p className="text-small text-fg2">
        It rests on <EvidenceLinks evidence={answer.diagnosis.cause?.evidence ?? []} />
      </p>
    </>
  );
}

interface ComparedProps {
  reason: string;
  incident: Schemas["IncidentTold"];
  answer: Schemas["AnswerTold"];
  remembered: Schemas["RememberedTold"];
}

function Compared({ reason, incident, answer, remembered }: ComparedProps) {
  const clues = answer.recollection?.cue.clues;
  const then = remembered.case;
  const stack = incident.detection?.exemplars.find((one) => one.stack)?.stack;
  const parts: ReactNode[] = [];
  if (/fingerprint|stack|frame/.test(reason)) {
    parts.push(
      <Lines key="frames" title="Functions in both traces" lines={shared(clues?.frames ?? [], then.clues.frames)} />,
    );
    if (stack) parts.push(<Text key="now" title="Trace now" text={stack} />);
    if (then.stack) parts.push(<Text key="then" title="Trace then" text={then.stack} />);
  }
  if (/exception/.test(reason))
    parts.push(
      <Lines
        key="exceptions"
        title="Exceptions in both"
        lines={shared(clues?.exceptions ?? [], then.clues.exceptions)}
      />,
    );
  if (/name/.test(reason))
    parts.push(
      <Lines key="names" title="Names in both" lines={shared(clues?.identifiers ?? [], then.clues.identifiers)} />,
    );
  if (/component/.test(reason))
    parts.push(
      <Lines
        key="components"
        title="Components in both"
        lines={shared(clues?.components ?? [], [...then.clues.components, ...then.components])}
      />,
    );
  if (/service/.test(reason))
    parts.push(<Lines key="services" title="Services in both" lines={shared(incident.services, then.services)} />);
  if (parts.length === 0 || /words|meaning/.test(reason)) {
    parts.push(
      <Lines
        key="logged"
        title="What is logged now"
        lines={(incident.detection?.templates ?? []).map((one) => `${one.count} × ${one.text}`)}
      />,
    );
    parts.push(<Lines key="symptoms" title="What was seen then" lines={then.symptoms} />);
  }
  return (
    <>
      {parts}
      <How remembered={remembered} />
    </>
  );
}

/** By which ways it was found, and what each of them said. */
function How({ remembered }: { remembered: Schemas["RememberedTold"] }) {
  const ranks = Object.entries(remembered.ranks);
  return (
    <section aria-label="How it was found" className="border-t border-line pt-3 text-small text-fg2">
      <h3 className="pb-1">How it was found</h3>
      <ul>
        {ranks.map(([arm, rank]) => (
          <li key={arm}>
            {arm}: place {rank.place}
          </li>
        ))}
      </ul>
      <p>
        It rests on <EvidenceLinks evidence={[remembered.address]} />, version {remembered.version}.
      </p>
    </section>
  );
}
