import { type FormEvent, useEffect, useRef, useState } from "react";
import { useAct } from "@/api/acting";
import type { Schemas } from "@/api/client";
import { useKeys } from "@/lib/keys";
import { Button } from "@/ui/Button";
import { Card } from "@/ui/Card";
import { Chip, type Tone } from "@/ui/Chip";
import { Snippet } from "@/ui/CopyButton";
import { Diff } from "@/ui/Diff";
import { Time } from "@/ui/Time";
import { useTakeBack } from "./takingBack";

type Outcome = Schemas["Outcome"];

export const OUTCOMES: Record<Outcome, { label: string; tone: Tone }> = {
  unknown: { label: "not known yet", tone: "plain" },
  worked: { label: "worked", tone: "sage" },
  "no effect": { label: "no effect", tone: "plain" },
  "made worse": { label: "made it worse", tone: "coral" },
};

interface PeopleProps {
  incident: Schemas["IncidentTold"];
  whyNot: string;
}

/** What people did and said: attempts with what came of them, notes, and what nobody has said yet. */
export function People({ incident, whyNot }: PeopleProps) {
  const known = incident.case;
  const notes = known?.notes ?? [];
  const attempts = known?.attempts ?? [];
  return (
    <Card head="line" title="What was tried" bodyClassName="flex flex-col gap-3 px-4 py-3">
      {attempts.length === 0 && (
        <p className="text-fg2">
          Nobody has recorded an attempt yet. One line is enough, and it teaches the next time.
        </p>
      )}
      <ol className="flex flex-col gap-2.5">
        {attempts.map((one) => (
          <Attempt key={one.id} incident={incident.id} attempt={one} whyNot={whyNot} />
        ))}
      </ol>
      <AddAttempt incident={incident.id} whyNot={whyNot} />
      {notes.length > 0 && (
        <ul className="flex flex-col gap-2 border-t border-line pt-3" aria-label="Notes">
          {notes.map((one) => (
            <li key={one.id} className="break-words">
              <span className="text-fg2">{one.by}</span> <Time at={one.at} className="text-small text-fg3" />
              <p className="whitespace-pre-wrap">{one.text}</p>
            </li>
          ))}
        </ul>
      )}
      <AddNote incident={incident.id} whyNot={whyNot} />
    </Card>
  );
}

function Attempt({ incident, attempt, whyNot }: { incident: string; attempt: Schemas["Attempt"]; whyNot: string }) {
  const back = useTakeBack().fromCase;
  const row = useRef<HTMLLIElement>(null);
  const judge = useAct("post", "/api/v1/incidents/{incident_id}/attempts/{attempt_id}", {
    done: (_, said) => `${attempt.id}: ${OUTCOMES[said.body?.outcome ?? "unknown"].label}.`,
    ...(back ? { undo: () => back(incident) } : {}),
  });
  // The buttons are gone once it is said; whoever pressed one stays where it was.
  useEffect(() => {
    if (judge.isSuccess && attempt.outcome !== "unknown" && document.activeElement === document.body)
      row.current?.focus({ preventScroll: true });
  }, [judge.isSuccess, attempt.outcome]);
  const details = attempt.diff || attempt.command || attempt.config;
  return (
    <li ref={row} tabIndex={-1} className="flex flex-col gap-1.5">
      <div className="flex flex-wrap items-baseline gap-x-2 gap-y-1">
        <code className="text-meta text-fg3">{attempt.id}</code>
        <span className="min-w-0 flex-1 basis-60 break-words">
          {attempt.action}{" "}
          <span className="text-small text-fg3">
            {attempt.by}
            {attempt.at && (
              <>
                , <Time at={attempt.at} />
              </>
            )}
          </span>
        </span>
        {attempt.outcome === "unknown" && !whyNot ? (
          <span className="flex gap-1">
            {(["worked", "no effect", "made worse"] as const).map((outcome) => (
              <Button
                key={outcome}
                size="small"
                isBusy={judge.isPending}
                onClick={() =>
                  judge.mutate({
                    path: { incident_id: incident, attempt_id: attempt.id },
                    body: { outcome, why: "", action: "" },
                  })
                }
              >
                {OUTCOMES[outcome].label}
              </Button>
            ))}
          </span>
        ) : (
          <Chip tone={OUTCOMES[attempt.outcome].tone}>{OUTCOMES[attempt.outcome].label}</Chip>
        )}
      </div>
      {attempt.evidence.slice(0, 2).map((one) => (
        <p key={one.quote} className="border-l-2 border-line2 pl-2.5 text-small text-fg2">
          {one.quote}
        </p>
      ))}
      {details && (
        <details className="text-small">
          <summary className="w-max rounded text-fg2 hover:text-fg">How</summary>
          <div className="flex flex-col gap-2 pt-1.5">
            {attempt.diff && <Diff text={attempt.diff} />}
            {attempt.config && <Snippet text={attempt.config} what="setting" />}
            {attempt.command && <Snippet text={attempt.command} what="command" />}
          </div>
        </details>
      )}
    </li>
  );
}

function AddAttempt({ incident, whyNot }: { incident: string; whyNot: string }) {
  const box = useRef<HTMLInputElement>(null);
  const [action, setAction] = useState("");
  const [outcome, setOutcome] = useState<Outcome>("unknown");
  const back = useTakeBack().fromCase;
  const add = useAct("post", "/api/v1/incidents/{incident_id}/attempts", {
    done: "The attempt is recorded.",
    ...(back ? { undo: () => back(incident) } : {}),
    after: () => {
      setAction("");
      setOutcome("unknown");
    },
  });
  useKeys([{ keys: "a", label: "Record an attempt", run: () => box.current?.focus(), isOff: Boolean(whyNot) }]);
  const send = (event: FormEvent) => {
    event.preventDefault();
    if (!action.trim() || whyNot) return;
    add.mutate({
      path: { incident_id: incident },
      body: { action: action.trim(), outcome, by: "", command: "", diff: "", config: "" },
    });
  };
  return (
    <form onSubmit={send} className="flex flex-wrap gap-2" data-screen>
      <input
        ref={box}
        aria-label="What was tried"
        placeholder={whyNot || "What did you try?"}
        disabled={Boolean(whyNot)}
        value={action}
        onChange={(event) => setAction(event.target.value)}
        maxLength={2000}
        className="h-7 min-w-0 flex-1 basis-52 rounded-[7px] border border-line2 bg-bg px-2.5 disabled:opacity-60 pointer-coarse:h-9"
      />
      <select
        aria-label="What came of it"
        value={outcome}
        disabled={Boolean(whyNot)}
        onChange={(event) => setOutcome(event.target.value as Outcome)}
        className="h-7 rounded-[7px] border border-line2 bg-s1 px-2 text-small disabled:opacity-60 pointer-coarse:h-9"
      >
        {Object.entries(OUTCOMES).map(([value, one]) => (
          <option key={value} value={value}>
            {one.label}
          </option>
        ))}
      </select>
      <Button type="submit" keys="a" whyNot={whyNot} isBusy={add.isPending}>
        Record
      </Button>
    </form>
  );
}

function AddNote({ incident, whyNot }: { incident: string; whyNot: string }) {
  const [text, setText] = useState("");
  const back = useTakeBack().fromCase;
  const add = useAct("post", "/api/v1/incidents/{incident_id}/notes", {
    done: "The note is kept.",
    ...(back ? { undo: () => back(incident) } : {}),
    after: () => setText(""),
  });
  const send = (event: FormEvent) => {
    event.preventDefault();
    if (text.trim() && !whyNot) add.mutate({ path: { incident_id: incident }, body: { text: text.trim(), by: "" } });
  };
  return (
    <form onSubmit={send} className="flex gap-2" data-screen>
      <input
        aria-label="A note"
        placeholder={whyNot || "Anything worth remembering"}
        disabled={Boolean(whyNot)}
        value={text}
        maxLength={2000}
        onChange={(event) => setText(event.target.value)}
        className="h-7 min-w-0 flex-1 rounded-[7px] border border-line2 bg-bg px-2.5 disabled:opacity-60 pointer-coarse:h-9"
      />
      <Button type="submit" look="quiet" whyNot={whyNot} isBusy={add.isPending}>
        Note
      </Button>
    </form>
  );
}
