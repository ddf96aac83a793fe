import type { Schemas } from "@/api/client";

export type Glance = Schemas["CardGlance"];
export type Deck = Schemas["DeckTold"];
export type State = Schemas["CardState"];

/** Whether somebody still has to decide about a card. One that was taken back waits for a decision again. */
export function isOpen(card: Pick<Glance, "state">): boolean {
  return card.state === "proposed" || card.state === "undone";
}

export function isApplied(card: Pick<Glance, "state">): boolean {
  return card.state === "accepted" || card.state === "modified";
}

type Counts = Readonly<Record<string, number>>;

const DECIDED: readonly State[] = ["accepted", "modified", "rejected"];

export function sum(counts: Counts, states: readonly State[]): number {
  return states.reduce((total, state) => total + (counts[state] ?? 0), 0);
}

/** "1 of 3 reviewed": what was decided for an incident, and what there was to decide. */
export function reviewed(cards: readonly Glance[], counts: Counts): { done: number; all: number } {
  const done = sum(counts, DECIDED);
  return { done, all: done + cards.filter(isOpen).length };
}

export type Tone = "coral" | "sand" | "moon" | "sage";

export const TONES: Record<Schemas["CardSeverity"], Tone> = { critical: "coral", warning: "sand", hint: "moon" };
const RANK: readonly Tone[] = ["coral", "sand", "moon", "sage"];

/** What the explorer shows beside files and the folders they lie in: how many open fixes, and how bad the worst is. */
export function badges(cards: readonly Glance[]): ReadonlyMap<string, { count: number; tone: Tone }> {
  const found = new Map<string, { count: number; tone: Tone }>();
  for (const card of cards.filter(isOpen)) {
    const tone = TONES[card.severity];
    const parts = card.path.split("/");
    for (let depth = 1; depth <= parts.length; depth += 1) {
      const path = parts.slice(0, depth).join("/");
      const known = found.get(path);
      const worse = known && RANK.indexOf(known.tone) < RANK.indexOf(tone) ? known.tone : tone;
      found.set(path, { count: (known?.count ?? 0) + 1, tone: worse });
    }
  }
  return found;
}

/** The card after or before another, staying within the deck. */
export function beside(cards: readonly Glance[], chosen: string, by: number): Glance | undefined {
  const place = cards.findIndex((card) => card.id === chosen);
  return cards[Math.max(0, Math.min(cards.length - 1, place + by))];
}

/** "once", "twice", "3 times". */
export function times(count: number): string {
  return count === 1 ? "once" : count === 2 ? "twice" : `${count} times`;
}
