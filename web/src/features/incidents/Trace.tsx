import type { Schemas } from "@/api/client";
import { Card } from "@/ui/Card";
import { CopyButton } from "@/ui/CopyButton";

type Incident = Pick<Schemas["IncidentTold"], "case" | "detection">;

/** The stack trace that leads an incident: of its most frequent failure that has one, or what its case keeps. */
export function leadingTrace({ detection, case: known }: Incident): { text: string; service: string } | null {
  const lines = (detection?.exemplars ?? []).filter((one) => one.stack);
  const often = [...(detection?.fingerprints ?? [])].sort((one, other) => other.count - one.count);
  const first = often.map(({ id }) => lines.find((one) => one.fingerprint === id)).find((one) => one) ?? lines[0];
  if (first) return { text: first.stack, service: first.service };
  const alert = (detection?.alerts ?? []).find((one) => one.stack)?.stack;
  const text = known?.stack || alert || "";
  return text ? { text, service: "" } : null;
}

/** The leading stack trace of this incident, open. */
export function LeadingTrace({ incident }: { incident: Incident }) {
  const trace = leadingTrace(incident);
  if (!trace) return null;
  return (
    <Card head="line" title="Stack trace" bodyClassName="px-4 pt-2 pb-3">
      {trace.service && <code className="text-small text-fg2">{trace.service}</code>}
      <Trace text={trace.text} />
    </Card>
  );
}

export function Trace({ text }: { text: string }) {
  return (
    <div className="relative pt-1">
      <pre
        tabIndex={0}
        className="scroll-thin max-h-72 overflow-auto rounded-lg border border-line bg-bg px-3 py-2 pr-10 text-small leading-[18px] text-fg2"
      >
        {text}
      </pre>
      <CopyButton text={text} what="trace" className="absolute top-2.5 right-2" />
    </div>
  );
}
