import { Link } from "@tanstack/react-router";
import { Check, CircleDashed, TriangleAlert } from "lucide-react";
import { EvidenceLinks } from "@/ui/Evidence";
import { Recalled } from "@/ui/Recalled";
import { Empty, Shown, Skeletons } from "@/ui/states";
import { type Reasoning, type Step, type Subject, useReasoning, useRecalled, useServiceSubject } from "./subject";

/** What memory says to a service's errors. */
export function ServiceAnalysis({ service }: { service: string }) {
  const subject = useServiceSubject(service);
  return (
    <Shown of={subject} what={`The errors of ${service}`} loading={<Waiting />}>
      {(found) =>
        found.text || found.incident ? (
          <Analysis subject={found} />
        ) : (
          <Empty
            why={`${service} logged no errors in the last 15 minutes, and no incident of it is open.`}
            className="px-4"
          />
        )
      }
    </Shown>
  );
}

function Waiting() {
  return (
    <div className="px-4">
      <Skeletons rows={4} className="h-6" label="Memory is asked" />
    </div>
  );
}

/** The incident that memory knows comes first; how that was found out, and the answer in words, follow as they are made. */
export function Analysis({ subject }: { subject: Subject }) {
  const recalled = useRecalled(subject);
  const reasoning = useReasoning(subject.text, recalled.data !== undefined || recalled.error !== null);
  return (
    <div className="flex flex-col gap-3 px-4 py-3">
      <Shown
        of={recalled}
        what="What memory says"
        still="The stream goes on."
        loading={<Skeletons rows={4} className="h-6" label="Memory is asked" />}
      >
        {({ diagnosis, incident }) => (
          <>
            {incident && <UnderWay incident={incident} />}
            <Recalled diagnosis={diagnosis} isSmall />
          </>
        )}
      </Shown>
      {subject.text && <HowItWasFound reasoning={reasoning} />}
    </div>
  );
}

function UnderWay({ incident }: { incident: string }) {
  return (
    <p className="text-small text-fg2">
      Part of{" "}
      <Link
        to="/incidents/$incident"
        params={{ incident }}
        className="font-mono text-moon underline decoration-moon/40 underline-offset-2"
      >
        {incident}
      </Link>
      , which is not over yet.
    </p>
  );
}

function HowItWasFound({ reasoning }: { reasoning: Reasoning }) {
  const { steps, sentences, done, failure } = reasoning;
  if (steps.length === 0 && sentences.length === 0 && !failure) return null;
  return (
    <section aria-label="Reasoning" aria-busy={done === null && !failure} className="flex flex-col gap-2 text-small">
      <h3 className="text-fg2">Reasoning</h3>
      <ol className="flex flex-col gap-1">
        {steps.map((one, place) => (
          <OneStep key={place} step={one} />
        ))}
      </ol>
      {sentences.map((one, place) => (
        <p
          key={place}
          className={one.is_cited || one.is_aside ? "break-words" : "border-l-2 border-sand/60 pl-2 break-words"}
        >
          {one.text} <EvidenceLinks evidence={one.citations} />{" "}
          {!one.is_cited && !one.is_aside && <span className="text-meta text-sand">no evidence</span>}
        </p>
      ))}
      {failure && <p className="text-sand">{failure} What memory says stands without it.</p>}
      {done && (
        <p className="text-meta text-fg3">
          {done.model
            ? `${done.model}, ${(done.costs.tokens_in + done.costs.tokens_out).toLocaleString("en")} tokens`
            : "Answered by the tools, without a language model."}
        </p>
      )}
    </section>
  );
}

function OneStep({ step }: { step: Step }) {
  return (
    <li className="arriving flex items-start gap-2 text-fg2">
      {step.state === "under way" && (
        <CircleDashed aria-label="under way" className="mt-0.5 size-3.5 shrink-0 text-fg3" />
      )}
      {step.state === "done" && <Check aria-label="done" className="mt-0.5 size-3.5 shrink-0 text-sage" />}
      {step.state === "failed" && <TriangleAlert aria-label="failed" className="mt-0.5 size-3.5 shrink-0 text-sand" />}
      <span className="min-w-0 break-words">
        {step.text} <EvidenceLinks evidence={step.evidence} />
      </span>
    </li>
  );
}
