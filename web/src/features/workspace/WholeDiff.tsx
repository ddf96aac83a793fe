import { X } from "lucide-react";
import { lazy, Suspense } from "react";
import { useRead } from "@/api/reading";
import { Button } from "@/ui/Button";
import { Shown, Skeletons } from "@/ui/states";
import type { Glance } from "./deck";
import { tongueOf } from "./editor/languages";
import { Counts } from "./FixCard";

const TwoSides = lazy(() => import("./TwoSides"));

/** The whole file before and after a card, as wide as the page allows. */
export function WholeDiff({ card, close }: { card: Glance; close: () => void }) {
  const whole = useRead("/api/v1/cards/{card_id}", { path: { card_id: card.id } });
  return (
    <section aria-label="The whole change" className="absolute inset-0 z-20 flex flex-col bg-bg">
      <div className="flex h-[38px] shrink-0 items-center gap-3 border-b border-line px-4">
        <h2 className="min-w-24 flex-1 truncate font-semibold">{card.title}</h2>
        <code className="min-w-0 truncate text-meta text-fg2 max-sm:hidden">{card.path}</code>
        <Counts added={card.added} removed={card.removed} />
        <Button size="small" keys="d" icon={<X className="size-3" />} onClick={close}>
          Close
        </Button>
      </div>
      <div className="flex border-b border-line text-small text-fg2">
        <span className="flex-1 px-4 py-1">Before</span>
        <span className="flex-1 border-l border-line px-4 py-1">After</span>
      </div>
      <div className="min-h-0 flex-1">
        <Shown of={whole} what="The diff" loading={<Skeletons rows={10} className="h-4" />}>
          {(found) => (
            <Suspense fallback={<Skeletons rows={10} className="h-4" />}>
              <TwoSides
                before={found.before ?? ""}
                after={found.after ?? ""}
                first={1}
                tongue={tongueOf(card.path)}
                label={card.path}
              />
            </Suspense>
          )}
        </Shown>
      </div>
    </section>
  );
}
