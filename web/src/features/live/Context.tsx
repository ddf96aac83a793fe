import { useState } from "react";
import type { Schemas } from "@/api/client";
import { cn } from "@/lib/cn";
import { clockOf } from "@/lib/time";
import { Button } from "@/ui/Button";
import { Shown, Skeletons } from "@/ui/states";
import { Tabs } from "@/ui/Tabs";
import { type Pointed, useAround } from "./pointing";
import { band } from "./rows";

const STEPS = [5, 15, 50] as const;

/** What was logged around a line, by its service or by all. */
export function Context({ what }: { what: Pointed }) {
  const [step, setStep] = useState(0);
  const [whose, setWhose] = useState<"service" | "all">("service");
  const count = STEPS[step] ?? STEPS[0];
  const around = useAround(what, count, whose === "service" ? [what.service] : []);
  return (
    <section aria-label="Context" className="border-t border-line px-4 py-3">
      <div className="flex items-center gap-2 pb-1.5">
        <h3 className="min-w-0 flex-1 truncate text-small text-fg2">±{count} lines around it</h3>
        <Tabs
          label="Whose lines"
          value={whose}
          choose={setWhose}
          options={[
            { value: "service", label: "Its service" },
            { value: "all", label: "All" },
          ]}
        />
      </div>
      <Shown
        of={around}
        what="The context"
        loading={<Skeletons rows={5} className="h-5" label="Loading the context" />}
      >
        {({ before, after }) => (
          <>
            <Around lines={[...before, ...after]} what={what} />
            {step < STEPS.length - 1 && (
              <Button size="small" className="mt-2" onClick={() => setStep(step + 1)}>
                More around it
              </Button>
            )}
          </>
        )}
      </Shown>
    </section>
  );
}

function Around({ lines, what }: { lines: readonly Schemas["LineTold"][]; what: Pointed }) {
  const here = lines.findIndex((one) => one.time === what.time && one.template === what.template);
  const found = here >= 0 ? here : lines.findIndex((one) => Date.parse(one.time) >= Date.parse(what.time));
  return (
    <ol className="scroll-thin -mx-4 max-h-[320px] overflow-y-auto font-mono text-meta" tabIndex={0}>
      {lines.map((one, place) => (
        <li
          key={place}
          aria-current={place === found ? "true" : undefined}
          className={cn(
            "flex gap-2 border-l-[3px] px-4 py-0.5",
            place === found ? "border-l-moon wash-moon" : "border-l-transparent",
          )}
        >
          <span className="shrink-0 text-fg3 tabular-nums">{clockOf(one.time)}</span>
          {one.service !== what.service && <span className="max-w-2/5 shrink-0 truncate text-fg2">{one.service}</span>}
          <span className={cn("min-w-0 break-words", /error|fatal/.test(band(one.level)) ? "text-coral" : "text-fg2")}>
            {one.message}
          </span>
        </li>
      ))}
    </ol>
  );
}
