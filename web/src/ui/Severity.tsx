import type { Schemas } from "@/api/client";
import { cn } from "@/lib/cn";

type Named = Schemas["Severity"];

const LEVELS: Record<Named, { bars: number; word: string; hue: string }> = {
  critical: { bars: 4, word: "Critical", hue: "text-coral" },
  major: { bars: 3, word: "Major", hue: "text-sand" },
  minor: { bars: 2, word: "Minor", hue: "text-moon" },
  info: { bars: 1, word: "Info", hue: "text-fg3" },
};

/** How bad it is: bars, a word and a hue, so that it reads in grey as well. */
export function Severity({ value, isShort = false }: { value: Named | null | undefined; isShort?: boolean }) {
  if (!value) return <span className="text-meta text-fg3">severity not known</span>;
  const { bars, word, hue } = LEVELS[value];
  return (
    <span className={cn("inline-flex items-center gap-1.5 text-small font-medium whitespace-nowrap", hue)} title={word}>
      <svg viewBox="0 0 14 12" className="h-3 w-3.5" aria-hidden="true">
        {[0, 1, 2, 3].map((place) => (
          <rect
            key={place}
            x={place * 3.6}
            y={9 - place * 3}
            width="2.6"
            height={3 + place * 3}
            rx="0.8"
            className={place < bars ? "fill-current" : "fill-line2"}
          />
        ))}
      </svg>
      <span className={isShort ? "sr-only" : ""}>{word}</span>
    </span>
  );
}
