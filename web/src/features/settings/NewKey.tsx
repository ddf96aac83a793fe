import { type FormEvent, useState } from "react";
import { useAct } from "@/api/acting";
import type { Schemas } from "@/api/client";
import { useRead } from "@/api/reading";
import { useSpace } from "@/api/session";
import { Button } from "@/ui/Button";
import { Snippet } from "@/ui/CopyButton";
import { SelectField, TextField } from "@/ui/Field";

type Power = Schemas["Power"];

export const POWERS: Record<Power, string> = {
  ingest: "send telemetry into one project, and nothing else",
  read: "read everything",
  agent: "read, and record what it tried",
  write: "read and write, but not administer",
};

/** The project that is looked at, with its organisation. */
export function useProject(): Schemas["Space"] | undefined {
  const space = useSpace();
  const found = useRead("/api/v1/spaces", { query: { limit: 200 } });
  return found.data?.items.find((one) => one.space === space);
}

interface NewKeyProps {
  whyNot: string;
  /** A key for one purpose only; else it can be chosen. */
  power?: Power;
  name?: string;
  made?: (secret: string) => void;
}

/** Make a key. Its secret is shown this once. */
export function NewKey({ whyNot, power: only, name: given = "", made }: NewKeyProps) {
  const project = useProject();
  const [name, setName] = useState(given);
  const [power, setPower] = useState<Power>(only ?? "ingest");
  const [secret, setSecret] = useState("");
  const add = useAct("post", "/api/v1/keys", {
    isQuiet: true,
    after: (told) => {
      setSecret(told.secret);
      setName(given);
      made?.(told.secret);
    },
  });
  const send = (event: FormEvent) => {
    event.preventDefault();
    add.mutate({
      body: {
        name: name.trim(),
        power,
        organisation: project?.organisation ?? null,
        project: project?.project ?? null,
      },
    });
  };
  if (secret) {
    return (
      <div className="flex flex-col gap-2 rounded-card border edge-moon wash-moon p-4">
        <p className="font-medium">This is the key. It is shown this once: keep it where your secrets are.</p>
        <Snippet text={secret} what="key" />
        <Button className="self-start" onClick={() => setSecret("")}>
          I have kept it
        </Button>
      </div>
    );
  }
  return (
    <form onSubmit={send} className="flex flex-col gap-3 rounded-card border border-line bg-s1 p-4">
      <div className="grid grid-cols-2 gap-3 max-sm:grid-cols-1">
        <TextField
          label="What it is for"
          required
          maxLength={100}
          value={name}
          onChange={(event) => setName(event.target.value)}
          placeholder="collector in eu-west"
        />
        {!only && (
          <SelectField label="What it may do" value={power} onChange={(event) => setPower(event.target.value as Power)}>
            {Object.entries(POWERS).map(([value, what]) => (
              <option key={value} value={value}>
                {value}: {what}
              </option>
            ))}
          </SelectField>
        )}
      </div>
      {add.error && (
        <p role="alert" className="text-coral">
          {add.error.detail} {add.error.remedy}
        </p>
      )}
      <Button
        type="submit"
        look="primary"
        className="self-start"
        isBusy={add.isPending}
        whyNot={whyNot || (name.trim() ? "" : "Say what it is for.")}
      >
        Make a key
      </Button>
    </form>
  );
}
