import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { FileDown, Search } from "lucide-react";
import { useDeferredValue, useEffect, useRef, useState } from "react";
import type { Schemas } from "@/api/client";
import { useList, useRead } from "@/api/reading";
import { cn } from "@/lib/cn";
import { useKeys } from "@/lib/keys";
import { queryOf, usePlace } from "@/lib/place";
import { minutes } from "@/lib/time";
import { Chip } from "@/ui/Chip";
import { FilterBox } from "@/ui/Field";
import { Page } from "@/ui/Page";
import { Severity } from "@/ui/Severity";
import { Empty, ErrorBox, Skeletons, Stale } from "@/ui/states";
import { Tabs } from "@/ui/Tabs";
import { Time } from "@/ui/Time";
import { VirtualList } from "@/ui/VirtualList";

type Glance = Schemas["IncidentGlance"];
type Standing = Schemas["Standing"];

const ROW_PX = 54;
const STATES: readonly Standing[] = ["open", "awaiting", "resolved", "dismissed", "joined"];
const SEVERITIES: readonly Schemas["Severity"][] = ["critical", "major", "minor", "info"];

function oneOf<T extends string>(known: readonly T[], value: string | undefined): T | undefined {
  return known.find((one) => one === value);
}

/** Every incident, newest first. What is chosen stands in the address, so that it can be shared. */
export function IncidentsPage() {
  const search = useSearch({ from: "/incidents" });
  const navigate = useNavigate({ from: "/incidents" });
  const [text, setText] = useState(search.text ?? "");
  const box = useRef<HTMLInputElement>(null);
  const sought = useDeferredValue(text.trim());
  const state = oneOf(STATES, search.state);
  const severity = oneOf(SEVERITIES, search.severity);
  const service = search.service ?? "";
  const filter = {
    ...(state ? { state: [state] } : {}),
    ...(severity ? { severity: [severity] } : {}),
    ...(service ? { service } : {}),
    ...(sought ? { text: sought } : {}),
  };
  const found = useList(
    "/api/v1/incidents",
    { query: { ...filter, limit: 100 } },
    { everySeconds: 60, keepsPrevious: true },
  );
  const change = (part: Partial<typeof search>) =>
    void navigate({ search: (now) => ({ ...now, ...part }), replace: true });
  useEffect(() => {
    void navigate({ search: (now) => ({ ...now, text: sought || undefined }), replace: true });
  }, [sought, navigate]);
  const isFiltered = Object.keys(filter).length > 0;
  return (
    <Page title="Incidents" crumbs={[{ label: "Incidents" }]} isFilled actions={<Export filter={filter} />}>
      <div className="mx-auto flex h-full max-w-[1240px] flex-col gap-3 px-6 pt-4 max-narrow:px-4">
        <h1 className="text-title font-semibold">Incidents</h1>
        <div className="flex flex-wrap items-center gap-2">
          <States value={state ?? "all"} choose={(value) => change({ state: value === "all" ? undefined : value })} />
          <select
            aria-label="Severity"
            value={severity ?? ""}
            onChange={(event) => change({ severity: event.target.value || undefined })}
            className="h-7 rounded-[7px] border border-line2 bg-s1 px-2 text-small pointer-coarse:h-9"
          >
            <option value="">All severities</option>
            {SEVERITIES.map((one) => (
              <option key={one} value={one}>
                {one}
              </option>
            ))}
          </select>
          {service && (
            <button
              type="button"
              onClick={() => change({ service: undefined })}
              className="h-7 rounded-[7px] border edge-moon wash-moon px-2 text-small text-moon pointer-coarse:h-9"
            >
              {service} ×<span className="sr-only"> show every service</span>
            </button>
          )}
          <FilterBox
            ref={box}
            label="Filter: words in title, services, cause, fix or names"
            placeholder="Filter"
            icon={<Search className="size-3.5" />}
            value={text}
            onChange={(event) => setText(event.target.value)}
            className="ml-auto w-72 max-sm:w-full"
          />
        </div>
        {found.error && found.items.length > 0 && <Stale updatedAt={found.dataUpdatedAt} failure={found.error} />}
        {found.error && found.items.length === 0 ? (
          <ErrorBox failure={found.error} what="The list" retry={() => void found.refetch()} />
        ) : found.isPending ? (
          <Skeletons rows={8} className="h-11" />
        ) : found.items.length === 0 ? (
          <Empty
            why={isFiltered ? "No incident is like that." : "No incident has happened yet, as far as Hindcast knows."}
          >
            {isFiltered ? (
              <button
                type="button"
                className="rounded-[7px] border border-line2 bg-s2 px-2.5 py-1 font-medium hover:bg-s3"
                onClick={() => {
                  setText("");
                  change({ state: undefined, severity: undefined, service: undefined, text: undefined });
                }}
              >
                Show all
              </button>
            ) : (
              <Link
                to="/settings/$part"
                params={{ part: "sending" }}
                className="rounded-[7px] bg-moon px-2.5 py-1 font-medium text-ink"
              >
                Connect a log source
              </Link>
            )}
          </Empty>
        ) : (
          <Rows items={found.items} more={found.more} focusFilter={() => box.current?.focus()} />
        )}
      </div>
    </Page>
  );
}

function States({ value, choose }: { value: Standing | "all"; choose: (value: Standing | "all") => void }) {
  const counts = useRead("/api/v1/overview").data;
  return (
    <Tabs
      label="Which incidents"
      value={value}
      choose={choose}
      options={[
        { value: "all" as const, label: "All" },
        ...STATES.map((one) => ({
          value: one,
          label: one.charAt(0).toUpperCase() + one.slice(1),
          ...(counts ? { count: counts[one] } : {}),
        })),
      ]}
    />
  );
}

function Export({ filter }: { filter: Record<string, string | string[]> }) {
  const place = usePlace();
  const query = queryOf(place, { format: "csv" });
  for (const [name, value] of Object.entries(filter)) for (const one of [value].flat()) query.append(name, one);
  return (
    <a
      href={`/api/v1/incidents?${query}`}
      download="incidents.csv"
      className="flex h-7 items-center gap-1.5 rounded-[7px] px-2 text-small text-fg2 hover:bg-s3 hover:text-fg"
    >
      <FileDown className="size-3.5" /> CSV
    </a>
  );
}

function Rows({ items, more, focusFilter }: { items: readonly Glance[]; more: () => void; focusFilter: () => void }) {
  const [chosen, setChosen] = useState(-1);
  const navigate = useNavigate();
  const move = (by: number) => setChosen((now) => Math.max(0, Math.min(items.length - 1, now + by)));
  const open = () => {
    const one = items[chosen];
    if (one) void navigate({ to: "/incidents/$incident", params: { incident: one.id } });
  };
  useKeys([
    { keys: "j", label: "Next", run: () => move(1) },
    { keys: "k", label: "Previous", run: () => move(-1) },
    { keys: "enter", label: "Open", run: open, isOff: chosen < 0 },
    { keys: "/", label: "Filter", run: focusFilter },
  ]);
  return (
    <div className="flex min-h-0 flex-1 flex-col rounded-t-card border border-b-0 border-line bg-s1">
      <VirtualList
        label="Incidents"
        items={items}
        keyOf={(one) => one.id}
        rowHeight={ROW_PX}
        chosen={chosen}
        more={more}
        className="flex-1"
        row={(one, place) => <IncidentRow incident={one} isChosen={place === chosen} />}
      />
    </div>
  );
}

function IncidentRow({ incident, isChosen }: { incident: Glance; isChosen: boolean }) {
  return (
    <Link
      to="/incidents/$incident"
      params={{ incident: incident.id }}
      aria-current={isChosen ? "true" : undefined}
      className={cn(
        "flex h-full items-center gap-3 border-b border-line px-4 outline-offset-[-2px] hover:bg-s2",
        isChosen && "border-l-3 border-l-moon bg-s2 pl-[13px]",
      )}
    >
      <Severity value={incident.severity} isShort />
      <span className="min-w-0 flex-1">
        <span className="flex items-center gap-2">
          <span className="truncate font-medium">{incident.title}</span>
          {incident.familiarity === "seen before" && <Chip tone="moon">seen before</Chip>}
        </span>
        <span className="block truncate text-small text-fg2">
          {incident.services.join(", ")}
          {incident.fix ? ` · ${incident.fix}` : incident.cause ? ` · ${incident.cause}` : ""}
        </span>
      </span>
      <Where incident={incident} />
      <span className="min-w-24 shrink-0 text-right text-small whitespace-nowrap text-fg2 max-sm:min-w-16">
        <Time at={incident.onset_at} />
        <span className="block text-fg3 max-sm:hidden">
          {incident.minutes !== null && incident.state === "resolved" ? `took ${minutes(incident.minutes)}` : " "}
        </span>
      </span>
    </Link>
  );
}

const WHERE: Record<Standing, { label: string; tone: "sand" | "moon" | "sage" | "plain" }> = {
  open: { label: "open", tone: "sand" },
  awaiting: { label: "waiting for confirmation", tone: "moon" },
  resolved: { label: "resolved", tone: "sage" },
  dismissed: { label: "dismissed", tone: "plain" },
  joined: { label: "part of another", tone: "plain" },
};

function Where({ incident }: { incident: Glance }) {
  const { label, tone } = WHERE[incident.state];
  return (
    <Chip tone={tone} className="max-sm:hidden">
      {label}
    </Chip>
  );
}
