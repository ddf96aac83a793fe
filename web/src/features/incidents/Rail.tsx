import { Link } from "@tanstack/react-router";
import type { Schemas } from "@/api/client";
import { useRead } from "@/api/reading";
import { cn } from "@/lib/cn";
import { Card } from "@/ui/Card";
import { GUESS, percent } from "@/ui/Confidence";
import { caseOf } from "@/ui/Evidence";
import { Empty, Shown, Skeletons } from "@/ui/states";
import { Time } from "@/ui/Time";

type Incident = Schemas["IncidentTold"];
type Answer = Schemas["AnswerTold"];

const HOUR_MS = 3_600_000;

/** How many errors are known. The worst two minutes are counted first, and there were at least as many as in those. */
export function errorsOf(affected: readonly { errors: number; peak: number }[]): number {
  return affected.reduce((sum, one) => sum + Math.max(one.errors, one.peak), 0);
}

/** How much it has done so far, as far as it was counted. */
export function Impact({ incident }: { incident: Incident }) {
  const seen = incident.detection;
  if (!seen) return null;
  const errors = errorsOf(seen.affected);
  const worst = seen.affected.toSorted((one, other) => other.peak - one.peak)[0];
  const isOver = incident.state !== "open" && incident.state !== "awaiting";
  return (
    <Card title={isOver ? "Impact" : "Impact so far"}>
      <dl className="grid grid-cols-3 gap-2">
        <Figure value={errors} label={errors === 1 ? "error" : "errors"} />
        <Figure value={seen.affected.length} label={seen.affected.length === 1 ? "service" : "services"} />
        <Figure
          value={worst?.peak ?? 0}
          label={`${worst && seen.affected.length > 1 ? `in ${worst.service}, ` : ""}worst 2 min`}
        />
      </dl>
      <ul className="flex flex-col gap-1 pt-3 text-small">
        {seen.affected.slice(0, 8).map((one) => (
          <li key={one.service} className="flex items-baseline gap-2">
            <code className={cn("min-w-0 flex-1 truncate", one.service === seen.origin ? "text-fg" : "text-fg2")}>
              {one.service}
            </code>
            {one.service === seen.origin && <span className="text-meta text-moon">began here</span>}
            <span className="text-fg2">{errorsOf([one]).toLocaleString("en")}</span>
          </li>
        ))}
      </ul>
    </Card>
  );
}

function Figure({ value, label }: { value: number; label: string }) {
  return (
    <div className="flex flex-col-reverse justify-end">
      <dt className="text-small text-fg2">{label}</dt>
      <dd className="text-lead font-semibold">{value.toLocaleString("en")}</dd>
    </div>
  );
}

/** What else came to mind. */
export function Similar({ answer }: { answer: Answer }) {
  const { diagnosis, recollection } = answer;
  const found = (recollection?.remembered ?? []).slice(0, 5);
  if (found.length === 0 && (diagnosis.nearest ?? []).length === 0) return null;
  return (
    <Card head="line" title="Similar incidents" bodyClassName="py-1.5">
      <ul>
        {found.map((one) => (
          <li key={one.address}>
            <Link
              to="/incidents/$incident"
              params={{ incident: caseOf(one.address.replace(/^(?!cases\/)/, "cases/")) ?? one.case.id }}
              className="flex gap-3 px-4 py-2 hover:bg-s2"
            >
              <span className="min-w-0 flex-1">
                <span className="line-clamp-2 break-words">{one.case.title}</span>
                <span className="block truncate text-small text-fg2">
                  <Time at={one.case.occurred_at} />
                  {one.gates.length > 0
                    ? ` · held back: ${one.gates[0]}`
                    : one.case.resolution
                      ? ` · ${one.case.resolution.text}`
                      : " · how it ended is not recorded"}
                </span>
              </span>
              <span className={one.confidence >= GUESS ? "text-moon" : "text-fg3"}>{percent(one.confidence)}</span>
            </Link>
          </li>
        ))}
      </ul>
    </Card>
  );
}

/** Who has dealt with it, and what they did. */
export function Knowers({ answer }: { answer: Answer }) {
  const people = answer.diagnosis.people ?? [];
  if (people.length === 0) return null;
  return (
    <Card title="Who knows this">
      <ul className="flex flex-col gap-2.5 pt-1.5">
        {people.slice(0, 5).map((one) => {
          const [name = "", ...what] = one.text.split(": ");
          return (
            <li key={one.text} className="flex items-center gap-2.5">
              <span
                aria-hidden="true"
                className="flex size-7 shrink-0 items-center justify-center rounded-full bg-s3 text-meta text-fg2"
              >
                {initials(name)}
              </span>
              <span className="min-w-0">
                <span className="block truncate">{name}</span>
                <span className="block text-small text-fg2">{what.join(": ")}</span>
              </span>
            </li>
          );
        })}
      </ul>
    </Card>
  );
}

export function initials(name: string): string {
  const words = name.split(/[\s._@-]+/).filter(Boolean);
  return (words.length > 1 ? `${words[0]?.[0]}${words[1]?.[0]}` : name.slice(0, 2)).toUpperCase();
}

/** What was deployed, released or merged in the hour before. */
export function Changes({ incident }: { incident: Incident }) {
  const begun = Date.parse(incident.onset_at);
  const found = useRead("/api/v1/changes", {
    query: { since: new Date(begun - HOUR_MS).toISOString(), until: new Date(begun + 60_000).toISOString(), limit: 20 },
  });
  return (
    <Card title="What changed in the hour before">
      <Shown of={found} what="What changed" loading={<Skeletons rows={2} className="h-5" />}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty why="None reported in the hour before." className="py-1.5" />
          ) : (
            <ul className="flex flex-col gap-1.5 pt-1.5">
              {items.toReversed().map((one) => (
                <li key={`${one.source} ${one.key}`} className="flex items-baseline gap-2">
                  <code
                    className={cn(
                      "shrink-0 text-small whitespace-nowrap",
                      incident.services.includes(one.service) ? "text-sand" : "text-fg3",
                    )}
                  >
                    {one.ref.slice(0, 7) || one.kind}
                  </code>
                  <span className="line-clamp-2 min-w-0 flex-1 break-words" title={one.title}>
                    {one.title || one.kind}
                  </span>
                  <code className="max-w-2/5 shrink-0 truncate text-small text-fg3">{one.service}</code>
                  <Time at={one.at} className="text-meta text-fg3" />
                </li>
              ))}
            </ul>
          )
        }
      </Shown>
    </Card>
  );
}
