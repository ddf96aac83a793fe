import type { Schemas } from "@/api/client";
import { clock } from "@/lib/time";
import { Card } from "@/ui/Card";
import { CopyButton } from "@/ui/CopyButton";
import { Trace } from "./Trace";

/** What it looks like in the logs: lines of one origin with how often, and some of them whole. */
export default function Signs({ incident }: { incident: Schemas["IncidentTold"] }) {
  const seen = incident.detection;
  const templates = seen?.templates ?? [];
  const lines = seen?.exemplars ?? [];
  const symptoms = templates.length === 0 ? (incident.case?.symptoms ?? []) : [];
  if (templates.length + lines.length + symptoms.length === 0) return null;
  return (
    <Card head="line" title="Top errors" bodyClassName="flex flex-col gap-3 px-4 py-3">
      <ul className="flex flex-col gap-1.5" aria-label="Kinds of lines">
        {templates.map((one) => (
          <li key={one.id} className="flex items-baseline gap-3">
            <span className="w-12 shrink-0 text-right text-small text-fg2">{one.count.toLocaleString("en")} ×</span>
            <code className="min-w-0 flex-1 text-small break-all">{one.text}</code>
            <code className="max-w-1/3 shrink-0 truncate text-meta text-fg3">{one.service}</code>
          </li>
        ))}
        {symptoms.map((one) => (
          <li key={one}>
            <code className="text-small break-all">{one}</code>
          </li>
        ))}
      </ul>
      {lines.slice(0, 3).map((one) => (
        <Line key={one.at + one.message} line={one} />
      ))}
    </Card>
  );
}

function Line({ line }: { line: Schemas["ExemplarTold"] }) {
  return (
    <div className="border-t border-line pt-2.5">
      <p className="flex items-start gap-2 text-small">
        <span className="shrink-0 text-fg3">{clock(line.at)}</span>
        <code className="min-w-0 flex-1 break-all">{line.message}</code>
        <CopyButton text={line.message} what="line" />
      </p>
      {line.stack && (
        <details className="text-small">
          <summary className="w-max rounded text-fg2 hover:text-fg">Trace</summary>
          <Trace text={line.stack} />
        </details>
      )}
    </div>
  );
}
