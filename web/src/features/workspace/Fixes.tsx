import { History, TriangleAlert } from "lucide-react";
import type { Schemas } from "@/api/client";
import { useRead } from "@/api/reading";
import { isElsewhere, usePlace } from "@/lib/place";
import { headlineOf } from "@/lib/words";
import { EvidenceLinks } from "@/ui/Evidence";
import { Empty, Shown, Skeletons } from "@/ui/states";
import { Words } from "@/ui/Words";
import { type Glance, reviewed } from "./deck";
import { type Decide, type Doing, FixCard } from "./FixCard";
import type { Go } from "./places";

type Query = ReturnType<typeof useRead<"/api/v1/incidents/{incident_id}/cards">>;

interface FixesProps {
  incident: string;
  incidents: readonly { id: string; title: string }[];
  deck: Query;
  chosen: Glance | undefined;
  choose: (card: Glance) => void;
  doing: Doing;
  setDoing: (doing: Doing) => void;
  decide: Decide;
  whyNot: string;
  /** The file of the chosen card has changed since the card was made. */
  isStale: boolean;
  widen: () => void;
  go: Go;
}

/** What could be changed for an incident, the best first. */
export function Fixes(props: FixesProps) {
  const { incident, incidents, deck, go } = props;
  const counts = useRead("/api/v1/memory-log", { query: { incident, limit: 1 } }, { isOn: incident !== "" }).data
    ?.counts;
  const isPast = isElsewhere(usePlace());
  const { done, all } = reviewed(deck.data?.cards ?? [], counts ?? {});
  return (
    <section aria-label="Fixes" className="flex h-full min-h-0 flex-col">
      <div className="flex h-[38px] shrink-0 items-center gap-2.5 border-b border-line px-4">
        <h2 className="font-semibold">Fixes</h2>
        {deck.data && (
          <span className="text-small whitespace-nowrap text-fg2">
            {done} of {all} reviewed
          </span>
        )}
        {incidents.length > 0 && (
          <label className="ml-auto flex min-w-0 items-center gap-1.5 text-small text-fg3">
            for
            <select
              aria-label="Incident"
              value={incident}
              onChange={(event) =>
                go({ incident: event.target.value, card: undefined, path: undefined, ln: undefined })
              }
              className="h-6 max-w-64 min-w-0 truncate rounded-[5px] bg-bg font-mono text-meta text-fg pointer-coarse:h-9"
            >
              {incidents.map((one) => (
                <option key={one.id} value={one.id}>
                  {one.id}
                </option>
              ))}
            </select>
          </label>
        )}
      </div>
      <section
        className="scroll-thin min-h-0 flex-1 scroll-pb-14 overflow-y-auto px-3 py-3"
        tabIndex={0}
        aria-label="Cards"
      >
        {isPast && (
          <p className="pb-2.5 text-small text-fg3">
            Code and cards are those of today; the log below is as it was then.
          </p>
        )}
        {incident === "" ? (
          <Empty why="There is no incident to propose a fix for. When one opens, its fixes appear here." />
        ) : (
          <>
            <Remembered incident={incident} />
            <Shown
              of={deck}
              what="What could be changed"
              still="Files and the log below still work."
              loading={<Skeletons rows={3} className="h-16" label="Looking for fixes" />}
            >
              {(found) => <Cards {...props} found={found} />}
            </Shown>
          </>
        )}
      </section>
    </section>
  );
}

/** When this was mended before, by whom, and until when that held: before anybody decides about mending it again. */
function Remembered({ incident }: { incident: string }) {
  const told = useRead("/api/v1/incidents/{incident_id}/recall", { path: { incident_id: incident } }).data?.diagnosis;
  if (!told?.case || told.familiarity === "not seen before") return null;
  const evidence = told.fixes[0]?.evidence.slice(0, 1) ?? [];
  return (
    <p className="mb-2.5 flex gap-2 rounded-lg border hero px-3 py-2">
      <History aria-hidden="true" className="mt-0.5 size-3.5 shrink-0 text-moon" />
      <span className="min-w-0 break-words">
        {headlineOf(told)} <EvidenceLinks evidence={evidence} />
      </span>
    </p>
  );
}

function Cards({ found, ...props }: FixesProps & { found: Schemas["DeckTold"] }) {
  const { chosen, choose, isStale, go } = props;
  return (
    <div className="flex flex-col gap-2.5">
      {found.cards.length === 0 && (
        <Empty
          className="py-1"
          why={
            found.held_back.length > 0
              ? "Nothing is left to decide about. What was thought of and held back is below."
              : "No fix known for this code."
          }
        />
      )}
      {found.cards.map((card) => (
        <FixCard
          key={card.id}
          card={card}
          isChosen={card.id === chosen?.id}
          choose={() => choose(card)}
          doing={props.doing}
          setDoing={props.setDoing}
          decide={props.decide}
          whyNot={props.whyNot}
          isStale={isStale && card.id === chosen?.id}
          widen={props.widen}
        />
      ))}
      {found.warned.map((one) => (
        <p
          key={`${one.path}:${one.lines.first}`}
          className="flex gap-2 rounded-lg border edge-sand wash-sand px-3 py-2"
        >
          <TriangleAlert aria-hidden="true" className="mt-0.5 size-3.5 shrink-0 text-sand" />
          <span className="min-w-0 break-words">
            <Words text={one.text} />{" "}
            <button
              type="button"
              className="font-mono text-meta text-moon underline underline-offset-2"
              onClick={() => go({ path: one.path, ln: one.lines.first, pane: "code" })}
            >
              {one.path}:{one.lines.first}
            </button>
          </span>
        </p>
      ))}
      {found.notes.map((one) => (
        <p key={one} className="text-small text-fg3">
          {one}
        </p>
      ))}
      <HeldBack held={found.held_back} />
    </div>
  );
}

/** So that nobody wonders whether it was thought of. */
function HeldBack({ held }: { held: readonly Schemas["HeldBack"][] }) {
  if (held.length === 0) return null;
  return (
    <details className="rounded-lg border border-line px-3 py-1.5 text-small">
      <summary className="min-h-6 text-fg2">{held.length} held back</summary>
      <ul className="flex flex-col gap-2 pt-1 pb-1">
        {held.map((one) => (
          <li key={`${one.path}${one.title}${one.reason}`}>
            <p className="break-words">
              <Words text={one.title} /> <code className="text-meta text-fg3">{one.path}</code>
            </p>
            <p className="break-words text-fg2">
              <Words text={one.reason} /> <EvidenceLinks evidence={one.evidence} />
            </p>
          </li>
        ))}
      </ul>
    </details>
  );
}
