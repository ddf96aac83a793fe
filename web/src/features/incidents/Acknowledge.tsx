import { useAct } from "@/api/acting";
import type { Schemas } from "@/api/client";
import { useSession } from "@/api/session";
import { useKeys } from "@/lib/keys";
import { Button } from "@/ui/Button";
import { Since } from "@/ui/Time";
import { useTakeBack } from "./takingBack";

type Incident = Pick<Schemas["IncidentTold"], "id" | "case" | "state">;

/** Who works on an incident, and for how long. */
export function Owner({ incident }: { incident: Incident }) {
  const owner = incident.case?.acknowledged;
  const isUnderWay = incident.state === "open" || incident.state === "awaiting";
  if (!owner) return isUnderWay ? <span className="text-sand">No owner</span> : null;
  return (
    <span>
      Owner: <span className="font-medium">{owner.by}</span>
      {isUnderWay && (
        <span className="text-fg2">
          , for <Since at={owner.at} />
        </span>
      )}
    </span>
  );
}

/** Take an incident, for everybody to see. */
export function Acknowledge({ incident, whyNot }: { incident: Incident; whyNot: string }) {
  const session = useSession();
  const back = useTakeBack().fromCase;
  const act = useAct("post", "/api/v1/incidents/{incident_id}/acknowledgement", {
    done: (told) => `${told.case?.acknowledged?.by} works on it.`,
    ...(back ? { undo: () => back(incident.id) } : {}),
  });
  const isMine = incident.case?.acknowledged?.by === session.data?.actor;
  const take = () => {
    if (!whyNot && !isMine) act.mutate({ path: { incident_id: incident.id }, body: { by: "" } });
  };
  useKeys([{ keys: "shift+a", label: "Acknowledge: you work on it", run: take, isOff: Boolean(whyNot) || isMine }]);
  if (isMine) return null;
  return (
    <Button keys="shift+a" whyNot={whyNot} isBusy={act.isPending} onClick={take}>
      {incident.case?.acknowledged ? "Take over" : "Acknowledge"}
    </Button>
  );
}
