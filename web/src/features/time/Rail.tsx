import {
  type KeyboardEvent,
  type PointerEvent,
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import { absolute, date } from "@/lib/time";
import { Drawing, FLAGS_PX, LANE_PX } from "./Drawing";
import {
  type Commit,
  dayed,
  EDGE_PX,
  type Layout,
  lanes,
  layout,
  placeAt,
  short,
  snapped,
  stepped,
  xOf,
} from "./history";
import type { TimeMachine } from "./timing";

const SLIDER_PX = 44;
const DAYS_PX = 18;
// Of a long rail only what is in sight is drawn, and a little more, so that scrolling shows no gaps.
const MARGIN_PX = 480;
const STEP_PX = 240;
const LABEL_PX = 144;

function useWidth() {
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const node = box.current;
    if (!node) return;
    const measured = new ResizeObserver(() => setWidth(node.clientWidth));
    measured.observe(node);
    setWidth(node.clientWidth);
    return () => measured.disconnect();
  }, []);
  return { box, width };
}

/** Every commit of every branch, newest right, above a slider that stops at those of the chosen branch. */
export function Rail({ time }: { time: TimeMachine }) {
  const { box, width } = useWidth();
  const [start, setStart] = useState(0);
  const [held, setHeld] = useState<Commit | null>(null);
  const all = time.commits.items;
  const shape = layout(all.length, width);
  const shown = lanes(all, time.branches, time.name);
  const chosen = held ?? time.chosen;
  const place = chosen ? all.findIndex((one) => one.id === chosen.id) : -1;
  const height = FLAGS_PX + shown.length * LANE_PX + SLIDER_PX + DAYS_PX;
  const tracks = FLAGS_PX + shown.length * LANE_PX;

  const { more, hasNextPage } = time.commits;
  const look = useCallback(() => {
    const node = box.current;
    if (!node) return;
    setStart(Math.floor(node.scrollLeft / STEP_PX) * STEP_PX);
    if (node.scrollLeft < MARGIN_PX && hasNextPage) more();
  }, [box, more, hasNextPage]);
  useKeptInPlace(box, shape.width, look);

  // Whatever is chosen comes into sight; who scrolls away from it afterwards is left alone.
  const isMeasured = width > 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another choice moves the rail, not each new width.
  useEffect(() => {
    const node = box.current;
    if (!node || place < 0 || !isMeasured) return;
    const x = xOf(shape, place);
    // With its date, which is as wide to both sides; at an end of the rail that stands aside.
    const room = Math.min(LABEL_PX / 2, x, shape.width - x);
    if (x < node.scrollLeft + room || x > node.scrollLeft + node.clientWidth - room) {
      node.scrollLeft = x - node.clientWidth / 2;
    }
  }, [chosen?.id, place < 0, isMeasured]);

  const commitAt = (event: PointerEvent<HTMLDivElement>): Commit | undefined => {
    const frame = event.currentTarget.getBoundingClientRect();
    const near = placeAt(shape, event.clientX - frame.left, all.length);
    const isOnLane = !held && event.clientY - frame.top < tracks;
    return isOnLane ? all[near] : snapped(all, time.line, near);
  };
  const grab = (event: PointerEvent<HTMLDivElement>) => {
    const found = commitAt(event);
    if (event.button !== 0 || !found) return;
    if (event.shiftKey) {
      time.say({ from: short(found.id), view: "compare" });
      return;
    }
    event.currentTarget.setPointerCapture(event.pointerId);
    setHeld(found);
  };
  const release = () => {
    if (!held) return;
    // A commit of another branch takes the slider there.
    const isHere = time.line.some((one) => one.id === held.id);
    time.choose(held, isHere ? {} : { line: held.branch });
    setHeld(null);
  };
  return (
    <div ref={box} onScroll={look} className="scroll-thin relative overflow-x-auto overflow-y-hidden" data-rail>
      <div
        className="relative touch-pan-x select-none"
        style={{ width: shape.width || "100%", height }}
        onPointerDown={grab}
        onPointerMove={(event) => held && setHeld(commitAt(event) ?? held)}
        onPointerUp={release}
        onPointerCancel={() => setHeld(null)}
      >
        {width > 0 && (
          <Drawing
            time={time}
            shown={shown}
            shape={shape}
            from={Math.max(0, start - MARGIN_PX)}
            to={start + width + MARGIN_PX + STEP_PX}
            tracks={tracks}
            height={height}
            chosen={chosen ?? null}
          />
        )}
        <Slider
          time={time}
          chosen={chosen ?? null}
          x={place >= 0 ? xOf(shape, place) : null}
          top={tracks}
          shape={shape}
        />
      </div>
    </div>
  );
}

/** Older commits come in at the left: what is looked at stays where it is. At the right end it stays at the end. */
function useKeptInPlace(box: React.RefObject<HTMLDivElement | null>, width: number, look: () => void) {
  const before = useRef(0);
  useLayoutEffect(() => {
    const node = box.current;
    if (!node) return;
    node.scrollLeft = before.current === 0 ? width : node.scrollLeft + (width - before.current);
    before.current = width;
    look();
  }, [box, width, look]);
}

interface SliderProps {
  time: TimeMachine;
  chosen: Commit | null;
  x: number | null;
  top: number;
  shape: Layout;
}

/** Stops at commits only and says which one. Its keys are those of the page, and those that sliders have. */
function Slider({ time, chosen, x, top, shape }: SliderProps) {
  const { line } = time;
  const at = chosen ? line.findIndex((one) => one.id === chosen.id) : -1;
  const press = (event: KeyboardEvent) => {
    if (!chosen) return;
    const move = event.shiftKey ? dayed : stepped;
    const found: Record<string, Commit | undefined> = {
      ArrowLeft: move(line, chosen, -1),
      ArrowDown: stepped(line, chosen, -1),
      ArrowRight: move(line, chosen, 1),
      ArrowUp: stepped(line, chosen, 1),
      PageDown: dayed(line, chosen, -1),
      PageUp: dayed(line, chosen, 1),
      Home: line.at(-1),
      End: line[0],
    };
    if (!(event.key in found) || event.metaKey || event.ctrlKey || event.altKey) return;
    event.preventDefault();
    const next = found[event.key];
    if (next) time.choose(next);
  };
  return (
    <div className="absolute inset-x-0 touch-none" style={{ top, height: SLIDER_PX }}>
      <div
        className="absolute top-6 h-1.5 rounded-full bg-s3"
        style={{ left: EDGE_PX, width: shape.width - 2 * EDGE_PX }}
      />
      {x !== null && (
        <div
          className="absolute top-6 h-1.5 rounded-full bg-moon/35"
          style={{ left: EDGE_PX, width: Math.max(0, x - EDGE_PX) }}
        />
      )}
      <div
        role="slider"
        tabIndex={0}
        aria-label={`Moment on ${time.name}`}
        aria-valuemin={1}
        aria-valuemax={Math.max(1, line.length)}
        aria-valuenow={at >= 0 ? line.length - at : Math.max(1, line.length)}
        aria-valuetext={
          chosen ? `${chosen.why}, ${absolute(chosen.at)}, by ${chosen.actor}` : "before the first commit"
        }
        onKeyDown={press}
        className="absolute top-[18px] size-[18px] -translate-x-1/2 pointer-coarse:top-[15px] pointer-coarse:size-6 cursor-ew-resize rounded-full border-[3px] border-s1 bg-moon shadow-(--shadow)"
        style={{ left: x ?? EDGE_PX }}
      />
      {chosen && x !== null && (
        <span
          aria-hidden="true"
          className="pointer-events-none absolute top-0 w-36 -translate-x-1/2 text-center text-meta whitespace-nowrap text-fg2"
          style={{ left: Math.min(Math.max(x, LABEL_PX / 2), shape.width - LABEL_PX / 2) }}
        >
          {date(chosen.at)}, {new Date(chosen.at).toISOString().slice(11, 16)}
        </span>
      )}
    </div>
  );
}
