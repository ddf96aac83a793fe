import { cn } from "@/lib/cn";

/** How many lines a unified diff adds and removes. */
export function changed(diff: string): { added: number; removed: number } {
  const lines = diff.split("\n");
  return {
    added: lines.filter((line) => /^\+(?!\+\+ )/.test(line)).length,
    removed: lines.filter((line) => /^-(?!-- )/.test(line)).length,
  };
}

export function Changed({ diff }: { diff: string }) {
  const { added, removed } = changed(diff);
  return (
    <span className="font-mono text-small whitespace-nowrap">
      <span className="text-sage">+{added}</span> <span className="text-coral">−{removed}</span>
    </span>
  );
}

/** A unified diff to read. */
export function Diff({ text }: { text: string }) {
  return (
    <pre
      tabIndex={0}
      className="scroll-thin overflow-x-auto rounded-lg border border-line bg-bg py-2 text-small leading-[19px]"
    >
      {text.split("\n").map((line, place) => {
        const isHead = /^(?:---|\+\+\+|@@|diff )/.test(line);
        const tone = isHead
          ? "border-transparent text-fg3"
          : line.startsWith("+")
            ? "border-sage wash-sage"
            : line.startsWith("-")
              ? "border-coral wash-coral"
              : "border-transparent text-fg2";
        return (
          <div key={place} className={cn("min-w-max border-l-3 px-3", tone)}>
            {line || " "}
          </div>
        );
      })}
    </pre>
  );
}
