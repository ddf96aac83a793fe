import { useMemo } from "react";
import { cn } from "@/lib/cn";
import { type Commit, days, EDGE_PX, type Lane, type Layout, placeAt, type Snapshot, xOf } from "./history";
import type { TimeMachine } from "./timing";

export const LANE_PX = 22;
export const FLAGS_PX = 22;
const HUES = ["text-moon", "text-sage", "text-sand", "text-coral", "text-fg2"];

export function hueOf(shown: readonly Lane[], branch: string): string {
  const lane = shown.find((one) => one.branch.name === branch);
  return HUES[(lane?.number ?? HUES.length - 1) % HUES.length] as string;
}

interface DrawingProps {
  time: TimeMachine;
  shown: readonly Lane[];
  shape: Layout;
  from: number;
  to: number;
  tracks: number;
  height: number;
  chosen: Commit | null;
}

/** The picture of it. The slider says the same in words, so readers of the screen are spared the picture. */
export function Drawing({ time, shown, shape, from, to, tracks, height, chosen }: DrawingProps) {
  const all = time.commits.items;
  const width = Math.min(to, shape.width) - from;
  const yOf = (branch: string) => {
    const lane = shown.find((one) => one.branch.name === branch);
    return lane ? tracks - (lane.number + 0.5) * LANE_PX : null;
  };
  const newest = placeAt(shape, to + EDGE_PX, all.length);
  const oldest = placeAt(shape, from - EDGE_PX, all.length);
  const places = Array.from({ length: oldest - newest + 1 }, (_, place) => newest + place);
  const named = new Map<string, Snapshot[]>();
  for (const one of time.snapshots) named.set(one.commit, [...(named.get(one.commit) ?? []), one]);
  const members = useMemo(() => new Set(time.line.map((one) => one.id)), [time.line]);
  const { gap, width: whole } = shape;
  const labels = useMemo(() => days(all, { gap, width: whole }), [all, gap, whole]);
  return (
    <>
      <svg
        aria-hidden="true"
        width={Math.max(0, width)}
        height={height}
        viewBox={`${from} 0 ${Math.max(1, width)} ${height}`}
        className="absolute top-0"
        style={{ left: from }}
      >
        {labels.map((one) => (
          <g key={one.place} className="text-line2">
            <line
              x1={xOf(shape, one.place) - 6}
              x2={xOf(shape, one.place) - 6}
              y1={FLAGS_PX - 6}
              y2={height}
              stroke="currentColor"
            />
            <text x={xOf(shape, one.place)} y={height - 5} className="fill-fg3 text-meta">
              {one.label}
            </text>
          </g>
        ))}
        {shown.map((lane) => (
          <LanePath
            key={lane.branch.name}
            lane={lane}
            all={all}
            shape={shape}
            yOf={yOf}
            hue={hueOf(shown, lane.branch.name)}
          />
        ))}
        {places.map((place) => {
          const one = all[place] as Commit;
          const y = yOf(one.branch);
          if (y === null) return null;
          const x = xOf(shape, place);
          const joined = one.merge_parent ? all.findIndex((other) => other.id === one.merge_parent) : -1;
          const source = joined >= 0 ? yOf((all[joined] as Commit).branch) : null;
          const isChosen = one.id === chosen?.id;
          const isPinned = one.id === time.pinned?.id;
          return (
            <g key={one.id} className={hueOf(shown, one.branch)} opacity={members.has(one.id) ? 1 : 0.45}>
              {source !== null && (
                <path
                  d={`M ${xOf(shape, joined)} ${source} C ${x - 6} ${source}, ${x} ${source}, ${x} ${y}`}
                  fill="none"
                  stroke="currentColor"
                  strokeDasharray="3 3"
                />
              )}
              {(isChosen || isPinned) && (
                <circle
                  cx={x}
                  cy={y}
                  r={9}
                  fill="none"
                  stroke="currentColor"
                  strokeDasharray={isPinned ? "2 2" : undefined}
                />
              )}
              <circle cx={x} cy={y} r={dotOf(one)} className="fill-current stroke-s1" strokeWidth={1.5} />
              {named.has(one.id) && (
                <path d={`M ${x - 4.5} ${FLAGS_PX - 14} h 9 v 11 l -4.5 -3.5 l -4.5 3.5 z`} className="fill-fg2" />
              )}
            </g>
          );
        })}
      </svg>
      {shown.slice(1).map((lane) => (
        <span
          key={lane.branch.name}
          aria-hidden="true"
          className={cn(
            "pointer-events-none absolute max-w-40 truncate rounded bg-s1 px-1 font-mono text-meta",
            hueOf(shown, lane.branch.name),
          )}
          style={{
            top: (yOf(lane.branch.name) ?? 0) - 8,
            ...labelled(lane, shape),
          }}
        >
          {lane.branch.name}
        </span>
      ))}
    </>
  );
}

/** A branch's name stands after its newest commit, or before its beginning where there is no room. */
function labelled(lane: Lane, shape: Layout): { left: number } | { right: number } {
  const x = xOf(shape, lane.head ?? 0);
  const isCrowded = shape.width - x < 170;
  return isCrowded ? { right: shape.width - xOf(shape, lane.fork ?? 0) + 14 } : { left: x + 14 };
}

// A commit that changed much is a little larger; merges are as large as anything.
function dotOf(commit: Commit): number {
  if (commit.action !== "commit") return 5;
  return commit.changes > 20 ? 5 : commit.changes > 3 ? 4.25 : 3.5;
}

interface LanePathProps {
  lane: Lane;
  all: readonly Commit[];
  shape: Layout;
  yOf: (branch: string) => number | null;
  hue: string;
}

function LanePath({ lane, all, shape, yOf, hue }: LanePathProps) {
  const y = yOf(lane.branch.name) ?? 0;
  const root = lane.branch.parent ? (yOf(lane.branch.parent) ?? y) : y;
  const begin = lane.fork === null ? xOf(shape, Math.max(0, all.length - 1)) : xOf(shape, lane.fork);
  const left = lane.branch.parent && lane.fork === null ? 0 : begin;
  const head = lane.head === null ? begin : xOf(shape, lane.head);
  const end = lane.isEmpty ? head + 12 : head;
  const bend = Math.min(12, Math.max(6, shape.gap / 2));
  const path =
    lane.fork === null
      ? `M ${left} ${y} H ${end}`
      : `M ${begin} ${root} C ${begin + bend} ${root}, ${begin} ${y}, ${begin + bend} ${y} H ${Math.max(end, begin + bend)}`;
  return (
    <g className={hue}>
      <path d={path} fill="none" stroke="currentColor" strokeWidth={1.5} opacity={0.55} />
      {lane.isEmpty && <circle cx={end} cy={y} r={3.5} fill="none" stroke="currentColor" strokeWidth={1.5} />}
    </g>
  );
}
