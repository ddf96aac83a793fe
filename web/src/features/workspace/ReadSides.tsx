import { useEffect, useMemo, useState } from "react";
import type { Schemas } from "@/api/client";
import { cn } from "@/lib/cn";
import { type Pair, pairs, type Side } from "./beside";
import type { Word } from "./editor/colouring";

interface ReadSidesProps {
  before: string;
  after: string;
  /** The number of the first line on both sides. */
  first: number;
  tongue: Schemas["Tongue"];
  label: string;
}

/** A change to read, before and after side by side. It needs no editor; whoever modifies it gets one in its place. */
export function ReadSides({ before, after, first, tongue, label }: ReadSidesProps) {
  const rows = useMemo(() => pairs(before.split("\n"), after.split("\n")), [before, after]);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields; these are two texts.
    <div
      role="group"
      aria-label={`The change of ${label}`}
      tabIndex={0}
      data-diff
      className="scroll-thin grid h-full min-h-0 grid-cols-2 overflow-y-auto py-1 font-mono text-[12px] leading-[19px] [font-variant-ligatures:none] outline-offset-[-2px]"
    >
      <OneSide side="before" text={before} {...{ rows, first, tongue, label }} />
      <OneSide side="after" text={after} {...{ rows, first, tongue, label }} />
    </div>
  );
}

interface OneSideProps {
  side: keyof Pair;
  text: string;
  rows: readonly Pair[];
  first: number;
  tongue: Schemas["Tongue"];
  label: string;
}

// One side after the other, so that it is read and copied as a whole; the grid puts lines that belong together in a row.
function OneSide({ side, text, rows, first, tongue, label }: OneSideProps) {
  const lines = useMemo(() => text.split("\n"), [text]);
  const colours = useColours(text, tongue);
  const isAfter = side === "after";
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields; this is a text.
    <div role="group" aria-label={`${label}, ${side}`} className="contents">
      {rows.map((row, place) => {
        const one = row[side];
        return (
          <div
            key={place}
            style={{ gridRow: place + 1 }}
            className={cn(
              "flex min-w-0 border-l-3",
              isAfter ? "col-start-2" : "col-start-1",
              !one?.isChanged
                ? "border-l-transparent"
                : isAfter
                  ? "border-l-sage wash-sage"
                  : "border-l-coral wash-coral",
            )}
          >
            {one && (
              <>
                <span aria-hidden="true" className="w-9 shrink-0 pr-2 text-right text-fg3 select-none">
                  {first + one.line}
                </span>
                <span className="min-w-0 flex-1 pr-1.5 whitespace-pre-wrap [overflow-wrap:anywhere]">
                  <Line
                    words={colours?.[one.line] ?? [{ text: lines[one.line] ?? "", look: "" }]}
                    marked={one.marked}
                    hue={isAfter ? "bg-sage/26" : "bg-coral/26"}
                  />
                </span>
              </>
            )}
          </div>
        );
      })}
    </div>
  );
}

function Line({ words, marked, hue }: { words: readonly Word[]; marked: Side["marked"]; hue: string }) {
  const parts = marked ? cutAt(words, marked) : words.map((word) => ({ ...word, isMarked: false }));
  return parts.length === 0
    ? "\n"
    : parts.map((part, place) =>
        part.look || part.isMarked ? (
          <span key={place} className={cn(part.look, part.isMarked && hue)}>
            {part.text}
          </span>
        ) : (
          part.text
        ),
      );
}

/** Words cut where a mark begins and ends. */
export function cutAt(
  words: readonly Word[],
  marked: { from: number; to: number },
): readonly (Word & { isMarked: boolean })[] {
  let begin = 0;
  return words.flatMap(({ text, look }) => {
    const [from, to] = [marked.from, marked.to].map((place) => Math.max(0, Math.min(text.length, place - begin)));
    begin += text.length;
    return [
      { text: text.slice(0, from), look, isMarked: false },
      { text: text.slice(from, to), look, isMarked: true },
      { text: text.slice(to), look, isMarked: false },
    ].filter((part) => part.text !== "");
  });
}

/** Colours come when the language is there, as in the file beside it; the text does not wait for them, and does not move. */
function useColours(text: string, tongue: Schemas["Tongue"]) {
  const [found, setFound] = useState<{ text: string; lines: readonly (readonly Word[])[] | null } | null>(null);
  useEffect(() => {
    let isLeft = false;
    void import("./editor/colouring")
      .then(({ coloured }) => coloured(text, tongue))
      .then((lines) => {
        if (!isLeft) setFound({ text, lines });
      });
    return () => {
      isLeft = true;
    };
  }, [text, tongue]);
  return found?.text === text ? found.lines : null;
}
