import { Link } from "@tanstack/react-router";
import { useMemo } from "react";
import type { Schemas } from "@/api/client";
import { useRead } from "@/api/reading";
import { cn } from "@/lib/cn";
import { useNow } from "@/lib/now";
import { isElsewhere, usePlace } from "@/lib/place";
import { CopyButton } from "@/ui/CopyButton";
import { Sparkline } from "@/ui/Sparkline";
import { Empty, Shown, Skeleton } from "@/ui/states";
import { Time } from "@/ui/Time";

/** Every service heard of in the last day: its errors by hour, and whether it is in trouble. */
export function Services() {
  const found = useRead("/api/v1/services", { query: { limit: 200 } }, { everySeconds: 30 });
  const incidents = useRead("/api/v1/incidents", { query: { limit: 100 } });
  const last = useMemo(() => lastOf(incidents.data?.items ?? []), [incidents.data]);
  const isPast = isElsewhere(usePlace());
  return (
    <section aria-labelledby="services">
      <h2 id="services" className="pb-2 font-semibold">
        Services
        {isPast && <span className="pl-2 text-small font-normal text-fg2">as they are now</span>}
      </h2>
      <Shown
        of={found}
        what="The services"
        loading={
          <Tiles>
            {[1, 2, 3, 4].map((one) => (
              <Skeleton key={one} className="h-[92px]" />
            ))}
          </Tiles>
        }
      >
        {({ items }) =>
          items.length === 0 ? (
            <div className="rounded-card border border-line bg-s1 px-4">
              <Empty why="No service has sent anything in the last day.">
                <Link
                  to="/settings/$part"
                  params={{ part: "sending" }}
                  className="rounded-[7px] bg-moon px-2.5 py-1 font-medium text-ink"
                >
                  Connect a log source
                </Link>
                <span className="flex items-center gap-1 text-small text-fg2">
                  or look around in a year of samples first: <code>hindcast demo</code>
                  <CopyButton text="hindcast demo" what="command" />
                </span>
              </Empty>
            </div>
          ) : (
            <Tiles>
              {items.map((one) => (
                <Tile key={one.name} service={one} last={last.get(one.name)} />
              ))}
            </Tiles>
          )
        }
      </Shown>
    </section>
  );
}

function Tiles({ children }: { children: React.ReactNode }) {
  return <ul className="grid grid-cols-[repeat(auto-fill,minmax(220px,1fr))] gap-3">{children}</ul>;
}

function rate(value: number): string {
  return value >= 10 ? Math.round(value).toLocaleString("en") : value.toFixed(value > 0 && value < 1 ? 1 : 0);
}

const HEARD_MS = 60_000;

/** When each service was last in trouble, of incidents that come newest first. */
export function lastOf(incidents: readonly Schemas["IncidentGlance"][]): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const one of incidents) {
    for (const service of one.services) if (!found.has(service)) found.set(service, one.onset_at);
  }
  return found;
}

function Tile({ service, last }: { service: Schemas["ServiceTold"]; last: string | undefined }) {
  const most = Math.max(...service.errors_by_hour);
  // Who logs all the time need not say so.
  const isQuiet = useNow().getTime() - Date.parse(service.last_seen_at) > HEARD_MS;
  const isWorse = service.errors_per_minute > Math.max(1, service.errors_per_minute_usual * 3);
  return (
    <li className="relative flex flex-col gap-1.5 rounded-card border border-line bg-s1 px-3.5 py-2.5 has-[a:hover]:bg-s2">
      <p className="flex items-center gap-2">
        <span
          aria-hidden="true"
          className={cn("size-1.5 rounded-full", service.incident || service.muted ? "bg-sand" : "bg-sage")}
        />
        {service.incident ? (
          <Link
            to="/incidents/$incident"
            params={{ incident: service.incident }}
            className="min-w-0 truncate font-medium after:absolute after:inset-0"
          >
            {service.name}
          </Link>
        ) : (
          <Link
            to="/incidents"
            search={{ service: service.name }}
            className="min-w-0 truncate font-medium after:absolute after:inset-0"
          >
            {service.name}
          </Link>
        )}
        <span
          title={`usually ${rate(service.errors_per_minute_usual)} a minute`}
          className={cn("ml-auto shrink-0 text-small", isWorse ? "text-sand" : "text-fg2")}
        >
          {rate(service.errors_per_minute)} {rate(service.errors_per_minute) === "1" ? "error" : "errors"}/min
        </span>
      </p>
      <Sparkline
        kind="bars"
        values={service.errors_by_hour}
        label={`Errors of ${service.name} in each of the last 24 hours, ${most.toLocaleString("en")} at most`}
        className={service.incident ? "text-sand" : "text-fg3"}
        height={22}
      />
      <p className="flex flex-wrap justify-between gap-x-2 text-meta text-fg3">
        <span>
          {service.muted ? (
            <span className="text-sand">{service.muted.why.slice(service.name.length + 2)}</span>
          ) : service.incident ? (
            "in an incident"
          ) : last ? (
            <>
              last incident <Time at={last} />
            </>
          ) : (
            `usually ${rate(service.errors_per_minute_usual)}/min`
          )}
        </span>
        {isQuiet && (
          <span>
            heard <Time at={service.last_seen_at} />
          </span>
        )}
      </p>
    </li>
  );
}
