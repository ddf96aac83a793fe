import { Link } from "@tanstack/react-router";
import { History } from "lucide-react";
import type { ReactNode } from "react";
import type { Schemas } from "@/api/client";
import { cn } from "@/lib/cn";
import { headlineOf, sentence } from "@/lib/words";
import { Confidence, percent, trackRecord } from "./Confidence";
import { EvidenceLinks } from "./Evidence";
import { Time } from "./Time";
import { UnderWay } from "./UnderWay";

type Diagnosis = Schemas["Diagnosis"];

const AVOID_MAX = 4;

interface RecalledProps {
  diagnosis: Diagnosis;
  /** Beside something else, and not the page's own subject. */
  isSmall?: boolean;
  /** How the change that helped is shown, where there is room for it. */
  change?: (diff: string) => ReactNode;
}

/** What memory says: the incident that comes to mind, why it happened, what ended it, what not to try; else what is near. */
export function Recalled({ diagnosis, isSmall = false, change }: RecalledProps) {
  const isKnown = Boolean(diagnosis.case) && diagnosis.familiarity !== "not seen before";
  const { reasons = [], fixes = [], avoid = [], nearest = [] } = diagnosis;
  const [best] = fixes;
  const Heading = isSmall ? "h3" : "h2";
  const sides = isSmall ? "px-3.5" : "px-5";
  return (
    <section
      aria-label="What memory says"
      className={cn("arriving rounded-card border", isKnown ? "hero" : "border-line bg-s1")}
    >
      <div className={cn("flex items-start gap-2.5 pt-3 pb-2.5", sides)}>
        <History className={cn("mt-0.5 shrink-0", isSmall ? "size-4" : "size-5", isKnown ? "text-moon" : "text-fg3")} />
        <div className="min-w-0 flex-1">
          <Heading className={cn("font-semibold break-words", !isSmall && "text-lead")}>
            {headlineOf(diagnosis)}
          </Heading>
          {isKnown && <Which diagnosis={diagnosis} />}
          <UnderWay underWay={diagnosis.under_way} lead="Happening now" />
        </div>
      </div>
      {!isSmall && reasons.length > 0 && (
        <ul className="flex list-disc flex-col gap-0.5 px-5 pb-3 pl-13 text-small text-fg2">
          {reasons.map((one) => (
            <li key={one}>{one}</li>
          ))}
        </ul>
      )}
      <dl className={cn("flex flex-col border-t border-line py-3", sides, isSmall ? "gap-2.5 text-small" : "gap-3")}>
        {diagnosis.cause && (
          <Part title="Cause last time">
            {diagnosis.cause.text} <EvidenceLinks evidence={diagnosis.cause.evidence} />
          </Part>
        )}
        {best && (
          <Part title="The fix that worked">
            {best.action} <EvidenceLinks evidence={best.evidence.slice(0, 1)} />
            {best.diff && change && <div className="pt-2">{change(best.diff)}</div>}
          </Part>
        )}
        {avoid.length > 0 && (
          <Part title="Don't try">
            <ul>
              {avoid.slice(0, AVOID_MAX).map((one) => (
                <li key={one.action}>
                  {sentence(one.action)} <span className="text-fg2">{one.happened[0] ?? one.remarks?.[0]}</span>{" "}
                  <EvidenceLinks evidence={one.evidence.slice(0, 1)} />
                </li>
              ))}
            </ul>
          </Part>
        )}
        {!isKnown && <Near nearest={isSmall ? nearest.slice(0, 1) : nearest} />}
      </dl>
    </section>
  );
}

function Which({ diagnosis }: { diagnosis: Diagnosis }) {
  return (
    <>
      <p className="pt-0.5 text-small text-fg2">
        <Link
          to="/incidents/$incident"
          params={{ incident: diagnosis.case }}
          className="font-mono break-words text-moon underline decoration-moon/40 underline-offset-2"
        >
          {diagnosis.case}
        </Link>
        {diagnosis.occurred_at && (
          <>
            {", "}
            <Time at={diagnosis.occurred_at} />
          </>
        )}
      </p>
      <p className="flex flex-wrap items-center gap-x-2 pt-0.5 text-small text-fg2">
        <Confidence value={diagnosis.confidence} />
        {trackRecord(diagnosis.reliability)}
      </p>
    </>
  );
}

function Near({ nearest }: { nearest: Diagnosis["nearest"] }) {
  if (nearest.length === 0) return <Part title="Nearest">Nothing in memory comes near it.</Part>;
  return nearest.map((one) => (
    <Part key={one.address} title={`Nearest, ${percent(one.confidence)} likely the same`}>
      {one.title} <EvidenceLinks evidence={[one.address]} />{" "}
      <span className="text-fg2">{(one.differs ?? []).join(" ")}</span>
    </Part>
  ));
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div>
      <dt className="text-small text-fg2">{title}</dt>
      <dd className="break-words">{children}</dd>
    </div>
  );
}
