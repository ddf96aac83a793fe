import { Link } from "@tanstack/react-router";
import { History } from "lucide-react";
import type { Schemas } from "@/api/client";
import { useRead } from "@/api/reading";
import { cn } from "@/lib/cn";
import { percent } from "@/ui/Confidence";
import { Kbd } from "@/ui/Kbd";
import { Severity } from "@/ui/Severity";
import { Skeleton } from "@/ui/states";
import { Since } from "@/ui/Time";

/** One incident under way: what it is, what memory says, and what to do next. */
export function OpenIncident({ incident, place }: { incident: Schemas["IncidentGlance"]; place: number }) {
  // Old cases that nobody ever closed have no briefing; memory is asked when they are opened.
  const recall = useRead(
    "/api/v1/incidents/{incident_id}/recall",
    { path: { incident_id: incident.id } },
    { isOn: incident.familiarity !== null },
  );
  return (
    <li className="relative border-b border-line px-4 py-2.5 last:border-b-0 has-[a:hover]:bg-s2">
      <div className="flex items-center gap-3">
        <Severity value={incident.severity} isShort />
        <Link
          to="/incidents/$incident"
          params={{ incident: incident.id }}
          className={cn(
            "min-w-0 flex-1 truncate font-medium after:absolute after:inset-0",
            incident.severity === "critical" && "text-lead font-semibold",
          )}
        >
          {incident.title}
        </Link>
        <span className="shrink-0 text-small text-fg2">
          {incident.state === "awaiting" ? "recovered, please confirm" : <Since at={incident.onset_at} />}
        </span>
        {place <= 9 && <Kbd keys={String(place)} />}
      </div>
      <div className="flex items-start gap-1.5 pt-1 pl-[26px] text-fg2">
        {incident.familiarity === null ? (
          incident.cause && <p className="text-small">Known so far: {incident.cause}</p>
        ) : recall.data ? (
          <Recalled diagnosis={recall.data.diagnosis} />
        ) : recall.error ? (
          <p className="text-small text-sand">{recall.error.detail}</p>
        ) : (
          <Skeleton className="h-9 w-2/3" />
        )}
      </div>
    </li>
  );
}

function Recalled({ diagnosis }: { diagnosis: Schemas["Diagnosis"] }) {
  const next = nextOf(diagnosis);
  const [first = ""] = diagnosis.headline.split(": ");
  return (
    <>
      <History aria-hidden="true" className="mt-[3px] size-3.5 shrink-0 text-moon" />
      <div className="min-w-0">
        <p className="line-clamp-1">
          {diagnosis.familiarity === "seen before" ? (
            <>
              <span className="text-fg">{first}</span> · {percent(diagnosis.confidence)} match
            </>
          ) : (
            diagnosis.headline
          )}
        </p>
        {next && <p className="line-clamp-2 text-small">Next: {next}</p>}
      </div>
    </>
  );
}

/** The one thing to do: what ended it, or the first step that memory knows. */
export function nextOf(diagnosis: Schemas["Diagnosis"]): string {
  return diagnosis.fixes?.[0]?.action ?? diagnosis.next_steps?.[0]?.text ?? "";
}
