import { Link } from "@tanstack/react-router";
import { type KeyboardEvent, memo, useMemo } from "react";
import type { Schemas } from "@/api/client";
import { useRead } from "@/api/reading";
import { cn } from "@/lib/cn";
import { useStore } from "@/lib/store";
import { Sparkline } from "@/ui/Sparkline";
import { Empty, ErrorBox, Skeletons } from "@/ui/states";
import { type Rates, rate, SECONDS_SHOWN, type Series } from "./rates";

interface ServicesProps {
  rates: Rates;
  chosen: readonly string[];
  choose: (services: readonly string[]) => void;
}

const SILENT: Series = { lines: [], errors: [], linesPerSecond: 0, errorsPerMinute: 0 };

/** Every service with its lines a second over the last minute. One of them, or several with Shift, filter the stream. */
export function Services({ rates, chosen, choose }: ServicesProps) {
  const view = useStore(rates.view);
  const found = useRead("/api/v1/services", { query: { limit: 200 } }, { everySeconds: 30 });
  const known = useMemo(() => new Map(found.data?.items.map((one) => [one.name, one])), [found.data]);
  const names = useMemo(() => [...new Set([...known.keys(), ...view.keys(), ...chosen])].sort(), [known, view, chosen]);
  if (names.length === 0) {
    if (found.error) return <ErrorBox failure={found.error} what="The services" retry={() => void found.refetch()} />;
    if (found.isPending) return <Skeletons rows={7} className="h-9" label="Loading the services" />;
    return (
      <Empty why="No service has sent anything in the last day." className="px-3">
        <Link
          to="/settings/$part"
          params={{ part: "sending" }}
          className="rounded-[7px] bg-moon px-2.5 py-1 font-medium text-ink"
        >
          Connect a log source
        </Link>
      </Empty>
    );
  }
  const pick = (name: string, isMore: boolean) => {
    const isIn = chosen.includes(name);
    if (isMore) choose(isIn ? chosen.filter((one) => one !== name) : [...chosen, name]);
    else choose(isIn && chosen.length === 1 ? [] : [name]);
  };
  return (
    <ul aria-label="Services" className="flex flex-col gap-px p-2">
      <li>
        <button
          type="button"
          data-service=""
          aria-pressed={chosen.length === 0}
          onClick={() => choose([])}
          onKeyDown={walk}
          className={cn(LOOK, chosen.length === 0 && "bg-s3")}
        >
          <span className="min-w-0 flex-1 truncate text-left">All services</span>
          <span className="text-meta text-fg3 tabular-nums">{rate(sum(view))}/s</span>
        </button>
      </li>
      {names.map((name) => (
        <OneService
          key={name}
          name={name}
          series={view.get(name) ?? SILENT}
          known={known.get(name)}
          isChosen={chosen.includes(name)}
          pick={pick}
        />
      ))}
    </ul>
  );
}

const LOOK =
  "flex min-h-8 w-full items-center gap-2 rounded-[7px] px-2 hover:bg-s2 focus-visible:outline-offset-[-2px] pointer-coarse:min-h-10";

interface OneServiceProps {
  name: string;
  series: Series;
  known: Schemas["ServiceTold"] | undefined;
  isChosen: boolean;
  pick: (name: string, isMore: boolean) => void;
}

const OneService = memo(function OneService({ name, series, known, isChosen, pick }: OneServiceProps) {
  const isFailing = series.errorsPerMinute > 0;
  const inTrouble = Boolean(known?.incident);
  const told = `${rate(series.linesPerSecond)} lines a second and ${rate(series.errorsPerMinute)} errors a minute`;
  return (
    <li className={cn("rounded-[7px]", isChosen && "bg-s3")}>
      <button
        type="button"
        data-service={name}
        aria-pressed={isChosen}
        onClick={(event) => pick(name, event.shiftKey)}
        onKeyDown={walk}
        className={cn(LOOK, "flex-col items-stretch gap-0.5 py-1.5")}
      >
        <span className="flex items-center gap-2">
          <span aria-hidden="true" className={cn("size-1.5 rounded-full", inTrouble ? "bg-sand" : "bg-sage")} />
          <span className="min-w-0 flex-1 truncate text-left">{name}</span>
          {inTrouble && <span className="sr-only">, in an incident,</span>}
          {known?.muted && (
            <span title={known.muted.why} className="text-meta text-sand">
              muted
            </span>
          )}
          <span className="text-meta text-fg3 tabular-nums">{rate(series.linesPerSecond)}/s</span>
        </span>
        <span className="flex items-center gap-2">
          <span className="min-w-0 flex-1">
            <Sparkline
              values={series.lines}
              label={`${told}, over the last ${SECONDS_SHOWN} seconds`}
              className={inTrouble ? "text-sand" : "text-fg3"}
              height={16}
            />
          </span>
          {/* Most services log an error now and then; what is trouble, detection says. */}
          <span
            className={cn(
              "w-[78px] text-right text-meta tabular-nums",
              isFailing && inTrouble ? "text-coral" : isFailing ? "text-fg2" : "text-fg3",
            )}
          >
            {isFailing ? `${rate(series.errorsPerMinute)} err/min` : "no errors"}
          </span>
        </span>
      </button>
    </li>
  );
});

function sum(view: ReadonlyMap<string, Series>): number {
  return [...view.values()].reduce((all, one) => all + one.linesPerSecond, 0);
}

/** Up and down go from service to service. */
function walk(event: KeyboardEvent<HTMLButtonElement>): void {
  const step =
    event.key === "ArrowDown" || event.key === "j" ? 1 : event.key === "ArrowUp" || event.key === "k" ? -1 : 0;
  if (step === 0) return;
  event.preventDefault();
  const all = [...(event.currentTarget.closest("ul")?.querySelectorAll<HTMLElement>("[data-service]") ?? [])];
  all[all.indexOf(event.currentTarget) + step]?.focus();
}
