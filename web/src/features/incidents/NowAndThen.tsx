import { useEffect, useRef, useState } from "react";
import type { Schemas } from "@/api/client";
import { useRead } from "@/api/reading";
import { cn } from "@/lib/cn";
import { useNow } from "@/lib/now";
import { relative } from "@/lib/time";
import { ErrorBox, Skeleton } from "@/ui/states";
import {
  apart,
  endOf,
  mostAround,
  type Point,
  pointsOf,
  pointsOfCourse,
  roundUp,
  type Window,
  windowOf,
} from "./chart";

interface NowAndThenProps {
  incident: Schemas["IncidentTold"];
  then: Schemas["CaseTold"] | null;
}

interface Mark {
  seconds: number;
  label: string;
  tone: "change" | "good" | "bad";
}

const HEIGHT = 118;
const TOP = 18;
const BOTTOM = 20;
const LEFT = 38;
const RIGHT = 4;
// As much as the words below a tick need.
const TICK_PX = 84;
// About as wide as "3 months ago" is.
const AGO_PX = 76;
// Words that a line may run behind.
const ABOVE = "stroke-s1 [paint-order:stroke]";

function seconds(at: string, zero: string): number {
  return (Date.parse(at) - Date.parse(zero)) / 1000;
}

function iso(zero: string, offset: number): string {
  return new Date(Date.parse(zero) + offset * 1000).toISOString();
}

/** Errors now and the last time, aligned at the first signal, so that the last time shows what may come. */
export function NowAndThen({ incident, then }: NowAndThenProps) {
  const now = useNow();
  const zero = incident.onset_at;
  const elapsed = Math.max(0, seconds(endOf(incident) ?? now.toISOString(), zero));
  const window = windowOf(elapsed, then?.minutes ?? null);
  const until = Math.min(window.span, elapsed);
  const services = incident.services.slice(0, 20);
  // The window moves by whole minutes, or every second would be another question.
  const end = Math.min(window.span, Math.ceil(until / 60) * 60);
  const rates = useRead(
    "/api/v1/rates",
    {
      query: { since: iso(zero, -window.lead), until: iso(zero, end), service: services, step_seconds: window.step },
    },
    { everySeconds: incident.state === "open" ? 5 : 0, keepsPrevious: true },
  );
  const before = useRead(
    "/api/v1/rates",
    {
      query: {
        since: iso(then?.occurred_at ?? zero, -window.lead),
        until: iso(then?.occurred_at ?? zero, window.span),
        service: then?.services.slice(0, 20) ?? [],
        step_seconds: window.step,
      },
    },
    { isOn: then !== null && !then.course },
  );
  if (rates.error && !rates.data)
    return <ErrorBox failure={rates.error} what="The chart of errors" retry={() => void rates.refetch()} />;
  if (!rates.data) return <Skeleton className="h-[118px]" />;
  // What was logged is gone after a while; how it went is remembered with the incident.
  const logged = pointsOf(rates.data, zero, until);
  const course = incident.case?.course;
  const line = logged.length === 0 && course ? pointsOfCourse(course, zero, until) : logged;
  const dashed = then?.course
    ? pointsOfCourse(then.course, then.occurred_at, window.span)
    : then && before.data
      ? pointsOf(before.data, then.occurred_at, window.span)
      : [];
  return (
    <Chart
      window={window}
      line={line}
      dashed={dashed}
      elapsed={until}
      isOver={incident.resolved_at !== null}
      label={services.length === 1 ? `${services[0]} errors a minute` : `errors a minute, ${services.length} services`}
      ago={then ? relative(then.occurred_at, now) : ""}
      marks={marksOf(incident, then)}
    />
  );
}

function marksOf(incident: Schemas["IncidentTold"], then: Schemas["CaseTold"] | null): Mark[] {
  const changes = (incident.detection?.changes ?? []).slice(-2).map((one) => ({
    seconds: seconds(one.at, incident.onset_at),
    label: `${one.kind} ${one.ref.slice(0, 7)}`.trim(),
    tone: "change" as const,
  }));
  if (!then) return changes;
  const worse = then.attempts.find((one) => one.outcome === "made worse" && one.at);
  const end = then.resolution?.at ?? then.resolved_at;
  return [
    ...changes,
    ...(worse?.at
      ? [{ seconds: seconds(worse.at, then.occurred_at), label: "last time: made worse", tone: "bad" as const }]
      : []),
    ...(end ? [{ seconds: seconds(end, then.occurred_at), label: "last time: fixed", tone: "good" as const }] : []),
  ];
}

interface ChartProps {
  window: Window;
  line: readonly Point[];
  dashed: readonly Point[];
  elapsed: number;
  isOver: boolean;
  label: string;
  ago: string;
  marks: readonly Mark[];
}

function Chart({ window, line, dashed, elapsed, isOver, label, ago, marks }: ChartProps) {
  const { ref, width } = useWidth();
  const most = roundUp(Math.max(1, ...line.map((one) => one.value), ...dashed.map((one) => one.value)));
  const x = (at: number) => LEFT + ((at + window.lead) / (window.lead + window.span)) * (width - LEFT - RIGHT);
  const y = (value: number) => TOP + (1 - value / most) * (HEIGHT - TOP - BOTTOM);
  const path = (points: readonly Point[]) =>
    points.map((one, place) => `${place ? "L" : "M"}${x(one.seconds).toFixed(1)},${y(one.value).toFixed(1)}`).join("");
  const last = line.at(-1);
  // Where nothing of now is drawn yet.
  const named = dashed.find((one) => one.seconds >= Math.max(elapsed, window.span * 0.55));
  const beside = ((AGO_PX / 2) * (window.lead + window.span)) / Math.max(1, width - LEFT - RIGHT);
  const peak = line.reduce((best, one) => (one.value > best.value ? one : best), { seconds: 0, value: 0 });
  const summary = `${label}: at most ${Math.round(peak.value)}, ${last ? `now ${Math.round(last.value)}` : "no lines in this window"}${dashed.length > 0 ? `; ${ago} at most ${Math.round(Math.max(...dashed.map((one) => one.value)))}` : ""}.`;
  return (
    <div ref={ref}>
      <p aria-hidden="true" className="truncate text-meta text-fg2" style={{ paddingLeft: LEFT }}>
        {label}
      </p>
      {width > 0 && (
        <svg
          role="img"
          aria-label={summary}
          width={width}
          height={HEIGHT}
          className="block overflow-visible text-[11px]"
        >
          <rect
            x={x(elapsed)}
            y={TOP}
            width={Math.max(0, width - RIGHT - x(elapsed))}
            height={HEIGHT - TOP - BOTTOM}
            className="fill-s2/60"
          />
          {[0.5, 1].map((part) => (
            <g key={part}>
              <line x1={LEFT} x2={width - RIGHT} y1={y(most * part)} y2={y(most * part)} className="stroke-line" />
              <text x={LEFT - 6} y={y(most * part) + 4} textAnchor="end" className="fill-fg3">
                {(most * part).toLocaleString("en")}
              </text>
            </g>
          ))}
          <Ticks window={window} x={x} most={Math.floor(width / TICK_PX)} />
          <Marks
            marks={marks.filter((one) => one.seconds > -window.lead && one.seconds < window.span)}
            x={x}
            width={width}
          />
          {dashed.length > 0 && (
            <path d={path(dashed)} fill="none" strokeDasharray="3 3" className="stroke-fg3" strokeWidth="1.3" />
          )}
          {line.length > 1 && (
            <>
              <path
                d={`${path(line)}L${x(last?.seconds ?? 0)},${y(0)}L${x(line[0]?.seconds ?? 0)},${y(0)}Z`}
                className="fill-moon/10"
              />
              <path d={path(line)} fill="none" className="stroke-moon" strokeWidth="1.7" strokeLinejoin="round" />
            </>
          )}
          {last && !isOver && (
            <g>
              <circle cx={x(last.seconds)} cy={y(last.value)} r="7" className="fill-moon/25" />
              <circle cx={x(last.seconds)} cy={y(last.value)} r="3.2" className="fill-moon" />
              <text
                x={x(last.seconds) + 11}
                y={y(last.value) + 4}
                strokeWidth="3"
                className={cn(ABOVE, "fill-moon font-medium")}
              >
                now {Math.round(last.value).toLocaleString("en")}
              </text>
            </g>
          )}
          {named && (
            <text
              x={Math.min(x(named.seconds), width - RIGHT - AGO_PX / 2)}
              y={Math.max(TOP + 10, y(mostAround(dashed, named.seconds, beside)) - 7)}
              textAnchor="middle"
              strokeWidth="3"
              className={cn(ABOVE, "fill-fg3")}
            >
              {ago}
            </text>
          )}
        </svg>
      )}
      <details className="text-small text-fg3" data-screen>
        <summary className="w-max rounded px-1 hover:text-fg">As a table</summary>
        <Numbers line={line} dashed={dashed} ago={ago} />
      </details>
    </div>
  );
}

function Ticks({ window, x, most }: { window: Window; x: (at: number) => number; most: number }) {
  const many = Math.min(7, most);
  const step = [300, 600, 1_200, 1_800, 3_600, 7_200].find((one) => (window.lead + window.span) / one <= many) ?? 7_200;
  const places: number[] = [];
  for (let at = -Math.floor(window.lead / step) * step; at <= window.span; at += step) places.push(at);
  return (
    <>
      {places.map((at) => (
        <text
          key={at}
          x={x(at)}
          y={HEIGHT - 4}
          textAnchor={at === places[0] ? "start" : at === window.span ? "end" : "middle"}
          className="fill-fg3"
        >
          {at === 0 ? "first signal" : `${at < 0 ? "−" : "+"}${Math.abs(at) / 60} min`}
        </text>
      ))}
    </>
  );
}

const TONES = { change: "stroke-sand fill-fg2", good: "stroke-sage fill-sage", bad: "stroke-coral fill-coral" };

function Marks({ marks, x, width }: { marks: readonly Mark[]; x: (at: number) => number; width: number }) {
  // A label goes to the side on which there is room.
  const placed = marks.map((one) => ({ ...one, place: x(one.seconds), isLeft: x(one.seconds) > width / 2 }));
  const isRoom = apart(placed);
  return (
    <>
      {placed.map((one, position) => {
        const { place, isLeft } = one;
        return (
          <g key={one.label + one.seconds} className={TONES[one.tone]}>
            <title>{one.label}</title>
            <line x1={place} x2={place} y1={TOP - 4} y2={HEIGHT - BOTTOM} strokeDasharray="2 3" fill="none" />
            {isRoom[position] && (
              <text x={place + (isLeft ? -5 : 5)} y={TOP - 7} textAnchor={isLeft ? "end" : "start"} stroke="none">
                {one.label}
              </text>
            )}
          </g>
        );
      })}
    </>
  );
}

/** The most of each minute. */
function byMinute(points: readonly Point[]): ReadonlyMap<number, number> {
  const found = new Map<number, number>();
  for (const { seconds: at, value } of points) {
    const minute = Math.floor(at / 60);
    found.set(minute, Math.max(found.get(minute) ?? 0, value));
  }
  return found;
}

function Numbers({ line, dashed, ago }: { line: readonly Point[]; dashed: readonly Point[]; ago: string }) {
  const before = byMinute(dashed);
  const minutes = byMinute(line);
  return (
    <div tabIndex={0} className="scroll-thin max-h-48 overflow-y-auto">
      <table className="text-fg2">
        <thead>
          <tr className="text-left">
            <th scope="col" className="pr-6 font-normal">
              Minute
            </th>
            <th scope="col" className="pr-6 font-normal">
              Errors a minute now
            </th>
            {dashed.length > 0 && (
              <th scope="col" className="font-normal">
                {ago}
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {[...minutes].map(([minute, value]) => (
            <tr key={minute}>
              <td>{minute < 0 ? `−${-minute}` : `+${minute}`}</td>
              <td>{Math.round(value).toLocaleString("en")}</td>
              {dashed.length > 0 && <td>{Math.round(before.get(minute) ?? 0).toLocaleString("en")}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function useWidth() {
  const ref = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const box = ref.current;
    if (!box) return;
    const observer = new ResizeObserver(() => setWidth(box.clientWidth));
    observer.observe(box);
    return () => observer.disconnect();
  }, []);
  return { ref, width };
}
