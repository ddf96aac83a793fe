import { ListChecks } from "lucide-react";
import type { Schemas } from "@/api/client";
import { EvidenceLinks } from "@/ui/Evidence";

type Step = Schemas["Claim"];

/** The steps that people take: whether the answer was right is said by the buttons below them. */
export function stepsToTake(steps: readonly Step[]): readonly Step[] {
  return steps.filter((one) => !one.text.startsWith("Say whether this was it"));
}

/** What to do next, in order, runbooks included, each with what it rests on. */
export function Steps({ steps }: { steps: readonly Step[] }) {
  const shown = stepsToTake(steps);
  if (shown.length === 0) return null;
  return (
    <section aria-label="Next steps" className="border-t border-line px-5 py-3.5">
      <h3 className="flex items-center gap-1.5 pb-1.5 text-small font-medium text-fg2">
        <ListChecks className="size-3.5" />
        Next steps
      </h3>
      <ol className="flex list-decimal flex-col gap-1 pl-5">
        {shown.map((one) => (
          <li key={one.text} className="break-words">
            {one.text} <EvidenceLinks evidence={one.evidence.slice(0, 1)} />
          </li>
        ))}
      </ol>
    </section>
  );
}
