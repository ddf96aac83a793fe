import { Link, useNavigate } from "@tanstack/react-router";
import type { Schemas } from "@/api/client";
import { useRead } from "@/api/reading";
import { useKeys } from "@/lib/keys";
import { minutes } from "@/lib/time";
import { Card } from "@/ui/Card";
import { Page } from "@/ui/Page";
import { Empty, Shown, Skeleton, Skeletons } from "@/ui/states";
import { LearningCard } from "./LearningCard";
import { OpenIncident } from "./OpenIncident";
import { Services } from "./Services";

const SHOWN_MAX = 9;

/** What needs somebody now, how far memory can be relied on, and how every service does. */
export function OverviewPage() {
  const open = useRead(
    "/api/v1/incidents",
    { query: { state: ["open", "awaiting"], limit: 50 } },
    { everySeconds: 30 },
  );
  const overview = useRead("/api/v1/overview", {}, { everySeconds: 60 });
  const shown = open.data?.items.slice(0, SHOWN_MAX) ?? [];
  const navigate = useNavigate();
  useKeys(
    shown.map((one, place) => ({
      keys: String(place + 1),
      label: `Open: ${one.title.slice(0, 50)}`,
      run: () => void navigate({ to: "/incidents/$incident", params: { incident: one.id } }),
    })),
  );
  return (
    <Page title="Overview" crumbs={[{ label: "Overview" }]}>
      <h1 className="text-title font-semibold">
        {open.data && overview.data ? (
          sentenceOf(open.data.items, overview.data)
        ) : open.error || overview.error ? (
          "Overview"
        ) : (
          <>
            <span className="sr-only">Overview</span>
            <Skeleton className="h-7 w-80" />
          </>
        )}
      </h1>
      <Shown of={overview} what="The counts" loading={<Skeleton className="h-[74px] max-narrow:order-1" />}>
        {(told) => <Figures told={told} />}
      </Shown>
      <div className="grid grid-cols-[minmax(0,1fr)_340px] items-start gap-4 max-narrow:grid-cols-1">
        <Card
          head="line"
          title="Needs attention"
          aside={
            <Link to="/incidents" className="text-small text-fg2 hover:text-fg">
              All incidents
            </Link>
          }
          bodyClassName="pb-1"
        >
          <Shown
            of={open}
            what="The open incidents"
            loading={
              <div className="px-4">
                <Skeletons rows={4} className="h-12" />
              </div>
            }
          >
            {({ items, next }) =>
              items.length === 0 ? (
                <Empty
                  why="Nothing is open. When a service fails, it shows up here within seconds, with what is remembered about it."
                  className="px-4"
                />
              ) : (
                <ol>
                  {items.slice(0, SHOWN_MAX).map((one, place) => (
                    <OpenIncident key={one.id} incident={one} place={place + 1} />
                  ))}
                  {(items.length > SHOWN_MAX || next) && (
                    <li className="px-4 py-2 text-small">
                      <Link to="/incidents" search={{ state: "open" }} className="text-moon hover:underline">
                        {items.length - SHOWN_MAX}
                        {next ? "+" : ""} more
                      </Link>
                    </li>
                  )}
                </ol>
              )
            }
          </Shown>
        </Card>
        <LearningCard />
      </div>
      <div className="max-narrow:order-2">
        <Services />
      </div>
    </Page>
  );
}

/** The one sentence: what is open, and how much of it is known. */
export function sentenceOf(open: readonly Schemas["IncidentGlance"][], told: Schemas["OverviewTold"]): string {
  const under = open.filter((one) => one.state === "open");
  const awaiting = told.awaiting;
  if (told.open === 0 && awaiting === 0) {
    return told.recent === 0 ? "Nothing is open." : `Nothing is open. ${told.recent} in the last ${told.days} days.`;
  }
  const seen = under.filter((one) => one.familiarity === "seen before").length;
  const parts = [
    told.open > 0 ? `${told.open} open${seen > 0 ? `, ${seen} seen before` : ""}` : "Nothing is open",
    awaiting > 0 ? `${awaiting} recovered, please confirm` : "",
  ].filter(Boolean);
  return `${parts.join("; ")}.`;
}

function Figures({ told }: { told: Schemas["OverviewTold"] }) {
  return (
    // On a phone what is open comes before what is counted.
    <dl className="grid grid-cols-4 gap-4 max-narrow:order-1 max-narrow:grid-cols-2">
      <Figure value={String(told.open)} label="open" to={{ state: "open" }} />
      <Figure value={String(told.awaiting)} label="waiting for confirmation" to={{ state: "awaiting" }} />
      <Figure
        value={told.recent ? `${told.recent_explained} of ${told.recent}` : "–"}
        label={`have cause and fix, last ${told.days} days`}
      />
      <Figure
        value={told.minutes_median === null ? "–" : minutes(told.minutes_median)}
        label={`median time to resolve, last ${told.days} days`}
      />
    </dl>
  );
}

function Figure({ value, label, to }: { value: string; label: string; to?: { state: string } }) {
  return (
    <div className="relative flex flex-col-reverse justify-end rounded-card border border-line bg-s1 px-4 py-3 has-[a:hover]:bg-s2">
      <dt className="text-small text-fg2">
        {to ? (
          <Link to="/incidents" search={to} className="after:absolute after:inset-0">
            {label}
          </Link>
        ) : (
          label
        )}
      </dt>
      <dd className="text-title font-semibold">{value}</dd>
    </div>
  );
}
