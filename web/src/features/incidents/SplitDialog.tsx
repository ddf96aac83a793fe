import { useNavigate } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { useAct } from "@/api/acting";
import type { Schemas } from "@/api/client";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { TextField } from "@/ui/Field";
import { useTakeBack } from "./takingBack";

interface SplitProps {
  incident: Schemas["IncidentTold"];
  close: () => void;
}

/** Take services out that have a cause of their own. Detection does not put them back. */
export default function SplitDialog({ incident, close }: SplitProps) {
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const [why, setWhy] = useState("");
  const navigate = useNavigate();
  const go = (id: string) => void navigate({ to: "/incidents/$incident", params: { incident: id } });
  const back = useTakeBack().fromCase;
  // The new one will be gone: its page is left before, so that nobody asks for what is no longer there.
  const undone = (takeBack: () => void) => () => {
    go(incident.id);
    takeBack();
  };
  const split = useAct("post", "/api/v1/incidents/{incident_id}/split", {
    done: (made) => `${made.id} goes its own way.`,
    ...(back ? { undo: () => undone(back(incident.id)) } : {}),
    after: (made) => {
      close();
      go(made.id);
    },
  });
  const send = (event: FormEvent) => {
    event.preventDefault();
    split.mutate({
      path: { incident_id: incident.id },
      body: { services: [...chosen], failure: "", from_previous: false, new_id: "", why: why.trim() },
    });
  };
  const isAll = chosen.length === incident.services.length;
  return (
    <Dialog
      isOpen
      close={close}
      title="Split"
      about="Which services have a cause of their own? They become an incident of their own, and that sticks."
    >
      <form onSubmit={send} className="flex flex-col gap-3.5">
        <fieldset className="flex flex-col gap-1">
          <legend className="pb-1 text-small text-fg2">Services</legend>
          {incident.services.map((service) => (
            <label key={service} className="flex min-h-7 items-center gap-2">
              <input
                type="checkbox"
                className="size-4 accent-moon"
                checked={chosen.includes(service)}
                onChange={(event) =>
                  setChosen(event.target.checked ? [...chosen, service] : chosen.filter((one) => one !== service))
                }
              />
              <code>{service}</code>
            </label>
          ))}
        </fieldset>
        <TextField
          label="Why"
          value={why}
          onChange={(event) => setWhy(event.target.value)}
          placeholder="it failed for another reason"
        />
        <div className="flex justify-end gap-2">
          <Button look="quiet" onClick={close}>
            Cancel
          </Button>
          <Button
            type="submit"
            look="primary"
            isBusy={split.isPending}
            whyNot={chosen.length === 0 ? "Choose at least one service." : isAll ? "One service has to stay." : ""}
          >
            Split
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
