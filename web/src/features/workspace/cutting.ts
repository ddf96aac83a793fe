/**
 * What a card's diff shows: the lines that change with a few around them, without the indentation that all of them
 * share, under the numbers that they have in the file. What is edited there can be put back into the whole file.
 */
export interface Cut {
  before: string;
  after: string;
  /** The number of the first line that is shown; it is the same on both sides. */
  first: number;
  indent: string;
  /** The lines of the file above and below what is shown. */
  above: readonly string[];
  below: readonly string[];
}

const AROUND_LINES = 2;

export function cut(before: string, after: string): Cut {
  const [left, right] = [before.split("\n"), after.split("\n")];
  const shorter = Math.min(left.length, right.length);
  let same = 0;
  while (same < shorter && left[same] === right[same]) same += 1;
  let rest = 0;
  while (rest < shorter - same && left.at(-1 - rest) === right.at(-1 - rest)) rest += 1;
  const from = Math.max(0, same - AROUND_LINES);
  const kept = Math.max(0, rest - AROUND_LINES);
  const shown = [left.slice(from, left.length - kept), right.slice(from, right.length - kept)] as const;
  const indent = sharedIndent([...shown[0], ...shown[1]]);
  const dedented = (lines: readonly string[]) => lines.map((line) => line.slice(indent.length)).join("\n");
  return {
    before: dedented(shown[0]),
    after: dedented(shown[1]),
    first: from + 1,
    indent,
    above: right.slice(0, from),
    below: right.slice(right.length - kept),
  };
}

/** The whole file, with a text in place of what was shown of it. */
export function joined(one: Cut, text: string): string {
  const lines = text.split("\n").map((line) => (line === "" ? line : one.indent + line));
  return [...one.above, ...lines, ...one.below].join("\n");
}

function sharedIndent(lines: readonly string[]): string {
  const written = lines.filter((line) => line !== "");
  // A line of blanks could not be told from an empty one afterwards.
  if (written.some((line) => line.trim() === "")) return "";
  const [first = ""] = written;
  let indent = /^[ \t]*/.exec(first)?.[0] ?? "";
  for (const line of written) while (!line.startsWith(indent)) indent = indent.slice(0, -1);
  return indent;
}

export interface Span {
  fromA: number;
  toA: number;
  fromB: number;
  toB: number;
}

const SMALL_SHARE = 0.5;

/** Whether a change is small enough that marked words help: less than half of the lines that it touches. */
export function isSmall(before: string, after: string, changes: readonly Span[]): boolean {
  const changed = changes.reduce((sum, one) => sum + Math.max(one.toA - one.fromA, one.toB - one.fromB), 0);
  const left = touched(
    before,
    changes.map((one) => [one.fromA, one.toA]),
  );
  const right = touched(
    after,
    changes.map((one) => [one.fromB, one.toB]),
  );
  return changed < SMALL_SHARE * Math.max(left, right);
}

/** How many characters the lines have that stretches of a text touch. */
function touched(text: string, stretches: readonly (readonly [number, number])[]): number {
  let begin = 0;
  let sum = 0;
  for (const line of text.split("\n")) {
    const end = begin + line.length;
    if (stretches.some(([from, to]) => from < end && to > begin)) sum += line.length;
    begin = end + 1;
  }
  return sum;
}
