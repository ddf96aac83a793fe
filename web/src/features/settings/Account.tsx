import { type FormEvent, useState } from "react";
import { useAct } from "@/api/acting";
import { useRead } from "@/api/reading";
import { useSession } from "@/api/session";
import { areSingleKeysOn, switchSingleKeys } from "@/lib/keys";
import { useStore } from "@/lib/store";
import { type Choice, choice, choose } from "@/lib/theme";
import { Button } from "@/ui/Button";
import { TextField } from "@/ui/Field";
import { Shown } from "@/ui/states";
import { Tabs } from "@/ui/Tabs";
import { Time } from "@/ui/Time";
import { Rows, Section } from "./Section";

/** What is about oneself: how it looks, keys, password, where one is signed in. */
export default function Account() {
  const session = useSession();
  const shown = useStore(choice);
  const isOn = useStore(areSingleKeysOn);
  const isPerson = session.data?.kind === "person";
  return (
    <Section
      title="You"
      about={
        isPerson
          ? `Signed in as ${session.data?.actor}.`
          : `You act as ${session.data?.actor}: on this machine nobody has to sign in.`
      }
    >
      <section aria-label="Looks" className="flex flex-col gap-3 rounded-card border border-line bg-s1 p-4">
        <div className="flex flex-wrap items-center justify-between gap-2">
          Theme
          <Tabs<Choice>
            label="Theme"
            value={shown}
            choose={choose}
            options={[
              { value: "system", label: "As the system" },
              { value: "dark", label: "Dark" },
              { value: "light", label: "Light" },
            ]}
          />
        </div>
        <label className="flex min-h-6 items-center justify-between gap-2">
          Single keys, such as j and k
          <input
            type="checkbox"
            checked={isOn}
            onChange={(event) => switchSingleKeys(event.target.checked)}
            className="size-4 accent-moon"
          />
        </label>
      </section>
      {isPerson && (
        <>
          <Password />
          <Sessions />
        </>
      )}
    </Section>
  );
}

function Password() {
  const [said, setSaid] = useState({ old: "", new: "" });
  const change = useAct("put", "/api/v1/session/password", {
    isQuiet: true,
    done: "The password is changed. Your other sessions have ended.",
    after: () => setSaid({ old: "", new: "" }),
  });
  const send = (event: FormEvent) => {
    event.preventDefault();
    change.mutate({ body: said });
  };
  return (
    <form onSubmit={send} className="flex flex-col gap-3 rounded-card border border-line bg-s1 p-4">
      <div className="grid grid-cols-2 gap-3 max-sm:grid-cols-1">
        <TextField
          label="Password now"
          type="password"
          autoComplete="current-password"
          required
          value={said.old}
          onChange={(event) => setSaid({ ...said, old: event.target.value })}
        />
        <TextField
          label="New password"
          type="password"
          autoComplete="new-password"
          required
          value={said.new}
          onChange={(event) => setSaid({ ...said, new: event.target.value })}
          problem={change.error ? `${change.error.detail} ${change.error.remedy}` : undefined}
        />
      </div>
      <Button type="submit" className="self-start" isBusy={change.isPending}>
        Change it
      </Button>
    </form>
  );
}

function Sessions() {
  const found = useRead("/api/v1/session/all");
  const end = useAct("delete", "/api/v1/session/all/{session_id}", { done: "That browser is signed out." });
  return (
    <section aria-labelledby="sessions" className="flex flex-col gap-2">
      <h2 id="sessions" className="font-semibold">
        Where you are signed in
      </h2>
      <Shown of={found} what="Your sessions">
        {(sessions) => (
          <Rows label="Sessions">
            {sessions.map((one) => (
              <li key={one.id} className="flex flex-wrap items-center gap-3">
                <code className="min-w-0 flex-1">{one.peer}</code>
                <span className="text-small text-fg2">
                  since <Time at={one.created_at} />, seen <Time at={one.last_seen_at} />
                </span>
                <Button size="small" onClick={() => end.mutate({ path: { session_id: one.id } })}>
                  Sign out there
                </Button>
              </li>
            ))}
          </Rows>
        )}
      </Shown>
    </section>
  );
}
