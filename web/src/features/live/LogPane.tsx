import { Link } from "@tanstack/react-router";
import { ArrowDown, Siren } from "lucide-react";
import { memo, useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import { cn } from "@/lib/cn";
import { useIsNarrow } from "@/lib/narrow";
import { clockOf, span } from "@/lib/time";
import type { Following } from "./following";
import { type Band, band, type GapRow, type LineRow, type OpenedRow, type Row } from "./rows";

/** The first and the last row that are chosen, by id. */
export interface Chosen {
  from: number;
  to: number;
}

interface LogPaneProps {
  following: Following;
  chosen: Chosen | null;
  /** Of one service alone nobody needs the name in every row. */
  isOneService: boolean;
  choose: (row: LineRow, isMore: boolean) => void;
}

const ROW_HEIGHT = 24;
// Where a message has no room beside its time and service it stands below them, on up to three lines.
const NARROW_ROW_HEIGHT = 76;
const OVERSCAN = 12;
// While it rests there is room below the last row for the button that goes on.
const REST_HEIGHT = 44;

/** The stream. Only what is in sight is there; scrolling away from the end stops it, coming back goes on. */
export function LogPane({ following, chosen, isOneService, choose }: LogPaneProps) {
  const { rows, pause, waiting, stop, goOn } = following;
  const box = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const height = useHeight(box);
  const isNarrow = useIsNarrow();
  const rowHeight = isNarrow ? NARROW_ROW_HEIGHT : ROW_HEIGHT;
  const inSight = Math.ceil(height / rowHeight) + 1;
  const first = pause ? Math.floor(top / rowHeight) : Math.max(0, rows.length - inSight);
  const begin = Math.max(0, Math.min(first - OVERSCAN, rows.length - inSight));
  const shown = rows.slice(begin, begin + inSight + OVERSCAN * 2);

  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever rows come or the window changes, the end is in sight.
  useLayoutEffect(() => {
    if (!pause && box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [rows, pause, height]);

  const chosenPlace = chosen ? rows.findIndex((one) => one.id === chosen.to) : -1;
  useLayoutEffect(() => {
    if (chosenPlace >= 0 && height > 0 && box.current) keepInSight(box.current, chosenPlace, rowHeight);
  }, [chosenPlace, height, rowHeight]);

  const scrolled = () => {
    const now = box.current;
    if (!now) return;
    setTop(now.scrollTop);
    const isAtEnd = now.scrollHeight - now.scrollTop - now.clientHeight < rowHeight;
    if (!pause && !isAtEnd) stop("scroll");
    if (pause?.by === "scroll" && isAtEnd && !chosen) goOn();
  };
  return (
    <div className="relative flex min-h-0 flex-1 flex-col">
      <div
        ref={box}
        role="log"
        aria-live="off"
        aria-label="Log lines"
        tabIndex={0}
        onScroll={scrolled}
        className="scroll-thin min-h-0 flex-1 overflow-x-hidden overflow-y-auto [overflow-anchor:none] font-mono text-meta focus-visible:outline-offset-[-2px]"
      >
        <div style={{ height: rows.length * rowHeight + (pause ? REST_HEIGHT : 0) }}>
          <div style={{ height: begin * rowHeight }} />
          {shown.map((row) => (
            <OneRow
              key={row.id}
              row={row}
              isChosen={isWithin(row, chosen)}
              isOneService={isOneService}
              isWrapped={isNarrow}
              choose={choose}
            />
          ))}
        </div>
      </div>
      {pause && (
        <button
          type="button"
          onClick={goOn}
          className="absolute bottom-3 left-1/2 flex h-7 -translate-x-1/2 items-center gap-1.5 rounded-full border edge-moon bg-s2 px-3 text-small whitespace-nowrap text-moon shadow-(--shadow) hover:bg-s3 pointer-coarse:h-9"
        >
          <ArrowDown className="size-3.5" />
          {waiting > 0 ? `+${waiting.toLocaleString("en")} new` : "Paused, nothing new"}
        </button>
      )}
    </div>
  );
}

function isWithin(row: Row, chosen: Chosen | null): boolean {
  if (!chosen || row.kind !== "line") return false;
  return row.id >= Math.min(chosen.from, chosen.to) && row.id <= Math.max(chosen.from, chosen.to);
}

function keepInSight(box: HTMLElement, place: number, rowHeight: number): void {
  const at = place * rowHeight;
  if (at < box.scrollTop) box.scrollTop = at;
  else box.scrollTop = Math.max(box.scrollTop, at + rowHeight + REST_HEIGHT - box.clientHeight);
}

function useHeight(box: React.RefObject<HTMLElement | null>): number {
  const [height, setHeight] = useState(600);
  useEffect(() => {
    if (!box.current) return;
    const observer = new ResizeObserver(([entry]) => entry && setHeight(entry.contentRect.height));
    observer.observe(box.current);
    return () => observer.disconnect();
  }, [box]);
  return height;
}

interface OneRowProps {
  row: Row;
  isChosen: boolean;
  isOneService: boolean;
  isWrapped: boolean;
  choose: (row: LineRow, isMore: boolean) => void;
}

export const OneRow = memo(function OneRow({ row, ...rest }: OneRowProps) {
  const height = rest.isWrapped ? NARROW_ROW_HEIGHT : ROW_HEIGHT;
  if (row.kind === "gap") return <Gap row={row} height={height} />;
  if (row.kind === "opened") return <Opened row={row} height={height} />;
  return <LogLine row={row} {...rest} />;
});

const HUES: Record<Band, string> = {
  fatal: "text-coral",
  error: "text-coral",
  warn: "text-sand",
  info: "text-fg3",
  debug: "text-fg3",
  trace: "text-fg3",
  unknown: "text-fg3",
};

function LogLine({ row, isChosen, isOneService, isWrapped, choose }: OneRowProps & { row: LineRow }) {
  const { line, count, since } = row;
  const level = band(line.level);
  const isBad = level === "error" || level === "fatal";
  const click = useCallback((event: React.MouseEvent) => choose(row, event.shiftKey), [choose, row]);
  return (
    <button
      type="button"
      // One Tab for the whole stream; j and k go from line to line.
      tabIndex={-1}
      aria-pressed={isChosen}
      // The keys of the page go on to work after a click.
      onMouseDown={(event) => event.preventDefault()}
      onClick={click}
      style={{ height: isWrapped ? NARROW_ROW_HEIGHT : ROW_HEIGHT }}
      className={cn(
        "flex w-full border-l-[3px] px-3 text-left contain-strict",
        isWrapped ? "flex-col gap-0.5 border-b border-b-line py-1 leading-4" : "items-center gap-2.5",
        isBad ? "border-l-coral/70" : "border-l-transparent",
        isChosen ? "bg-s3" : "hover:bg-s2",
      )}
    >
      <span className="flex shrink-0 items-center gap-2.5">
        <span className="w-[84px] shrink-0 whitespace-nowrap text-fg3 tabular-nums">{clockOf(since)}</span>
        <span className={cn("w-10 shrink-0", HUES[level])}>{level === "unknown" ? "" : level}</span>
        {!isOneService && <span className="w-[92px] shrink-0 truncate text-fg2">{line.service}</span>}
        {count > 1 && (
          <span className="shrink-0 rounded-[4px] bg-s3 px-1 text-fg tabular-nums">×{count.toLocaleString("en")}</span>
        )}
      </span>
      <span
        className={cn(
          "min-w-0",
          isWrapped ? "line-clamp-3 whitespace-normal [overflow-wrap:anywhere]" : "flex-1 truncate",
          isBad ? "text-fg" : "text-fg2",
        )}
      >
        {line.message}
      </span>
    </button>
  );
}

/** What is said of a time in which nobody was heard. */
export function gapWords({ seconds, state, found }: Pick<GapRow, "seconds" | "state" | "found">): string {
  const missed = `missed ${span(seconds)}`;
  if (state === "asking") return `${missed}, asking for it`;
  if (state === "failed") return `${missed}; it could not be fetched afterwards`;
  const lines = found === 1 ? "1 line" : `${found.toLocaleString("en")} lines`;
  return state === "filled" ? `${missed}, backfilled ${lines}` : `${missed}, backfilled the last ${lines} of it`;
}

function Gap({ row, height }: { row: GapRow; height: number }) {
  return (
    <p style={{ height }} className="flex items-center gap-3 px-3 font-sans text-meta text-sand contain-strict">
      <span aria-hidden="true" className="h-px flex-1 bg-sand/30" />
      {gapWords(row)}
      <span aria-hidden="true" className="h-px flex-1 bg-sand/30" />
    </p>
  );
}

function Opened({ row, height }: { row: OpenedRow; height: number }) {
  return (
    <p style={{ height }} className="flex items-center gap-2 wash-sand px-3 font-sans text-small contain-strict">
      <Siren aria-hidden="true" className="size-3.5 shrink-0 text-sand" />
      <span className="shrink-0 text-fg2">Incident</span>
      <Link
        to="/incidents/$incident"
        params={{ incident: row.incident }}
        className="min-w-0 truncate font-medium hover:underline"
      >
        {row.title}
      </Link>
    </p>
  );
}
