import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from "react";
import { cn } from "@/lib/cn";

interface VirtualListProps<T> {
  items: readonly T[];
  keyOf: (item: T) => string;
  rowHeight: number;
  row: (item: T, place: number) => ReactNode;
  label: string;
  /** Called when the end comes into sight. */
  more?: () => void;
  /** The row that is chosen is kept in sight. */
  chosen?: number;
  className?: string;
}

const OVERSCAN_ROWS = 12;
// Until the box has been measured; more than what most windows show.
const HEIGHT_PX_UNTIL_KNOWN = 720;

/** Which rows are there: those in sight, and some around them so that a scroll finds them drawn. */
export function inSight(top: number, height: number, rowHeight: number, count: number): { from: number; to: number } {
  const from = Math.floor(Math.max(0, top) / rowHeight) - OVERSCAN_ROWS;
  const to = Math.ceil((Math.max(0, top) + height) / rowHeight) + OVERSCAN_ROWS;
  return { from: Math.max(0, Math.min(from, count - 1)), to: Math.min(count, to) };
}

/** A list of any length, of which only what is in sight is there. Rows are all of one height, which makes it this short. */
export function VirtualList<T>({
  items,
  keyOf,
  rowHeight,
  row,
  label,
  more,
  chosen = -1,
  className,
}: VirtualListProps<T>) {
  const box = useRef<HTMLDivElement>(null);
  const list = useRef<HTMLUListElement>(null);
  const [sight, setSight] = useState({ top: 0, height: HEIGHT_PX_UNTIL_KNOWN });
  const { from, to } = inSight(sight.top, sight.height, rowHeight, items.length);
  const look = () => {
    const now = box.current;
    if (now) setSight((old) => same(old, { top: now.scrollTop, height: now.clientHeight }));
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: `look` reads only what it refers to.
  useLayoutEffect(() => {
    if (!box.current) return;
    look();
    const observer = new ResizeObserver(look);
    observer.observe(box.current);
    return () => observer.disconnect();
  }, []);
  const isEndThere = to >= items.length && items.length > 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: with more items there is another end.
  useEffect(() => {
    if (isEndThere) more?.();
  }, [isEndThere, items.length, more]);
  useLayoutEffect(() => {
    if (chosen >= 0 && box.current && list.current) keepInSight(box.current, list.current, chosen, rowHeight);
  }, [chosen, rowHeight]);
  return (
    <div ref={box} onScroll={look} className={cn("scroll-thin relative min-h-0 overflow-y-auto", className)}>
      <ul ref={list} aria-label={label} className="relative" style={{ height: items.length * rowHeight }}>
        {items.slice(from, to).map((item, at) => (
          <li
            key={keyOf(item)}
            aria-setsize={items.length}
            aria-posinset={from + at + 1}
            className="absolute inset-x-0 top-0 contain-strict"
            style={{ height: rowHeight, transform: `translateY(${(from + at) * rowHeight}px)` }}
          >
            {row(item, from + at)}
          </li>
        ))}
      </ul>
    </div>
  );
}

function same<T extends { top: number; height: number }>(old: T, now: T): T {
  return old.top === now.top && old.height === now.height ? old : now;
}

function keepInSight(box: HTMLElement, list: HTMLElement, place: number, rowHeight: number): void {
  const at = list.offsetTop + place * rowHeight;
  if (at < box.scrollTop) box.scrollTop = at;
  else if (at + rowHeight > box.scrollTop + box.clientHeight) box.scrollTop = at + rowHeight - box.clientHeight;
}
