import { type FormEvent, useState } from "react";
import { useAct } from "@/api/acting";
import type { Schemas } from "@/api/client";
import { useRead } from "@/api/reading";
import { Button } from "@/ui/Button";
import { Chip } from "@/ui/Chip";
import { CopyButton } from "@/ui/CopyButton";
import { TextArea } from "@/ui/Field";
import { Shown } from "@/ui/states";
import { Time } from "@/ui/Time";
import { Erase } from "./Erase";
import { Rows, Section } from "./Section";
import { pieces } from "./setups";

type Told = Schemas["PrivacyTold"];
const CHARS_MAX = 50_000;

/** What is taken out on the way in, what leaves this machine, and erasing for good. */
export default function Privacy() {
  const found = useRead("/api/v1/privacy");
  return (
    <Section
      title="Privacy"
      about="Secrets and personal data are taken out before anything is stored; a note of what stood there stays."
    >
      <TryALine />
      <Shown of={found} what="What is taken out">
        {(told) => (
          <>
            <TakenOut told={told} />
            <Leaves told={told} />
          </>
        )}
      </Shown>
      <Erase />
    </Section>
  );
}

/** Paste something and see what would be kept of it. Nothing of it is stored. */
function TryALine() {
  const [text, setText] = useState("");
  const attempt = useAct("post", "/api/v1/privacy/try", { isQuiet: true });
  const send = (event: FormEvent) => {
    event.preventDefault();
    if (text.trim()) attempt.mutate({ body: { text, name: "" } });
  };
  const count = Object.values(attempt.data?.counts ?? {}).reduce((sum, one) => sum + one, 0);
  return (
    <form onSubmit={send} className="flex flex-col gap-3 rounded-card border border-line bg-s1 p-4">
      <TextArea
        label="Try a line"
        hint="The rules are those that every line passes on its way in. Nothing of it is stored."
        maxLength={CHARS_MAX}
        spellCheck={false}
        value={text}
        onChange={(event) => setText(event.target.value)}
        placeholder="could not sign in ana@example.org with password=…"
        className="font-mono text-small"
        problem={attempt.error ? `${attempt.error.detail} ${attempt.error.remedy}` : undefined}
      />
      <Button
        type="submit"
        className="self-start"
        isBusy={attempt.isPending}
        whyNot={text.trim() ? "" : "Paste or type something first."}
      >
        See what would be kept
      </Button>
      <div role="status" className="flex flex-col gap-1.5">
        {attempt.data && (
          <>
            <p className="text-small text-fg2">
              {count === 0
                ? "Nothing would be taken out: it would be kept as it is."
                : `${count} ${count === 1 ? "part" : "parts"} would be taken out. Kept would be:`}
            </p>
            <pre className="scroll-thin max-h-72 overflow-auto rounded-lg border border-line bg-bg px-3 py-2 text-small leading-[18px] break-all whitespace-pre-wrap">
              {pieces(attempt.data.text).map((one, place) =>
                one.kind ? (
                  <mark key={place} className="rounded-[3px] wash-moon px-0.5 text-moon">
                    {one.text}
                  </mark>
                ) : (
                  one.text
                ),
              )}
            </pre>
          </>
        )}
      </div>
    </form>
  );
}

function TakenOut({ told }: { told: Told }) {
  const variables = [
    [told.on_variable, "takes more kinds out"],
    [told.off_variable, "leaves kinds in"],
    [told.allow_variable, "names values to leave alone"],
  ] as const;
  return (
    <section aria-labelledby="taken-out" className="flex flex-col gap-2">
      <h2 id="taken-out" className="font-semibold">
        What is taken out
      </h2>
      <Rows label="Kinds that are taken out">
        {told.kinds.map((one) => (
          <li key={one.kind} className="flex flex-wrap items-center gap-x-3 gap-y-0.5">
            <span className="min-w-0 flex-1 basis-64">
              <code>{one.kind}</code>
              <span className="block text-small text-fg2">{one.what}</span>
            </span>
            <span className="text-small text-fg2 tabular-nums">{one.count.toLocaleString("en")}</span>
            <Chip tone={one.is_on ? "sage" : "plain"}>{one.is_on ? "taken out" : "left in"}</Chip>
          </li>
        ))}
      </Rows>
      <p className="text-small text-fg3">
        Counted in all projects since the server started, <Time at={told.since} />.{" "}
        {told.allowed > 0 && `${told.allowed} ${told.allowed === 1 ? "value is" : "values are"} left alone.`}
      </p>
      <ul className="flex flex-col text-small text-fg2">
        {variables.map(([name, what]) => (
          <li key={name} className="flex flex-wrap items-center">
            <code className="break-all">{name}</code>
            <CopyButton text={name} what={`variable ${name}`} />
            {what}
          </li>
        ))}
      </ul>
    </section>
  );
}

const GOES = {
  nowhere: { tone: "sage", label: "nothing leaves" },
  here: { tone: "sage", label: "this machine" },
  elsewhere: { tone: "sand", label: "another machine" },
} as const;

function Leaves({ told }: { told: Told }) {
  return (
    <section aria-labelledby="leaves" className="flex flex-col gap-2">
      <h2 id="leaves" className="font-semibold">
        What leaves this machine
      </h2>
      <Rows label="What leaves this machine">
        {told.leaves.map((one) => {
          const goes = GOES[one.goes as keyof typeof GOES];
          return (
            <li key={one.name} className="flex flex-wrap items-center gap-x-3 gap-y-0.5">
              <span className="min-w-0 flex-1 basis-64">
                <span className="block font-medium">{one.title}</span>
                <span className="block text-small text-fg2">{one.what}</span>
              </span>
              {one.where && one.goes === "elsewhere" && <code className="text-small break-all">{one.where}</code>}
              <Chip tone={goes.tone}>{goes.label}</Chip>
              <CopyButton text={one.variable} what={`variable ${one.variable}`} />
            </li>
          );
        })}
      </Rows>
    </section>
  );
}
