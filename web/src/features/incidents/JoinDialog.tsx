import { type FormEvent, useState } from "react";
import { useAct } from "@/api/acting";
import type { Schemas } from "@/api/client";
import { useRead } from "@/api/reading";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { SelectField, TextField } from "@/ui/Field";
import { Shown } from "@/ui/states";
import { useTakeBack } from "./takingBack";

interface JoinProps {
  incident: Schemas["IncidentTold"];
  close: () => void;
}

/** Make one incident out of two: this one goes on with what both know. */
export default function JoinDialog({ incident, close }: JoinProps) {
  const [other, setOther] = useState("");
  const [why, setWhy] = useState("");
  const found = useRead("/api/v1/incidents", { query: { state: ["open", "awaiting"], limit: 50 } });
  const back = useTakeBack().fromCase;
  const join = useAct("post", "/api/v1/incidents/{incident_id}/join", {
    done: `${other} is part of this one now.`,
    ...(back ? { undo: () => back(incident.id) } : {}),
    after: close,
  });
  const send = (event: FormEvent) => {
    event.preventDefault();
    join.mutate({ path: { incident_id: incident.id }, body: { other, why: why.trim() } });
  };
  return (
    <Dialog
      isOpen
      close={close}
      title="Join"
      about="Which incident is part of this one? It points here from then on, and that sticks."
    >
      <Shown of={found} what="The open incidents">
        {({ items }) => (
          <form onSubmit={send} className="flex flex-col gap-3.5">
            <SelectField label="The other incident" value={other} onChange={(event) => setOther(event.target.value)}>
              <option value="">Choose one</option>
              {items
                .filter((one) => one.id !== incident.id)
                .map((one) => (
                  <option key={one.id} value={one.id}>
                    {one.title}
                  </option>
                ))}
            </SelectField>
            <TextField
              label="Why"
              value={why}
              onChange={(event) => setWhy(event.target.value)}
              placeholder="the same failure, seen from another side"
            />
            <div className="flex justify-end gap-2">
              <Button look="quiet" onClick={close}>
                Cancel
              </Button>
              <Button
                type="submit"
                look="primary"
                isBusy={join.isPending}
                whyNot={other ? "" : "Choose the other incident."}
              >
                Join
              </Button>
            </div>
          </form>
        )}
      </Shown>
    </Dialog>
  );
}
