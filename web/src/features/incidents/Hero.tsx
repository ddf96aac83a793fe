import { Link } from "@tanstack/react-router";
import { Ban, Check, Crosshair, Fingerprint, GitCompareArrows, History, Quote, Server, Wrench, X } from "lucide-react";
import { type ReactNode, useState } from "react";
import type { Schemas } from "@/api/client";
import { cn } from "@/lib/cn";
import { useNow } from "@/lib/now";
import { longDate, relative, minutes as took } from "@/lib/time";
import { sentence } from "@/lib/words";
import { Button } from "@/ui/Button";
import { ChipButton } from "@/ui/Chip";
import { GUESS, percent, trackRecord } from "@/ui/Confidence";
import { EvidenceLinks } from "@/ui/Evidence";
import { UnderWay } from "@/ui/UnderWay";
import { Means } from "./Means";
import { NowAndThen } from "./NowAndThen";
import { Steps } from "./Steps";

type Answer = Schemas["AnswerTold"];
type Advice = Schemas["Advice"];

const CHIPS_SHOWN = 3;

interface HeroProps {
  incident: Schemas["IncidentTold"];
  answer: Answer;
  then: Schemas["CaseTold"] | null;
  /** Open the evidence at what a chip says. */
  look: (reason: string) => void;
  review: () => void;
  judge: (isRight: boolean) => void;
  /** Says that the change before it was taken back, where there was one. */
  rolledBack: ReactNode;
  judged: "right" | "wrong" | null;
  whyNot: string;
}

/** Whether what comes to mind happened after this incident, which is then what others are reminded of. */
export function isAfter(one: { occurred_at?: string | null } | undefined, incident: { onset_at: string }): boolean {
  return Boolean(one?.occurred_at) && Date.parse(one?.occurred_at ?? "") > Date.parse(incident.onset_at);
}

/** What memory says to this incident: when it was, why it is the same, what ended it, and what not to try. */
export function Hero(props: HeroProps) {
  const { answer, incident, then } = props;
  const { diagnosis } = answer;
  if (diagnosis.familiarity === "not seen before" || !diagnosis.case)
    return <FirstSight incident={incident} answer={answer} rolledBack={props.rolledBack} />;
  // Of one that came later little may be known yet, and what ended this one is told above.
  const isTold = !isAfter(diagnosis, incident) || Boolean(diagnosis.cause) || diagnosis.fixes.length > 0;
  return (
    // Where there is one column, what to do and what not to do come first, and the evidence below them.
    <section aria-labelledby="recall" className="flex flex-col rounded-card border hero">
      <HeroHead answer={answer} incident={incident} />
      <div className="max-narrow:order-2">
        <Beside diagnosis={diagnosis} />
        <Reasons reasons={diagnosis.reasons ?? []} look={props.look} />
        <div className="px-5 pb-2">
          <NowAndThen incident={incident} then={then} />
        </div>
      </div>
      {isTold && (
        <div className="grid grid-cols-3 border-line max-narrow:order-1 max-narrow:grid-cols-1 max-narrow:pt-3 narrow:border-t">
          <Cause answer={answer} then={then} look={props.look} />
          <Fix
            fixes={diagnosis.fixes ?? []}
            incident={diagnosis.case}
            isSeen={diagnosis.familiarity === "seen before"}
          />
          <Avoid avoid={diagnosis.avoid ?? []} />
        </div>
      )}
      <div className="max-narrow:order-1">
        <Steps steps={diagnosis.next_steps ?? []} />
      </div>
      <HeroFoot {...props} />
    </section>
  );
}

/** Whether a record, as in `cases/inc-1@7`, is the one of a case. */
function isOf(record: string | undefined, incident: string | undefined): boolean {
  return Boolean(incident) && record?.split("/").pop()?.split("@")[0] === incident?.split(":").pop();
}

/** What is counted over all incidents of this kind, called a count. */
export function countsOf(diagnosis: Answer["diagnosis"]): string {
  const counts: string[] = [];
  const fix = diagnosis.fixes?.[0];
  const seen = diagnosis.times_seen ?? 0;
  if (seen > 1) counts.push(`${seen} incidents of this kind`);
  if (diagnosis.minutes_median) counts.push(`median ${took(diagnosis.minutes_median)}`);
  if (fix?.held_of) counts.push(`this fix held in ${fix.held} of ${fix.held_of}`);
  const said = counts.join("; ");
  return said && `${said.charAt(0).toUpperCase()}${said.slice(1)}.`;
}

/** The other incidents of the same failure, each as it was. */
function Others({ others }: { others: readonly Schemas["OtherCase"][] }) {
  if (others.length === 0) return null;
  return (
    <ul className="text-small text-fg2">
      {others.slice(0, 3).map((one) => (
        <li key={one.evidence} className="break-words">
          Also: {longDate(one.occurred_at)}, {one.title}
          {one.minutes ? `, ${took(one.minutes)}` : ""}
          {one.fix ? `, ${one.is_same_fix ? "same fix" : "other fix"}` : ""} <EvidenceLinks evidence={[one.evidence]} />
        </li>
      ))}
    </ul>
  );
}

function HeroHead({ answer, incident }: Pick<HeroProps, "answer" | "incident">) {
  const { diagnosis } = answer;
  const now = useNow();
  // "Your team hit this 6 weeks ago: title. Fixed …": the rest is told below, piece by piece.
  const [first = "", ...rest] = (diagnosis.headline ?? "").split(": ");
  const isSeen = diagnosis.familiarity === "seen before";
  const again = isSeen && isAfter(diagnosis, incident) && relative(diagnosis.occurred_at ?? "", now);
  const fix = diagnosis.fixes?.[0];
  // Who fixed it is told of the incident whose fix it is, and of no other.
  const isOwn = fix !== undefined && isOf(fix.evidence[0], diagnosis.case);
  const counts = countsOf(diagnosis);
  return (
    <div className="flex items-start gap-x-3 gap-y-2 px-5 pt-4 max-sm:flex-wrap">
      <span className="flex size-8 shrink-0 items-center justify-center rounded-lg border edge-moon wash-moon">
        <History className="size-4 text-moon" />
      </span>
      <div className="min-w-0 flex-1 max-sm:basis-4/5">
        <h2 id="recall" className="text-recall font-semibold break-words">
          {again ? `It happened again ${again}.` : isSeen ? `${first}.` : `${first}: ${rest.join(": ")}`}
        </h2>
        <p className="text-fg2 break-words">
          <Link
            to="/incidents/$incident"
            params={{ incident: diagnosis.case ?? "" }}
            className="font-mono text-small text-moon hover:underline"
          >
            {diagnosis.case}
          </Link>
          {diagnosis.occurred_at && `, ${longDate(diagnosis.occurred_at)}. `}
          {isOwn && fix?.by?.[0] ? `${fix.by[0]} fixed it. ` : ""}
          {diagnosis.minutes ? `It took ${took(diagnosis.minutes)}. ` : ""}
        </p>
        {counts && <p className="text-small text-fg2">{counts}</p>}
      </div>
      <div className="shrink-0 text-right sm:max-w-56 max-sm:flex max-sm:basis-full max-sm:flex-wrap max-sm:items-baseline max-sm:gap-x-2 max-sm:pl-11 max-sm:text-left">
        <p className="text-recall font-semibold whitespace-nowrap">{percent(diagnosis.confidence)} match</p>
        <p className="text-small text-fg2">
          {diagnosis.confidence < GUESS ? "a guess, " : ""}
          {trackRecord(diagnosis.reliability)}
        </p>
      </div>
    </div>
  );
}

/** What stands beside the answer: other incidents of this failure, what is not as it was, and where it fails now. */
function Beside({ diagnosis }: { diagnosis: Answer["diagnosis"] }) {
  return (
    <div className="pr-5 pl-16 max-sm:pl-5">
      <Others others={diagnosis.others ?? []} />
      {diagnosis.differs?.length ? (
        <p className="text-small break-words text-sand">What differs now: {diagnosis.differs.join(" ")}</p>
      ) : null}
      <UnderWay underWay={diagnosis.under_way} lead="Also happening now" />
    </div>
  );
}

function iconOf(reason: string): ReactNode {
  const style = "size-3.5 shrink-0 text-moon";
  if (/fingerprint|stack/.test(reason)) return <Fingerprint className={style} />;
  if (/service|component/.test(reason)) return <Server className={style} />;
  if (/words|names|exception/.test(reason)) return <Quote className={style} />;
  return <GitCompareArrows className={style} />;
}

/** Why it matches. Each opens what it rests on. */
function Reasons({ reasons, look }: { reasons: readonly string[]; look: (reason: string) => void }) {
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? reasons : reasons.slice(0, CHIPS_SHOWN);
  return (
    <div className="flex flex-wrap items-center gap-1.5 px-5 pt-3 pb-3">
      {shown.map((reason) => {
        const [what = "", ...rest] = reason.split(": ");
        return (
          <ChipButton
            key={reason}
            icon={iconOf(reason)}
            title={reason}
            onClick={() => look(reason)}
            aria-haspopup="dialog"
            className="min-w-0"
          >
            <span className="flex gap-1.5">
              {/* Its name is read whole; of the rest, as much as there is room for. */}
              <span className="shrink-0">{what.charAt(0).toUpperCase() + what.slice(1)}</span>{" "}
              <span className="truncate text-fg2 narrow:max-w-24">{rest.join(": ")}</span>
            </span>
          </ChipButton>
        );
      })}
      {reasons.length > CHIPS_SHOWN && (
        <button
          type="button"
          onClick={() => setWhole(!isWhole)}
          aria-expanded={isWhole}
          className="h-6 shrink-0 rounded px-1.5 text-small whitespace-nowrap text-fg2 hover:text-fg"
        >
          {isWhole ? "fewer" : `+${reasons.length - CHIPS_SHOWN} more`}
        </button>
      )}
    </div>
  );
}

interface PartProps {
  icon: ReactNode;
  title: string;
  tone: string;
  className?: string;
  children: ReactNode;
}

function Part({ icon, title, tone, className, children }: PartProps) {
  return (
    <div className={cn("min-w-0 border-line px-5 py-3.5 max-narrow:border-t narrow:not-first:border-l", className)}>
      <h3 className={cn("flex items-center gap-1.5 pb-1.5 text-small font-medium", tone)}>
        {icon}
        {title}
      </h3>
      <div className="flex flex-col gap-2 break-words">{children}</div>
    </div>
  );
}

function Cause({
  answer,
  then,
  look,
}: {
  answer: Answer;
  then: Schemas["CaseTold"] | null;
  look: (reason: string) => void;
}) {
  const { cause, disputes } = answer.diagnosis;
  const isOwn = isOf(cause?.evidence[0], answer.diagnosis.case);
  const pieces = (isOwn && then?.cause?.evidence.length) || (cause?.evidence.length ?? 0);
  return (
    <Part
      icon={<Crosshair className="size-3.5 text-moon" />}
      title="Cause last time"
      tone="text-fg2"
      className="max-narrow:order-1"
    >
      {cause ? (
        <>
          <p>{cause.text}</p>
          <p className="flex flex-wrap items-center gap-2 text-small">
            {isOwn && then?.cause?.by && <span className="text-fg2">said by {then.cause.by}</span>}
            {!isOwn && <EvidenceLinks evidence={cause.evidence} />}
            <button
              type="button"
              onClick={() => look("cause")}
              className="min-h-6 text-fg2 underline decoration-dotted underline-offset-3 hover:text-fg"
            >
              {pieces} {pieces === 1 ? "piece" : "pieces"} of evidence
            </button>
          </p>
        </>
      ) : (
        <p className="text-fg2">Nobody has said why it happened then.</p>
      )}
      {(disputes ?? []).map((one) => (
        <p key={one.text} className="text-small text-sand">
          {one.text}
        </p>
      ))}
    </Part>
  );
}

/** How often something worked, in words that fit how little there is to go by. */
export function recordOf(one: Advice): string {
  const tried = one.worked + one.no_effect + one.made_worse;
  if (tried === 0) return "not tried yet";
  return `worked ${one.worked} of ${tried} ${tried === 1 ? "time" : "incidents"}`;
}

interface FixProps {
  fixes: readonly Advice[];
  /** The incident that the answer tells. */
  incident: string;
  isSeen: boolean;
}

function Fix({ fixes, incident, isSeen }: FixProps) {
  const [best, ...others] = fixes;
  return (
    <Part
      icon={<Wrench className="size-3.5" />}
      title={best || isSeen ? "The fix that worked" : "No fix to propose"}
      tone="text-sage"
    >
      {best ? (
        <>
          <p>
            {best.action} {!isOf(best.evidence[0], incident) && <EvidenceLinks evidence={best.evidence.slice(0, 1)} />}
          </p>
          <Means fix={best} />
          <p className="text-small text-fg2">{sentence(recordOf(best))}</p>
          {others.map((one) => (
            <p key={one.action} className="text-small text-fg2">
              Also: {one.action} ({recordOf(one)}) <EvidenceLinks evidence={one.evidence.slice(0, 1)} />
            </p>
          ))}
        </>
      ) : (
        <p className="text-fg2">
          {isSeen
            ? "What ended it then is not recorded."
            : "It is too unlikely to be the same failure to propose what ended that one."}
        </p>
      )}
    </Part>
  );
}

/** What made it worse, and apart from that what did not help, each with its incident. */
function Avoid({ avoid }: { avoid: readonly Advice[] }) {
  const harmful = avoid.filter((one) => one.made_worse || one.rejected);
  const useless = avoid.filter((one) => !one.made_worse && !one.rejected);
  return (
    <Part icon={<Ban className="size-3.5" />} title="Don't try" tone="text-coral">
      {harmful.length === 0 && <p className="text-fg2">Nothing is known to have made it worse.</p>}
      {harmful.length > 0 && <h4 className="text-small font-medium text-coral">Made it worse</h4>}
      <Warnings advice={harmful} />
      {useless.length > 0 && <h4 className="text-small font-medium text-fg2">Did not help</h4>}
      <Warnings advice={useless} />
    </Part>
  );
}

function Warnings({ advice }: { advice: readonly Advice[] }) {
  return (
    <>
      {advice.slice(0, 3).map((one) => (
        <p key={one.action}>
          <span className="font-medium">{sentence(one.action)}</span>{" "}
          <span className="text-fg2">{one.happened[0] ?? one.remarks?.[0] ?? cameOf(one)}</span>{" "}
          <EvidenceLinks evidence={one.evidence.slice(0, 1)} />
        </p>
      ))}
      {advice.length > 3 && <p className="text-small text-fg2">and {advice.length - 3} more</p>}
    </>
  );
}

function cameOf(one: Advice): string {
  if (one.made_worse) return "It made it worse.";
  return one.worked ? "It did not last." : "It had no effect.";
}

function HeroFoot({ answer, review, judge, judged, rolledBack, whyNot }: HeroProps) {
  return (
    <div className="flex flex-wrap items-center gap-2 border-t border-line px-5 py-2.5 max-narrow:order-3" data-screen>
      {answer.diagnosis.fixes?.length ? (
        <Button look="primary" keys="enter" onClick={review}>
          Review the fix
        </Button>
      ) : null}
      {rolledBack}
      <div className="ml-auto flex flex-wrap items-center gap-2">
        <span className="text-fg2">{judged ? `You said: ${judged}` : "Is this the same problem?"}</span>
        <Button
          look="quiet"
          keys="y"
          whyNot={whyNot}
          aria-pressed={judged === "right"}
          icon={<Check className="size-3.5" />}
          onClick={() => judge(true)}
        >
          Yes
        </Button>
        <Button
          look="quiet"
          keys="n"
          whyNot={whyNot}
          aria-pressed={judged === "wrong"}
          icon={<X className="size-3.5" />}
          onClick={() => judge(false)}
        >
          No
        </Button>
      </div>
    </div>
  );
}

/** Nothing answers: say so, and show what is nearest with what differs. */
function FirstSight({ incident, answer, rolledBack }: Pick<HeroProps, "incident" | "answer" | "rolledBack">) {
  const { diagnosis } = answer;
  return (
    <section aria-labelledby="recall" className="rounded-card border border-line bg-s1">
      <div className="flex items-start gap-3 px-5 pt-4">
        <span className="flex size-8 shrink-0 items-center justify-center rounded-lg border border-line2">
          <History className="size-4 text-fg3" />
        </span>
        <div className="min-w-0">
          <h2 id="recall" className="text-recall font-semibold">
            Your team has not seen this before.
          </h2>
          <p className="text-fg2">{diagnosis.headline}</p>
          <UnderWay underWay={diagnosis.under_way} lead="Also happening now" />
        </div>
      </div>
      <div className="px-5 pt-3 pb-2">
        <NowAndThen incident={incident} then={null} />
      </div>
      <div className="grid grid-cols-2 border-t border-line max-narrow:grid-cols-1">
        <Part icon={<GitCompareArrows className="size-3.5" />} title="Nearest, and what differs" tone="text-fg2">
          {(diagnosis.nearest ?? []).length === 0 && <p className="text-fg2">Nothing in memory comes near it.</p>}
          {(diagnosis.nearest ?? []).map((one) => (
            <div key={one.address}>
              <p>
                {one.title} <EvidenceLinks evidence={[one.address]} />
              </p>
              <p className="text-small text-fg2">{(one.differs ?? []).join(" ")}</p>
            </div>
          ))}
        </Part>
        <Part icon={<Check className="size-3.5" />} title="Where to begin" tone="text-fg2">
          {(diagnosis.next_steps ?? []).length === 0 && (
            <p className="text-fg2">What you find out is remembered: record what you try.</p>
          )}
          <ul className="flex list-disc flex-col gap-1 pl-4">
            {(diagnosis.next_steps ?? []).slice(0, 5).map((one) => (
              <li key={one.text}>{one.text}</li>
            ))}
          </ul>
        </Part>
      </div>
      {rolledBack && (
        <div className="border-t border-line px-5 py-2.5" data-screen>
          {rolledBack}
        </div>
      )}
    </section>
  );
}
