/** Where one is on this page, as the address says it. */
export interface Where {
  /** The workspace. */
  name?: string | undefined;
  path?: string | undefined;
  ln?: number | undefined;
  incident?: string | undefined;
  card?: string | undefined;
  /** Which lines of the memory log. */
  log?: string | undefined;
  /** The decision of the log that is read whole, by its card. */
  entry?: string | undefined;
  /** On a small screen: which of the panes. */
  pane?: string | undefined;
}

export type Go = (part: Where) => void;

export const PANES = ["files", "code", "fixes", "log"] as const;
export type Pane = (typeof PANES)[number];

/** The folders that a path lies in, the outermost first. */
export function folders(path: string): string[] {
  const parts = path.split("/").slice(0, -1);
  return parts.map((_, place) => parts.slice(0, place + 1).join("/"));
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
