/** What records hold, in words: titles, fields by their dotted names, and what differs between two values. Pure. */
import type { Schemas } from "@/api/client";

export type Told = Schemas["RecordTold"];

const TITLES = [
  "title",
  "headline",
  "name",
  "action",
  "question",
  "summary",
  "text",
  "why",
  "proposal.title",
  "proposal.action",
];

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** What a record is called: by what its body says of itself, else by where it is. */
export function titleOf(record: Pick<Told, "body" | "path" | "entry">): string {
  const { body } = record;
  if (typeof body === "string" && body.trim()) return body;
  if (isObject(body)) {
    for (const name of TITLES) {
      const value = valueAt(body, name);
      if (typeof value === "string" && value.trim()) return value;
    }
  }
  return record.entry || record.path;
}

/** The incident that a record is about, where it is one. */
export function incidentOf(record: Pick<Told, "namespace" | "path">): string | null {
  return record.namespace === "cases" || record.namespace === "incidents" ? record.path : null;
}

/**
 * What is at a dotted field (`owner.team`, `attempts[a1].outcome`); undefined: nothing. Names may hold dots themselves,
 * so every name of the object is tried.
 */
export function valueAt(value: unknown, field: string): unknown {
  if (field === "") return value;
  if (Array.isArray(value)) return itemAt(value, field);
  if (!isObject(value)) return undefined;
  for (const [name, inner] of Object.entries(value)) {
    if (field === name) return inner;
    if (field.startsWith(`${name}.`)) {
      const found = valueAt(inner, field.slice(name.length + 1));
      if (found !== undefined) return found;
    }
    if (field.startsWith(`${name}[`)) {
      const found = valueAt(inner, field.slice(name.length));
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

function itemAt(items: readonly unknown[], field: string): unknown {
  for (const item of items) {
    const key = isObject(item) && typeof item.id === "string" ? item.id : JSON.stringify(item);
    const name = `[${key}]`;
    if (field.startsWith(name)) return valueAt(item, field.slice(name.length).replace(/^\./, ""));
  }
  return undefined;
}

function isPlain(value: unknown): boolean {
  return typeof value !== "object" || value === null;
}

/** A value as it is read: an object of plain fields line by line, anything deeper as JSON. */
export function written(value: unknown): string {
  if (value === undefined) return "not there";
  if (value === null) return "nothing";
  if (typeof value === "string") return value === "" ? "empty" : value;
  if (isObject(value) && Object.keys(value).length > 0 && Object.values(value).every(isPlain)) {
    return Object.entries(value)
      .map(([name, inner]) => `${name}: ${written(inner)}`)
      .join("\n");
  }
  return typeof value === "object" ? JSON.stringify(value, null, 2) : String(value);
}

// By which an item of a list is known again after it changed.
const NAMES = ["id", "address", "service", "name"];

function nameIn(item: unknown): string | undefined {
  if (!isObject(item)) return undefined;
  const name = NAMES.find((one) => typeof item[one] === "string");
  return name === undefined ? undefined : `${name}: ${String(item[name])}`;
}

/** Of an object, the fields in which another one differs, and what it is known by. */
function narrowed(one: unknown, other: unknown): unknown {
  if (!isObject(one) || !isObject(other)) return one;
  const known = NAMES.find((name) => typeof one[name] === "string");
  const isShown = (name: string) => name === known || JSON.stringify(one[name]) !== JSON.stringify(other[name]);
  return Object.fromEntries(Object.entries(one).filter(([name]) => isShown(name)));
}

/** Of two lists, what only one has, and of items that changed only how: the rest need not be read again. */
export function sides(before: unknown, after: unknown): { before: string; after: string; kept: number } {
  if (!Array.isArray(before) || !Array.isArray(after)) {
    return { before: written(before), after: written(after), kept: 0 };
  }
  const key = (one: unknown) => JSON.stringify(one);
  const [left, right] = [new Set(before.map(key)), new Set(after.map(key))];
  const gone = before.filter((one) => !right.has(key(one)));
  const come = after.filter((one) => !left.has(key(one)));
  if (gone.length === 0 && come.length === 0) return { before: written(before), after: written(after), kept: 0 };
  const only = (name: string, among: readonly unknown[]) => {
    const found = among.filter((one) => nameIn(one) === name);
    return found.length === 1 ? found[0] : undefined;
  };
  // Two of one name on either side, and nothing says which became which.
  const twin = (one: unknown, own: readonly unknown[], others: readonly unknown[]) => {
    const name = nameIn(one);
    return name !== undefined && only(name, own) !== undefined ? only(name, others) : undefined;
  };
  const text = (items: readonly unknown[], others: readonly unknown[]) =>
    items.length > 0 ? items.map((one) => written(narrowed(one, twin(one, items, others)))).join("\n\n") : "nothing";
  return { before: text(gone, come), after: text(come, gone), kept: before.length - gone.length };
}

export interface Marked {
  head: string;
  middle: string;
  tail: string;
}

// Marks help while most of a text stays; in another text they are noise.
const SAME_SHARE_MIN = 0.4;

/** Which words of two texts differ; null: too many for marks to help. */
export function marked(before: string, after: string): { before: Marked; after: Marked } | null {
  const [left, right] = [words(before), words(after)];
  const shorter = Math.min(left.length, right.length);
  let head = 0;
  while (head < shorter && left[head] === right[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && left.at(-1 - tail) === right.at(-1 - tail)) tail += 1;
  const same = [...left.slice(0, head), ...left.slice(left.length - tail)].join("").length;
  if (same < SAME_SHARE_MIN * Math.max(before.length, after.length)) return null;
  const cut = (all: readonly string[]): Marked => ({
    head: all.slice(0, head).join(""),
    middle: all.slice(head, all.length - tail).join(""),
    tail: all.slice(all.length - tail).join(""),
  });
  return { before: cut(left), after: cut(right) };
}

function words(text: string): readonly string[] {
  return text.match(/\s+|[^\s]+/g) ?? [];
}

/** "1 commit", "200+ commits", "3 branches". */
export function counted(count: number, noun: string): string {
  const many = noun.endsWith("ch") ? `${noun}es` : `${noun}s`;
  return `${count.toLocaleString("en")} ${count === 1 ? noun : many}`;
}
