import { highlightCode } from "@lezer/highlight";
import type { Schemas } from "@/api/client";
import { grammarOf } from "./languages";
import { words } from "./words";

/** A stretch of a line, and the class of what it is. */
export interface Word {
  text: string;
  look: string;
}

/** A text line by line as words that look different; null: its language is not known here. */
export async function coloured(text: string, tongue: Schemas["Tongue"]): Promise<readonly (readonly Word[])[] | null> {
  const grammar = await grammarOf(tongue);
  if (!grammar) return null;
  const lines: Word[][] = [[]];
  highlightCode(
    text,
    grammar.language.parser.parse(text),
    words,
    (part, look) => lines.at(-1)?.push({ text: part, look }),
    () => lines.push([]),
  );
  return lines;
}
