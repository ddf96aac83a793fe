import { type KeyboardEvent, type PointerEvent, type ReactNode, useId, useLayoutEffect, useRef, useState } from "react";
import { cn } from "@/lib/cn";
import { keep, kept } from "@/lib/kept";

interface SplitProps {
  /** Under what this browser remembers where somebody left the edge. */
  name: string;
  /** What the edge is called: "Width of the files". */
  label: string;
  /** Which of the two has a size; the other one has what is left. */
  sized: "first" | "second";
  /** Pixels, or below 1 a share of the whole. */
  size: number;
  /** Pixels. */
  least: { first: number; second: number };
  /** At most this share of the whole is the sized one's. */
  shareMax?: number;
  isStacked?: boolean;
  first: ReactNode;
  second: ReactNode;
}

const STEP_PX = 32;

/**
 * Two parts beside or above one another, and an edge between them that can be moved: by pointer, with the arrow keys, and
 * back to where it was with a double click.
 */
export function Split(props: SplitProps) {
  const { name, label, sized, size: usual, least, shareMax = 1, isStacked = false, first, second } = props;
  const box = useRef<HTMLDivElement>(null);
  const part = useRef<HTMLDivElement>(null);
  const moving = useRef<{ from: number; size: number; left: number | null } | null>(null);
  const id = useId();
  const [size, setSize] = useState(() => Number(kept(name)) || usual);
  const [{ now, whole }, setMeasured] = useState({ now: 0, whole: 0 });
  const lengthOf = (one: HTMLElement | null) => (isStacked ? one?.offsetHeight : one?.offsetWidth) ?? 0;
  // What is said of the edge is what is there: other limits than the wish may have decided.
  // biome-ignore lint/correctness/useExhaustiveDependencies: it measures what the size has led to.
  useLayoutEffect(() => {
    const measure = () => setMeasured({ now: lengthOf(part.current), whole: lengthOf(box.current) });
    measure();
    if (!box.current) return;
    const observer = new ResizeObserver(measure);
    observer.observe(box.current);
    return () => observer.disconnect();
  }, [size]);
  const other = sized === "first" ? "second" : "first";
  const most = () =>
    Math.max(least[sized], Math.min(shareMax * lengthOf(box.current), lengthOf(box.current) - least[other]));
  const resize = (px: number) => {
    const next = Math.round(Math.max(least[sized], Math.min(most(), px)));
    // What began as a share stays one, so that a window of another size is divided alike.
    const found = usual < 1 ? next / Math.max(1, lengthOf(box.current)) : next;
    setSize(found);
    return found;
  };
  const grows = sized === "first" ? 1 : -1;
  const at = (event: PointerEvent) => (isStacked ? event.clientY : event.clientX);
  const begin = (event: PointerEvent<HTMLElement>) => {
    if (event.button !== 0) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    moving.current = { from: at(event), size: lengthOf(part.current), left: null };
  };
  const move = (event: PointerEvent) => {
    const held = moving.current;
    if (held) held.left = resize(held.size + grows * (at(event) - held.from));
  };
  const end = () => {
    // A click alone moves nothing, and is nothing to remember.
    if (moving.current?.left) keep(name, String(moving.current.left));
    moving.current = null;
  };
  const press = (event: KeyboardEvent) => {
    const [less, more] = isStacked ? ["ArrowUp", "ArrowDown"] : ["ArrowLeft", "ArrowRight"];
    const wanted =
      event.key === less
        ? now - grows * STEP_PX
        : event.key === more
          ? now + grows * STEP_PX
          : event.key === "Home"
            ? 0
            : event.key === "End"
              ? whole
              : null;
    if (wanted === null) return;
    event.preventDefault();
    keep(name, String(resize(wanted)));
  };
  const reset = () => {
    setSize(usual);
    keep(name, "");
  };
  const styleOf = (one: "first" | "second") => ({
    [isStacked ? "minHeight" : "minWidth"]: least[one],
    ...(one === sized
      ? {
          flex: `0 1 ${size < 1 ? `${100 * size}%` : `${size}px`}`,
          ...(shareMax < 1 ? { [isStacked ? "maxHeight" : "maxWidth"]: `${100 * shareMax}%` } : {}),
        }
      : { flex: "1 1 0" }),
  });
  const half = (one: "first" | "second", content: ReactNode) => (
    <div ref={one === sized ? part : null} id={`${id}${one}`} style={styleOf(one)} className="relative overflow-hidden">
      {content}
    </div>
  );
  return (
    <div ref={box} className={cn("flex h-full min-h-0 min-w-0 flex-1", isStacked && "flex-col")}>
      {half("first", first)}
      {/* biome-ignore lint/a11y/useSemanticElements: a line between paragraphs cannot be moved. */}
      <div
        role="separator"
        tabIndex={0}
        aria-label={label}
        aria-controls={`${id}${sized}`}
        aria-orientation={isStacked ? "horizontal" : "vertical"}
        aria-valuenow={whole ? Math.round((100 * now) / whole) : 50}
        aria-valuemin={0}
        aria-valuemax={100}
        onPointerDown={begin}
        onPointerMove={move}
        onPointerUp={end}
        onPointerCancel={end}
        onKeyDown={press}
        onDoubleClick={reset}
        className={cn(
          "relative z-10 shrink-0 touch-none bg-line before:absolute hover:bg-line2 focus-visible:outline-2 active:bg-moon",
          // Wider for whoever takes hold of it than it is drawn.
          isStacked
            ? "h-px cursor-row-resize before:inset-x-0 before:-inset-y-1"
            : "w-px cursor-col-resize before:-inset-x-1 before:inset-y-0",
        )}
      />
      {half("second", second)}
    </div>
  );
}
