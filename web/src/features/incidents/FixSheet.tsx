import { Link } from "@tanstack/react-router";
import type { Schemas } from "@/api/client";
import { useRead } from "@/api/reading";
import { usePlace } from "@/lib/place";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { EvidenceLinks } from "@/ui/Evidence";
import { Time } from "@/ui/Time";
import { recordOf } from "./Hero";
import { Means } from "./Means";

interface FixSheetProps {
  incident: string;
  fixes: readonly Schemas["Advice"][];
  close: () => void;
  /** Say that it was done now. */
  record: (fix: Schemas["Advice"]) => void;
  whyNot: string;
}

/** Previous fixes, whole: the diff, the settings, the command, and what came of it each time. */
export default function FixSheet({ incident, fixes, close, record, whyNot }: FixSheetProps) {
  return (
    <Dialog
      isOpen
      isSheet
      close={close}
      title="Previous fixes"
      about="The best first. Nothing that ever made it worse is here."
    >
      <div className="flex flex-col gap-6">
        <InCode incident={incident} />
        {fixes.map((fix) => (
          <section key={fix.action} aria-label={fix.action} className="flex flex-col gap-2.5">
            <h3 className="text-lead font-medium">{fix.action}</h3>
            <p className="text-small text-fg2">
              {fix.by?.length ? `By ${fix.by.join(", ")} ` : ""}
              {fix.last_at && <Time at={fix.last_at} />} <EvidenceLinks evidence={fix.evidence.slice(0, 1)} />
            </p>
            <p className="text-small text-fg2">
              {fix.evidence.length > 1 ? `In ${fix.evidence.length} incidents: ` : ""}
              {recordOf(fix)}
              {fix.held_of ? `; held ${fix.held} of ${fix.held_of}` : ""}{" "}
              {fix.evidence.length > 1 && <EvidenceLinks evidence={fix.evidence} />}
            </p>
            <Means fix={fix} />
            {fix.happened.length > 0 && (
              <ul className="flex flex-col gap-1 border-l-2 border-sage/50 pl-3 text-fg2">
                {fix.happened.map((one) => (
                  <li key={one}>{one}</li>
                ))}
              </ul>
            )}
            <p className="flex flex-wrap items-center gap-3 text-small text-fg2">
              <Button look="primary" whyNot={whyNot} onClick={() => record(fix)}>
                Mark as applied
              </Button>
            </p>
          </section>
        ))}
      </div>
    </Dialog>
  );
}

/** The same as changes of today's code. Without code, or in the past, there is nothing to change, and nothing is said. */
function InCode({ incident }: { incident: string }) {
  const place = usePlace();
  const workspaces = useRead("/api/v1/workspaces", {}, { isOn: !place.at });
  // Of several workspaces the first is as good as any to begin with; its page has the others.
  const workspace = workspaces.data?.items[0]?.name;
  const { data } = useRead(
    "/api/v1/incidents/{incident_id}/cards",
    { path: { incident_id: incident }, query: { workspace } },
    { isOn: workspace !== undefined },
  );
  if (!data || data.cards.length === 0) return null;
  return (
    <section aria-label="In today's code" className="flex flex-col gap-2 rounded-card border border-line p-3">
      <h3 className="text-lead font-medium">In today's code</h3>
      <ul className="flex flex-col gap-2">
        {data.cards.map((card) => (
          <li key={card.id} className="flex flex-col">
            <Link
              to="/workspace"
              search={{ name: data.workspace, incident, card: card.id }}
              className="text-moon hover:underline"
            >
              {card.title}
            </Link>
            <span className="text-small text-fg2">
              <span className="font-mono">
                {card.path}:{card.lines.first}
              </span>
              {card.state === "proposed" ? "" : ` · ${card.state}`}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
