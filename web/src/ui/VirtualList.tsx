import { useVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, useEffect, useRef } from "react";
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

/** A list of any length, of which only what is in sight is there. Rows are all of one height. */
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
  const rows = useVirtualizer({
    count: items.length,
    getScrollElement: () => box.current,
    estimateSize: () => rowHeight,
    overscan: 12,
    getItemKey: (place) => keyOf(items[place] as T),
  });
  const shown = rows.getVirtualItems();
  const last = shown.at(-1)?.index ?? -1;
  useEffect(() => {
    if (more && last >= items.length - 1 && items.length > 0) more();
  }, [last, items.length, more]);
  useEffect(() => {
    if (chosen >= 0) rows.scrollToIndex(chosen, { align: "auto" });
  }, [chosen, rows]);
  return (
    <div ref={box} className={cn("scroll-thin min-h-0 overflow-y-auto", className)}>
      <ul aria-label={label} className="relative" style={{ height: rows.getTotalSize() }}>
        {shown.map((one) => (
          <li
            key={one.key}
            aria-setsize={items.length}
            aria-posinset={one.index + 1}
            className="absolute inset-x-0 top-0 contain-strict"
            style={{ height: rowHeight, transform: `translateY(${one.start}px)` }}
          >
            {row(items[one.index] as T, one.index)}
          </li>
        ))}
      </ul>
    </div>
  );
}
