import { useNavigate, useSearch } from "@tanstack/react-router";
import { Download, ShieldCheck, ShieldX } from "lucide-react";
import { type FormEvent, useState } from "react";
import type { Schemas } from "@/api/client";
import { useList, useRead } from "@/api/reading";
import { useSpace, useWhyNot } from "@/api/session";
import { tell } from "@/lib/toasts";
import { Button } from "@/ui/Button";
import { Chip } from "@/ui/Chip";
import { CopyButton } from "@/ui/CopyButton";
import { SelectField, TextField } from "@/ui/Field";
import { Empty, Shown } from "@/ui/states";
import { Time } from "@/ui/Time";
import { useProject } from "./NewKey";
import { Rows, Section } from "./Section";

const ENTRIES_PER_PAGE = 50;
const ABOUT = "Who did and saw what, each entry sealed to the one before it.";

/** The audit trail: read, filtered, checked and taken away. */
export default function Audit() {
  const cannot = useWhyNot("administer", true);
  const organisation = useProject()?.organisation;
  if (cannot)
    return (
      <Section title="Audit" about={ABOUT}>
        <Empty why={cannot} />
      </Section>
    );
  return (
    <Section title="Audit" about={ABOUT}>
      {organisation !== undefined && (
        <>
          <Verify organisation={organisation} />
          <Trail organisation={organisation} />
        </>
      )}
    </Section>
  );
}

/** Compute the whole chain again. */
function Verify({ organisation }: { organisation: string }) {
  const [isAsked, setAsked] = useState(false);
  const found = useRead("/api/v1/audit/check", { query: { organisation } }, { isOn: isAsked });
  return (
    <section aria-labelledby="verify" className="flex flex-col gap-2 rounded-card border border-line bg-s1 px-4 py-3">
      <div className="flex flex-wrap items-center gap-3">
        <h2 id="verify" className="min-w-0 flex-1 font-semibold">
          Verify integrity
        </h2>
        <Button
          isBusy={isAsked && found.isFetching}
          onClick={() => (isAsked ? void found.refetch() : setAsked(true))}
          icon={<ShieldCheck className="size-3.5" aria-hidden="true" />}
        >
          Verify
        </Button>
      </div>
      <div role="status">
        {isAsked && (
          <Shown of={found} what="The check">
            {(told) => <Verified told={told} />}
          </Shown>
        )}
      </div>
    </section>
  );
}

function Verified({ told }: { told: Schemas["Chained"] }) {
  const isSound = told.faults.length === 0;
  const Icon = isSound ? ShieldCheck : ShieldX;
  return (
    <div className="flex flex-col gap-1">
      <p className="flex items-center gap-2">
        <Icon className={`size-4 shrink-0 ${isSound ? "text-sage" : "text-coral"}`} aria-hidden="true" />
        {isSound
          ? `Sound: ${told.entries.toLocaleString("en")} entries, from number ${told.first} to ${told.last}, fit each other.`
          : `${told.faults.length} ${told.faults.length === 1 ? "fault" : "faults"} in ${told.entries.toLocaleString("en")} entries.`}
      </p>
      {told.faults.map((one) => (
        <p key={one} className="text-coral">
          {one}
        </p>
      ))}
      <p className="flex flex-wrap items-center text-small text-fg2">
        Write down the head elsewhere: <code className="ml-1 break-all">{told.head}</code>
        <CopyButton text={told.head} what="head" />
      </p>
    </div>
  );
}

interface Wanted {
  actor: string;
  what: string;
  outcome: string;
  of: string;
}

function Trail({ organisation }: { organisation: string }) {
  const space = useSpace();
  const search = useSearch({ strict: false });
  const wanted: Wanted = {
    actor: search.actor ?? "",
    what: search.what ?? "",
    outcome: search.outcome ?? "",
    of: search.of ?? "",
  };
  const query = {
    organisation,
    limit: ENTRIES_PER_PAGE,
    ...(wanted.actor ? { actor: wanted.actor } : {}),
    ...(wanted.what ? { what: wanted.what } : {}),
    ...(wanted.outcome ? { outcome: wanted.outcome as Schemas["Decision"] } : {}),
    // Of the trail this is a filter, not the project that is looked at.
    ...((wanted.of === "organisation" ? {} : { space }) as object),
  };
  const found = useList("/api/v1/audit", { query });
  return (
    <section aria-labelledby="trail" className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-3">
        <h2 id="trail" className="min-w-0 flex-1 font-semibold">
          The trail
        </h2>
        <TakeAway organisation={organisation} space={wanted.of === "organisation" ? "" : space} />
      </div>
      <Filters key={JSON.stringify(wanted)} wanted={wanted} />
      <Shown of={found} what="The trail">
        {() =>
          found.items.length === 0 ? (
            <Empty why="Nothing like that is on record." />
          ) : (
            <>
              <Rows label="Entries, the newest first">
                {found.items.map((one) => (
                  <Entry key={one.seq} one={one} />
                ))}
              </Rows>
              {found.hasNextPage && (
                <Button className="self-start" isBusy={found.isFetchingNextPage} onClick={found.more}>
                  Older ones
                </Button>
              )}
            </>
          )
        }
      </Shown>
    </section>
  );
}

/** What is looked for stands in the address, so that it can be shared. */
function Filters({ wanted }: { wanted: Wanted }) {
  const navigate = useNavigate();
  const [said, setSaid] = useState(wanted);
  const go = (next: Wanted) =>
    void navigate({
      to: ".",
      search: ((before: object) => ({
        ...before,
        ...Object.fromEntries(Object.entries(next).map(([name, value]) => [name, value || undefined])),
      })) as never,
      replace: true,
    });
  const send = (event: FormEvent) => {
    event.preventDefault();
    go({ ...said, actor: said.actor.trim(), what: said.what.trim() });
  };
  const choose = (part: Partial<Wanted>) => {
    const next = { ...said, ...part };
    setSaid(next);
    go(next);
  };
  return (
    <form onSubmit={send} className="grid grid-cols-[1fr_1fr_1fr_1fr_auto] items-end gap-2 max-narrow:grid-cols-2">
      <TextField
        label="Who"
        value={said.actor}
        onChange={(event) => setSaid({ ...said, actor: event.target.value })}
        placeholder="ana@example.com"
      />
      <TextField
        label="What"
        value={said.what}
        onChange={(event) => setSaid({ ...said, what: event.target.value })}
        placeholder="erase"
      />
      <SelectField label="Outcome" value={said.outcome} onChange={(event) => choose({ outcome: event.target.value })}>
        <option value="">Both</option>
        <option value="allowed">Allowed</option>
        <option value="refused">Refused</option>
      </SelectField>
      <SelectField label="Where" value={said.of} onChange={(event) => choose({ of: event.target.value })}>
        <option value="">This project</option>
        <option value="organisation">The whole organisation</option>
      </SelectField>
      {/* Enter in a box asks; a button that says so is there for those who look for one. */}
      <Button type="submit" className="justify-self-start">
        Look
      </Button>
    </form>
  );
}

function Entry({ one }: { one: Schemas["AuditEntry"] }) {
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-0.5">
      <span className="min-w-0 flex-1 basis-72">
        <code className="block text-small break-all">
          {one.what}
          {one.subject && <span className="text-fg2"> · {one.subject}</span>}
        </code>
        <span className="block text-small break-all text-fg2">
          {one.actor}
          {one.peer && ` from ${one.peer}`}
          {one.space && ` in ${one.space}`}
          {one.count > 1 && `, ${one.count.toLocaleString("en")} times`}
        </span>
      </span>
      {one.outcome === "refused" && <Chip tone="coral">refused</Chip>}
      <Time at={one.at} className="text-small text-fg2" />
      <span className="text-meta text-fg3 tabular-nums">{one.seq}</span>
    </li>
  );
}

/** The trail as a file for a spreadsheet. */
function TakeAway({ organisation, space }: { organisation: string; space: string }) {
  const [isBusy, setBusy] = useState(false);
  const take = async () => {
    setBusy(true);
    try {
      const asked = new URLSearchParams({ organisation, ...(space ? { space } : {}) });
      const answer = await fetch(`/api/v1/audit?${asked}`, {
        headers: { Accept: "text/csv" },
        credentials: "same-origin",
      });
      if (!answer.ok) throw new Error(String(answer.status));
      const address = URL.createObjectURL(await answer.blob());
      const link = document.createElement("a");
      link.href = address;
      link.download = "audit.csv";
      link.click();
      URL.revokeObjectURL(address);
    } catch {
      tell("The trail could not be taken away. Try again in a moment.", { tone: "bad" });
    } finally {
      setBusy(false);
    }
  };
  return (
    <Button
      size="small"
      icon={<Download className="size-3" aria-hidden="true" />}
      isBusy={isBusy}
      onClick={() => void take()}
    >
      Export CSV
    </Button>
  );
}
