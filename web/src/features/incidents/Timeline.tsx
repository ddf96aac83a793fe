import { Activity, Bell, CircleCheck, CircleDashed, History, Radio, Rocket, Share2, UserRound } from "lucide-react";
import type { ComponentType } from "react";
import type { Schemas } from "@/api/client";
import { cn } from "@/lib/cn";
import { useNow } from "@/lib/now";
import { absolute, offset, relative } from "@/lib/time";
import { Card } from "@/ui/Card";
import { Empty } from "@/ui/states";
import { Tabs } from "@/ui/Tabs";
import { type Row, type RowIcon, type RowKind, timelineOf } from "./timeline";

const ICONS: Record<RowIcon, ComponentType<{ className?: string }>> = {
  change: Rocket,
  signal: Radio,
  alert: Bell,
  memory: History,
  cascade: Share2,
  person: UserRound,
  quiet: Activity,
  over: CircleCheck,
  next: CircleDashed,
};
const HUES: Partial<Record<RowIcon, string>> = {
  alert: "text-sand",
  memory: "text-moon",
  cascade: "text-coral",
  over: "text-sage",
  next: "text-sand",
};

interface TimelineProps {
  incident: Schemas["IncidentTold"];
  answer: Schemas["AnswerTold"] | undefined;
  then: Schemas["CaseTold"] | null;
  /** Which kind of row is shown, as the address says it. */
  kind: string | undefined;
  choose: (kind: RowKind | undefined) => void;
}

const KINDS: readonly RowKind[] = ["signal", "people", "memory"];

/** What happened, lined up with the last time; the end is last time. */
export function Timeline({ incident, answer, then, kind, choose }: TimelineProps) {
  const shown = KINDS.find((one) => one === kind) ?? "all";
  const now = useNow();
  const recalled = answer ? { ready_at: answer.ready_at, case: answer.diagnosis.case ?? "" } : null;
  const rows = timelineOf(incident, recalled, then, now);
  const isUnderWay = incident.state === "open" || incident.state === "awaiting";
  const found = rows.filter((one) => shown === "all" || one.kind === shown);
  return (
    <Card
      head="line"
      title={
        <>Timeline {then && <span className="pl-2 text-small font-normal text-fg3">lined up with {then.id}</span>}</>
      }
      aside={
        <Tabs
          label="What the timeline shows"
          value={shown}
          choose={(one) => choose(one === "all" ? undefined : one)}
          options={[
            { value: "all", label: "All" },
            { value: "signal", label: "Signals" },
            { value: "people", label: "People" },
            { value: "memory", label: "Memory" },
          ]}
        />
      }
      bodyClassName="py-2"
    >
      {found.length === 0 ? (
        <Empty why="Nothing of this kind has happened." className="px-4" />
      ) : (
        <table className="w-full table-fixed">
          <thead className="text-small text-fg3">
            <tr className="h-7">
              <th scope="col" className="w-[86px] pl-4 text-left font-normal">
                <span className="sr-only">Since the first signal</span>
              </th>
              <th scope="col" className="w-8">
                <span className="sr-only">Kind</span>
              </th>
              <th scope="col" className="text-left font-normal">
                {isUnderWay ? "Now" : "What happened"}
              </th>
              <th scope="col" className="w-[108px] text-left font-normal max-sm:hidden">
                Source
              </th>
              <th scope="col" className="w-[30%] pr-4 text-right font-normal max-sm:hidden">
                {then ? relative(then.occurred_at, now) : <span className="sr-only">The last time</span>}
              </th>
            </tr>
          </thead>
          <tbody>
            {found.map((row) => (
              <TimelineRow key={row.key} row={row} zero={incident.onset_at} />
            ))}
          </tbody>
        </table>
      )}
    </Card>
  );
}

function TimelineRow({ row, zero }: { row: Row; zero: string }) {
  const Icon = ICONS[row.icon];
  const at = new Date(Date.parse(zero) + row.seconds * 1000).toISOString();
  const words = (
    <>
      <span className={cn(row.isThen ? "text-fg2" : "font-medium")}>
        {row.title}
        {row.detail && row.isTold ? ":" : ""}
      </span>{" "}
      <span className={cn("text-fg2", row.tone === "good" && "text-sage", row.tone === "bad" && "text-coral")}>
        {row.detail}
      </span>
    </>
  );
  return (
    <tr className="group align-top">
      <td
        className="py-[5px] pl-4 font-mono text-meta leading-[19px] text-fg3"
        title={row.isThen ? "the last time" : absolute(at)}
      >
        {offset(at, zero)}
      </td>
      <td className="relative">
        <span
          aria-hidden="true"
          className="absolute top-0 bottom-0 left-1/2 border-l border-dashed border-line2 group-first:top-3 group-last:bottom-3"
        />
        <span className="relative mx-auto mt-[6px] flex size-[18px] items-center justify-center bg-s1">
          <Icon className={cn("size-3.5", row.isThen && !row.isNext ? "text-fg3" : (HUES[row.icon] ?? "text-fg2"))} />
        </span>
      </td>
      {row.isThen ? (
        <>
          <td className="py-[5px] pr-3 break-words">
            {row.isNext && (
              <span className="italic">
                {words}
                <span className="text-small text-fg3 not-italic">
                  {" · "}
                  {row.source && `${row.source}, `}last time
                </span>
              </span>
            )}
            {!row.isNext && <span className="sr-only">the last time: {words}</span>}
          </td>
          <td className="max-sm:hidden" />
          <td className="py-[5px] pr-4 text-right text-small break-words max-sm:hidden" aria-hidden={!row.isNext}>
            {row.isNext ? <span className="text-fg3">last time</span> : words}
          </td>
        </>
      ) : (
        <>
          <td className="py-[5px] pr-3 break-words">{words}</td>
          <td className="truncate py-[5px] text-small text-fg2 max-sm:hidden">{row.source}</td>
          <td className="max-sm:hidden" />
        </>
      )}
    </tr>
  );
}
