import { type FormEvent, useState } from "react";
import { useAct } from "@/api/acting";
import type { Schemas } from "@/api/client";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { SelectField, TextArea } from "@/ui/Field";
import { useDecision } from "./deciding";
import { useTakeBack } from "./takingBack";

interface ResolveDialogProps {
  incident: Schemas["IncidentTold"];
  answer: Schemas["AnswerTold"] | undefined;
  close: () => void;
}

/** Why it happened and what ended it. What is said here is what the next one who meets it is told. */
export default function ResolveDialog({ incident, answer, close }: ResolveDialogProps) {
  const known = incident.case;
  const [cause, setCause] = useState(known?.cause?.text ?? "");
  const [fix, setFix] = useState(known?.resolution?.text ?? "");
  const [attempt, setAttempt] = useState(known?.resolution?.attempt ?? "");
  const back = useTakeBack().fromCase;
  // Saying what ended an incident says that it is over: what takes that back opens it again.
  const isOpen = incident.state !== "resolved";
  const decide = useDecision(incident.id);
  const undo = isOpen ? () => () => decide("reopen") : back && (() => back(incident.id));
  const resolve = useAct("post", "/api/v1/incidents/{incident_id}/resolution", {
    isQuiet: true,
    done: isOpen ? "It is over." : "What ended it is remembered.",
    ...(undo ? { undo } : {}),
    after: close,
  });
  const best = answer?.diagnosis.familiarity === "seen before" ? answer.diagnosis : null;
  const asBefore = () => {
    setCause(best?.cause?.text ?? cause);
    setFix(best?.fixes?.[0]?.action ?? fix);
  };
  const send = (event: FormEvent) => {
    event.preventDefault();
    resolve.mutate({
      path: { incident_id: incident.id },
      body: { cause: cause.trim(), fix: fix.trim(), attempt, by: "", command: "", diff: "", config: "" },
    });
  };
  const attempts = known?.attempts ?? [];
  return (
    <Dialog isOpen close={close} title="Resolve incident" about="Shown to whoever hits this next.">
      <form onSubmit={send} className="flex flex-col gap-3.5">
        {best && (
          <Button size="small" onClick={asBefore} className="self-start">
            The same as last time
          </Button>
        )}
        <TextArea
          label="Why it happened"
          value={cause}
          onChange={(event) => setCause(event.target.value)}
          maxLength={2000}
          placeholder="workers kept their connections"
        />
        {attempts.length > 0 && (
          <SelectField
            label="Which attempt it was"
            value={attempt}
            onChange={(event) => setAttempt(event.target.value)}
          >
            <option value="">none of them</option>
            {attempts.map((one) => (
              <option key={one.id} value={one.id}>
                {one.id}: {one.action.slice(0, 80)}
              </option>
            ))}
          </SelectField>
        )}
        <TextArea
          label="What ended it"
          value={fix}
          onChange={(event) => setFix(event.target.value)}
          maxLength={2000}
          placeholder="release them in the teardown"
        />
        {resolve.error && (
          <p role="alert" className="text-coral">
            {resolve.error.detail} {resolve.error.remedy}
          </p>
        )}
        <div className="flex justify-end gap-2">
          <Button look="quiet" onClick={close}>
            Cancel
          </Button>
          <Button
            type="submit"
            look="primary"
            isBusy={resolve.isPending}
            whyNot={cause.trim() || fix.trim() ? "" : "Say why it happened or what ended it."}
          >
            Save
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
