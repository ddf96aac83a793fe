import type { Schemas } from "@/api/client";
import { Time } from "@/ui/Time";

/** What is known by now of why it happened and what ended it. */
export function Outcome({ incident }: { incident: Schemas["IncidentTold"] }) {
  const known = incident.case;
  if (!known?.cause && !known?.resolution) return null;
  return (
    <section
      aria-label="What is known"
      className="grid grid-cols-2 rounded-card border border-line bg-s1 max-narrow:grid-cols-1"
    >
      <div className="px-5 py-3.5">
        <h2 className="pb-1 text-small text-fg2">Why it happened</h2>
        <p className="break-words">{known.cause?.text ?? <span className="text-fg2">Nobody has said yet.</span>}</p>
        {known.cause?.by && <p className="text-small text-fg3">{known.cause.by}</p>}
      </div>
      <div className="border-l border-line px-5 py-3.5 max-narrow:border-t max-narrow:border-l-0">
        <h2 className="pb-1 text-small text-sage">What ended it</h2>
        <p className="break-words">
          {known.resolution?.text ?? <span className="text-fg2">Nobody has said yet.</span>}
        </p>
        {known.resolution?.by && (
          <p className="text-small text-fg3">
            {known.resolution.by} {known.resolution.at && <Time at={known.resolution.at} />}
          </p>
        )}
      </div>
    </section>
  );
}
