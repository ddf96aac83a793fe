import { cn } from "@/lib/cn";
import { CopyButton } from "./CopyButton";

/** A unified diff, to read and to copy. */
export function Diff({ text }: { text: string }) {
  return (
    <div className="relative">
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
      <CopyButton text={text} what="diff" className="absolute top-1.5 right-1.5 bg-bg" />
    </div>
  );
}
