/**
 * Two texts side by side: which lines stay, and which stand for one another. It is made for the few lines that a card
 * shows; a whole file is compared by the editor, which is fetched for that.
 */
export interface Side {
  /** The place of the line in its text. */
  line: number;
  isChanged: boolean;
  /** What of it is different, where so little is that marking it helps. */
  marked: { from: number; to: number } | null;
}

/** Null: the other side has a line there, this one has none. */
export interface Pair {
  before: Side | null;
  after: Side | null;
}

// Beyond this a table of all pairs of lines is no longer made while somebody waits.
const CELLS_MAX = 1_000_000;
// As with the editor: less than half of a line.
const SMALL_SHARE = 0.5;

export function pairs(before: readonly string[], after: readonly string[]): readonly Pair[] {
  const found: Pair[] = [];
  let gone: number[] = [];
  let come: number[] = [];
  const close = () => {
    for (let place = 0; place < Math.max(gone.length, come.length); place += 1) {
      found.push(changed(before, after, gone[place], come[place]));
    }
    gone = [];
    come = [];
  };
  for (const step of steps(before, after)) {
    if (step.before !== null && step.after !== null) {
      close();
      found.push({ before: unchanged(step.before), after: unchanged(step.after) });
    } else if (step.before !== null) gone.push(step.before);
    else if (step.after !== null) come.push(step.after);
  }
  close();
  return found;
}

interface Step {
  before: number | null;
  after: number | null;
}

/** From one text to the other with as many lines kept as possible. */
function steps(before: readonly string[], after: readonly string[]): readonly Step[] {
  const [rows, columns] = [before.length, after.length];
  const found: Step[] = [];
  let [left, right] = [0, 0];
  if (rows * columns <= CELLS_MAX) {
    const kept = keptFrom(before, after);
    while (left < rows && right < columns) {
      if (before[left] === after[right]) found.push({ before: left++, after: right++ });
      else if (at(kept, left + 1, right, columns) >= at(kept, left, right + 1, columns))
        found.push({ before: left++, after: null });
      else found.push({ before: null, after: right++ });
    }
  }
  while (left < rows) found.push({ before: left++, after: null });
  while (right < columns) found.push({ before: null, after: right++ });
  return found;
}

/** How many lines two texts have in common from each pair of places on. */
function keptFrom(before: readonly string[], after: readonly string[]): Uint32Array {
  const columns = after.length;
  const kept = new Uint32Array((before.length + 1) * (columns + 1));
  for (let left = before.length - 1; left >= 0; left -= 1) {
    for (let right = columns - 1; right >= 0; right -= 1) {
      kept[left * (columns + 1) + right] =
        before[left] === after[right]
          ? at(kept, left + 1, right + 1, columns) + 1
          : Math.max(at(kept, left + 1, right, columns), at(kept, left, right + 1, columns));
    }
  }
  return kept;
}

function at(kept: Uint32Array, left: number, right: number, columns: number): number {
  return kept[left * (columns + 1) + right] ?? 0;
}

function unchanged(line: number): Side {
  return { line, isChanged: false, marked: null };
}

function changed(
  before: readonly string[],
  after: readonly string[],
  gone: number | undefined,
  come: number | undefined,
): Pair {
  const marks =
    gone === undefined || come === undefined ? null : difference(before[gone] as string, after[come] as string);
  const side = (line: number | undefined, marked: Side["marked"]): Side | null =>
    line === undefined ? null : { line, isChanged: true, marked };
  return { before: side(gone, marks?.[0] ?? null), after: side(come, marks?.[1] ?? null) };
}

type Stretch = { from: number; to: number };

/** What is different within a line that stands for another, in whole words; null where it is most of it. */
function difference(before: string, after: string): [Stretch, Stretch] | null {
  const [left, right] = [wordsOf(before), wordsOf(after)];
  const shorter = Math.min(left.length, right.length);
  let same = 0;
  while (same < shorter && left[same] === right[same]) same += 1;
  let rest = 0;
  while (rest < shorter - same && left.at(-1 - rest) === right.at(-1 - rest)) rest += 1;
  const stretch = (words: readonly string[]): Stretch => ({
    from: words.slice(0, same).join("").length,
    to: words.slice(0, words.length - rest).join("").length,
  });
  const [gone, come] = [stretch(left), stretch(right)];
  const most = Math.max(gone.to - gone.from, come.to - come.from);
  return most < SMALL_SHARE * Math.max(before.trim().length, after.trim().length) ? [gone, come] : null;
}

function wordsOf(line: string): readonly string[] {
  return line.match(/\w+|\s+|[^\w\s]/g) ?? [];
}
