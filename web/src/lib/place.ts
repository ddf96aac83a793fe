import { useSearch } from "@tanstack/react-router";

/** Where in Hindcast somebody is: which project, and at which moment of its memory. It is part of every address. */
export interface Place {
  /** Empty: the project that a request without one goes to. */
  space: string;
  /** Empty: the present. */
  at: string;
  /** Empty: main. */
  branch: string;
}

export interface PlaceSearch {
  space?: string | undefined;
  at?: string | undefined;
  branch?: string | undefined;
}

function text(value: unknown): string | undefined {
  // The router reads what looks like a number as one, and a commit's id may.
  const said = typeof value === "number" ? String(value) : value;
  return typeof said === "string" && said.trim() ? said.trim() : undefined;
}

/** Of what an address says, what is about the place. */
export function placeIn(search: Record<string, unknown>): PlaceSearch {
  return { space: text(search.space), at: text(search.at), branch: text(search.branch) };
}

export function usePlace(): Place {
  const search = useSearch({ strict: false }) as PlaceSearch;
  return { space: search.space ?? "", at: search.at ?? "", branch: search.branch ?? "" };
}

/** The place as an address outside of the router has to say it, for what is fetched as a file. */
export function queryOf(place: Place, more: Record<string, string> = {}): URLSearchParams {
  const query = new URLSearchParams(more);
  for (const name of ["space", "at", "branch"] as const) if (place[name]) query.set(name, place[name]);
  return query;
}

/** The address of this page for somebody else, who may be at home in another project. */
export function addressOf(space: string, here = window.location.href): string {
  const address = new URL(here);
  if (space) address.searchParams.set("space", space);
  return address.href;
}

/** Whether the past, or another branch, is looked at. Nothing can be written there from a page. */
export function isElsewhere(place: Place): boolean {
  return place.at !== "" || (place.branch !== "" && place.branch !== "main");
}
