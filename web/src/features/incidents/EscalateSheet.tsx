import { type FormEvent, useState } from "react";
import { useAct } from "@/api/acting";
import type { Schemas } from "@/api/client";
import { useRead } from "@/api/reading";
import { useSpace } from "@/api/session";
import { addressOf, usePlace } from "@/lib/place";
import { Button } from "@/ui/Button";
import { Snippet } from "@/ui/CopyButton";
import { Dialog } from "@/ui/Dialog";
import { TextArea, TextField } from "@/ui/Field";
import { escalation, handover, knowersOf } from "./handover";
import { useTakeBack } from "./takingBack";

interface EscalateSheetProps {
  incident: Schemas["IncidentTold"];
  answer: Schemas["AnswerTold"] | undefined;
  close: () => void;
  whyNot: string;
}

/** Handing over: whom to ask, what they have to know, and that it was done. Nobody is called from here, and it says so. */
export default function EscalateSheet({ incident, answer, close, whyNot }: EscalateSheetProps) {
  const [who, setWho] = useState("");
  const [asked, setAsked] = useState("");
  const space = useSpace();
  const knowers = knowersOf(answer, useOwned(incident.id));
  const back = useTakeBack().fromCase;
  const record = useAct("post", "/api/v1/incidents/{incident_id}/notes", {
    isQuiet: true,
    done: `It is kept with the incident that ${who.trim()} was asked.`,
    ...(back ? { undo: () => back(incident.id) } : {}),
    after: close,
  });
  const link = new URL(addressOf(space));
  for (const name of ["show", "evidence", "timeline"]) link.searchParams.delete(name);
  const send = (event: FormEvent) => {
    event.preventDefault();
    if (who.trim() && !whyNot)
      record.mutate({ path: { incident_id: incident.id }, body: { text: escalation(who, asked), by: "" } });
  };
  return (
    <Dialog
      isOpen
      isSheet
      close={close}
      title="Escalate"
      about="Hindcast does not page people. Copy what is known, send it where your team talks, and say whom you asked."
    >
      <form onSubmit={send} className="flex flex-col gap-4">
        <section aria-label="Who knows this" className="flex flex-col gap-1.5">
          <h3 className="text-small font-medium text-fg2">Who knows this</h3>
          {knowers.length === 0 && (
            <p className="text-fg2">Memory knows nobody who has dealt with this, and no file of it has an owner.</p>
          )}
          <ul className="flex flex-col">
            {knowers.slice(0, 6).map((one) => (
              <li key={one.name}>
                <button
                  type="button"
                  aria-pressed={who === one.name}
                  onClick={() => setWho(one.name)}
                  className="flex min-h-9 w-full items-baseline gap-2.5 rounded-[7px] px-2.5 py-1.5 text-left hover:bg-s2 aria-pressed:bg-s3"
                >
                  <span className="shrink-0 font-medium">{one.name}</span>
                  <span className="min-w-0 flex-1 text-small break-words text-fg2">{one.why}</span>
                </button>
              </li>
            ))}
          </ul>
        </section>
        <TextField
          label="Contact"
          value={who}
          maxLength={200}
          placeholder="A person or a team"
          onChange={(event) => setWho(event.target.value)}
        />
        <TextArea
          label="What you need from them"
          rows={2}
          value={asked}
          maxLength={2000}
          placeholder="Somebody who may restart redis"
          onChange={(event) => setAsked(event.target.value)}
        />
        <section aria-label="What they have to know" className="flex flex-col gap-1.5">
          <h3 className="text-small font-medium text-fg2">What they have to know</h3>
          <Snippet text={handover(incident, answer, link.href, asked)} what="handover" isWrapped />
        </section>
        {record.error && (
          <p role="alert" className="text-coral">
            {record.error.detail} {record.error.remedy}
          </p>
        )}
        <div className="flex justify-end gap-2">
          <Button look="quiet" onClick={close}>
            Cancel
          </Button>
          <Button
            type="submit"
            look="primary"
            isBusy={record.isPending}
            whyNot={whyNot || (who.trim() ? "" : "Say whom you ask.")}
          >
            Log this escalation
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

/** Whose code the best fix would change. Without code, or in the past, nobody's. */
function useOwned(incident: string): { path: string; owners: readonly string[] } | null {
  const place = usePlace();
  const workspaces = useRead("/api/v1/workspaces", {}, { isOn: !place.at });
  const name = workspaces.data?.items[0]?.name ?? "";
  const deck = useRead(
    "/api/v1/incidents/{incident_id}/cards",
    { path: { incident_id: incident }, query: { workspace: name } },
    { isOn: name !== "" },
  );
  const path = deck.data?.cards[0]?.path ?? "";
  const lens = useRead("/api/v1/workspaces/{name}/lens", { path: { name }, query: { path } }, { isOn: path !== "" });
  return lens.data ? { path, owners: lens.data.known.owners } : null;
}
