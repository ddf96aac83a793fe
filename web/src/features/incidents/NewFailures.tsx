import { Link, useNavigate } from "@tanstack/react-router";
import { useAct } from "@/api/acting";
import type { Schemas } from "@/api/client";
import { useKeys } from "@/lib/keys";
import { clock } from "@/lib/time";
import { Button } from "@/ui/Button";

interface NewFailuresProps {
  incident: Schemas["IncidentTold"];
  whyNot: string;
}

/** What began in the midst of an incident and looks like another failure; one key gives it an incident of its own. */
export function NewFailures({ incident, whyNot }: NewFailuresProps) {
  const navigate = useNavigate();
  const split = useAct("post", "/api/v1/incidents/{incident_id}/split", {
    done: (made) => `${made.id} goes its own way.`,
    after: (made) => void navigate({ to: "/incidents/$incident", params: { incident: made.id } }),
  });
  const found = incident.detection?.new_failures ?? [];
  const isUnderWay = incident.state === "open" || incident.state === "awaiting";
  // The newest is what somebody who has just looked wants to part.
  const newest = isUnderWay ? found.findLast((one) => !one.incident) : undefined;
  const part = (failure: string) => {
    if (whyNot) return;
    split.mutate({
      path: { incident_id: incident.id },
      body: { services: [], failure, from_previous: false, new_id: "", why: "" },
    });
  };
  useKeys([
    {
      keys: "shift+s",
      label: "Split the newest failure off",
      run: () => newest && part(newest.id),
      isOff: !newest || Boolean(whyNot),
    },
  ]);
  if (found.length === 0) return null;
  return (
    <section aria-label="New in this incident" className="rounded-card border border-line bg-s1 px-5 py-3.5">
      <h2 className="pb-1 text-small text-sand">New in this incident</h2>
      <ul className="flex flex-col gap-2">
        {found.map((one) => (
          <li key={one.id} className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <span className="min-w-0 flex-1 basis-72">
              <span className="text-fg2">
                since {clock(one.first_at)} in {one.service}, {one.count.toLocaleString("en")} errors:
              </span>{" "}
              <code className="break-words">{one.sample || one.text}</code>
            </span>
            {one.incident ? (
              <Link to="/incidents/$incident" params={{ incident: one.incident }} className="text-small underline">
                {one.incident}
              </Link>
            ) : (
              isUnderWay && (
                <Button
                  {...(one === newest ? { keys: "shift+s" } : {})}
                  whyNot={whyNot}
                  isBusy={split.isPending}
                  onClick={() => part(one.id)}
                >
                  Split off
                </Button>
              )
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
