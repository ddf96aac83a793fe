import type { ReactNode } from "react";
import { useIsNarrow } from "@/lib/narrow";
import { Split } from "@/ui/Split";
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
const CODE_PX_MIN = 240;
const FIXES_SHARE = 0.6;
const FIXES_SHARE_MAX = 0.8;
// What a card takes with its diff and what can be done with it.
const CARD_PX = 520;

/** Files, code, and beside it what could be changed above what was decided; each as wide as somebody likes it. */
export function Panes({ pane, parts, over }: PanesProps) {
  return useIsNarrow() ? <One pane={pane} parts={parts} over={over} /> : <All parts={parts} over={over} />;
}

function All({ parts, over }: Omit<PanesProps, "pane">) {
  const beside = Math.max(BESIDE_PX_MIN, Math.min(BESIDE_PX, Math.round(window.innerWidth * BESIDE_SHARE)));
  const fixes = Math.min(FIXES_SHARE_MAX, Math.max(FIXES_SHARE, CARD_PX / window.innerHeight));
  return (
    <Split
      name="pane.files"
      label="Width of the files"
      sized="first"
      size={FILES_PX}
      least={{ first: 150, second: CODE_PX_MIN + BESIDE_PX_MIN }}
      shareMax={0.4}
      first={parts.files}
      second={
        <>
          <Split
            name="pane.beside"
            label="Width of the code"
            sized="second"
            size={beside}
            least={{ first: CODE_PX_MIN, second: BESIDE_PX_MIN }}
            first={parts.code}
            second={
              <aside aria-label="Fixes and the memory log" className="h-full">
                <Split
                  name="pane.fixes"
                  label="Height of the fixes"
                  isStacked
                  sized="first"
                  size={fixes}
                  least={{ first: 120, second: 76 }}
                  first={parts.fixes}
                  second={parts.log}
                />
              </aside>
            }
          />
          {over}
        </>
      }
    />
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
