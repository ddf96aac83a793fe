import type { Schemas } from "@/api/client";
import { cn } from "@/lib/cn";

type Level = Schemas["Reliability"];

/** Below this nobody should act on it alone. */
export const GUESS = 0.6;
/** Fewer than these say more about chance than about memory. */
export const CASES_MIN = 5;
const SEGMENTS = 10;

/** How often answers of this confidence were right, in words. */
export function trackRecord(level: Level | null | undefined): string {
  if (!level || level.asked === 0) return "not measured yet";
  if (level.asked < CASES_MIN) return `too few to say (${level.asked} so far)`;
  const counted = `${level.right} of ${level.asked}`;
  // A figure of our own test set was never measured in the memory that is asked.
  return level.is_own
    ? `right ${counted} times in this project`
    : `not yet measured here (${counted} on Hindcast's own test set)`;
}

/** As people say it; certainty is never claimed. */
export function percent(value: number): string {
  return `${Math.min(99, Math.max(value > 0 ? 1 : 0, Math.round(value * 100)))}%`;
}

interface ConfidenceProps {
  value: number;
  /** How many past cases it rests on, where that is known: below five there is no percent. */
  cases?: number;
  tone?: "moon" | "sand";
  className?: string;
}

/** A bar and a percent; "a guess" where it is one; no number where there is too little to go by. */
export function Confidence({ value, cases, tone = "moon", className }: ConfidenceProps) {
  if (cases !== undefined && cases < CASES_MIN) {
    return <span className={cn("text-small text-fg3", className)}>too few to say</span>;
  }
  const filled = Math.round(value * SEGMENTS);
  return (
    <span className={cn("inline-flex items-center gap-1.5 whitespace-nowrap", className)}>
      <span aria-hidden="true" className={cn("flex gap-[2px]", tone === "moon" ? "text-moon" : "text-sand")}>
        {Array.from({ length: SEGMENTS }, (_, place) => (
          <span
            key={place}
            className={cn("h-[9px] w-[3px] rounded-[1px]", place < filled ? "bg-current" : "bg-line2")}
          />
        ))}
      </span>
      <span>{percent(value)}</span>
      {value < GUESS && <span className="text-fg3">a guess</span>}
    </span>
  );
}
