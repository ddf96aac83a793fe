import { type ReactNode, useSyncExternalStore } from "react";
import { Group, Panel, Separator, useDefaultLayout } from "react-resizable-panels";
import { keep, kept } from "@/lib/kept";
import type { Pane } from "./places";

interface PanesProps {
  /** Which one is shown where there is room for one only. */
  pane: Pane;
  parts: Record<Pane, ReactNode>;
  /** What covers the code and everything beside it. */
  over: ReactNode;
}

const FILES_PX = 208;
const BESIDE_PX = 568;
// On a small screen the code needs the room.
const BESIDE_SHARE = 0.395;
const BESIDE_PX_MIN = 340;
const FIXES_SHARE = 0.6;
const FIXES_SHARE_MAX = 0.8;
// What a card takes with its diff and what can be done with it.
const CARD_PX = 520;
const CLIPPED = { overflow: "hidden" };
const STORE = { getItem: (name: string) => kept(name) || null, setItem: keep };

/** Files, code, and beside it what could be changed above what was decided; each as wide as somebody likes it. */
export function Panes({ pane, parts, over }: PanesProps) {
  return useIsNarrow() ? <One pane={pane} parts={parts} over={over} /> : <All parts={parts} over={over} />;
}

function All({ parts, over }: Omit<PanesProps, "pane">) {
  const beside = Math.max(BESIDE_PX_MIN, Math.min(BESIDE_PX, Math.round(window.innerWidth * BESIDE_SHARE)));
  const fixes = Math.min(FIXES_SHARE_MAX, Math.max(FIXES_SHARE, CARD_PX / window.innerHeight));
  return (
    <Group {...useSizes("files")} className="min-h-0 flex-1">
      <Panel
        id="files"
        defaultSize={FILES_PX}
        minSize={150}
        maxSize="40"
        groupResizeBehavior="preserve-pixel-size"
        style={CLIPPED}
      >
        {parts.files}
      </Panel>
      <Edge label="Width of the files" />
      <Panel id="rest" style={CLIPPED}>
        <div className="relative h-full">
          <Group {...useSizes("beside")}>
            <Panel id="code" minSize={240} style={CLIPPED}>
              {parts.code}
            </Panel>
            <Edge label="Width of the code" />
            <Panel
              id="beside"
              defaultSize={beside}
              minSize={BESIDE_PX_MIN}
              groupResizeBehavior="preserve-pixel-size"
              style={CLIPPED}
            >
              <aside aria-label="Fixes and the memory log" className="h-full">
                <Group {...useSizes("log")} orientation="vertical">
                  <Panel id="fixes" defaultSize={`${100 * fixes}%`} minSize={120} style={CLIPPED}>
                    {parts.fixes}
                  </Panel>
                  <Edge label="Height of the fixes" isFlat />
                  <Panel id="log" defaultSize={`${100 * (1 - fixes)}%`} minSize={76} style={CLIPPED}>
                    {parts.log}
                  </Panel>
                </Group>
              </aside>
            </Panel>
          </Group>
          {over}
        </div>
      </Panel>
    </Group>
  );
}

/** Where there is no room beside one another; what is not shown stays as it was left. */
function One({ pane, parts, over }: PanesProps) {
  return (
    <div className="relative min-h-0 flex-1">
      {(Object.keys(parts) as Pane[]).map((one) => (
        <div key={one} hidden={one !== pane} className="h-full">
          {parts[one]}
        </div>
      ))}
      {over}
    </div>
  );
}

/** A line that can be moved: by pointer, with the arrow keys, and back to where it was with a double click. */
function Edge({ label, isFlat = false }: { label: string; isFlat?: boolean }) {
  return (
    <Separator
      aria-label={label}
      className={`${isFlat ? "h-px" : "w-px"} bg-line data-[separator=active]:bg-moon data-[separator=hover]:bg-line2 focus-visible:outline-2`}
    />
  );
}

/** As somebody left them in this browser. */
function useSizes(id: string) {
  return {
    id: `bench-${id}`,
    ...useDefaultLayout({ id: `bench.${id}`, storage: STORE, onlySaveAfterUserInteractions: true }),
  };
}

const NARROW = window.matchMedia("(width < 900px)");

function useIsNarrow(): boolean {
  return useSyncExternalStore(
    (changed) => {
      NARROW.addEventListener("change", changed);
      return () => NARROW.removeEventListener("change", changed);
    },
    () => NARROW.matches,
  );
}
