import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  retainSearchParams,
} from "@tanstack/react-router";
import { Failure } from "@/api/failure";
import { type PlaceSearch, placeIn } from "@/lib/place";
import { Broken, NotFound } from "./Lost";
import { Shell } from "./Shell";

/** Of an address, only what is text; a page reads the rest of its own as it needs it. */
export function textIn(search: Record<string, unknown>, name: string): string | undefined {
  const value = search[name];
  return typeof value === "string" && value ? value : typeof value === "number" ? String(value) : undefined;
}

/**
 * The code of a page. Where it cannot be had, the router loads everything anew, which is right after an upgrade and
 * would leave nothing of what is shown while Hindcast is away.
 */
function code<T>(load: () => Promise<T>): () => Promise<T> {
  return () =>
    load().catch(async (error) => {
      const isThere = await fetch("/", { method: "HEAD" }).then(
        () => true,
        () => false,
      );
      if (isThere) throw error;
      throw new Failure(
        0,
        "Unreachable",
        "Hindcast does not answer.",
        "Pages that were open before still show what they had.",
      );
    });
}

const root = createRootRoute({
  component: Shell,
  notFoundComponent: NotFound,
  errorComponent: Broken,
  // Project, moment and branch are part of every address and go along with every link.
  validateSearch: (search: Record<string, unknown>): PlaceSearch => placeIn(search),
  search: { middlewares: [retainSearchParams(["space", "at", "branch"])] },
});

const overview = createRoute({
  getParentRoute: () => root,
  path: "/",
  component: lazyRouteComponent(
    code(() => import("@/features/overview/OverviewPage")),
    "OverviewPage",
  ),
});

export interface IncidentsSearch {
  state?: string | undefined;
  severity?: string | undefined;
  service?: string | undefined;
  text?: string | undefined;
}

const incidents = createRoute({
  getParentRoute: () => root,
  path: "/incidents",
  component: lazyRouteComponent(
    code(() => import("@/features/incidents/IncidentsPage")),
    "IncidentsPage",
  ),
  validateSearch: (search: Record<string, unknown>): IncidentsSearch => ({
    state: textIn(search, "state"),
    severity: textIn(search, "severity"),
    service: textIn(search, "service"),
    text: textIn(search, "text"),
  }),
});

export interface IncidentSearch {
  /** What is read over the page: the fix, or the handover. */
  show?: string | undefined;
  /** Which reason the evidence is looked at for. */
  evidence?: string | undefined;
  timeline?: string | undefined;
}

const incident = createRoute({
  getParentRoute: () => root,
  path: "/incidents/$incident",
  component: lazyRouteComponent(
    code(() => import("@/features/incidents/IncidentPage")),
    "IncidentPage",
  ),
  validateSearch: (search: Record<string, unknown>): IncidentSearch => ({
    show: textIn(search, "show"),
    evidence: textIn(search, "evidence"),
    timeline: textIn(search, "timeline"),
  }),
});

export interface LiveSearch {
  service?: string | undefined;
  level?: string | undefined;
  text?: string | undefined;
  fold?: string | undefined;
  /** The line that is looked at, what memory is asked about, and whether the lines around it are shown. */
  line?: string | undefined;
  analyse?: string | undefined;
  context?: string | undefined;
  /** Which column, where there is room for one only. */
  pane?: string | undefined;
}

const LIVE_NAMES = ["service", "level", "text", "fold", "line", "analyse", "context", "pane"] as const;

const live = createRoute({
  getParentRoute: () => root,
  path: "/live",
  component: lazyRouteComponent(
    code(() => import("@/features/live/LivePage")),
    "LivePage",
  ),
  validateSearch: (search: Record<string, unknown>): LiveSearch =>
    Object.fromEntries(LIVE_NAMES.map((name) => [name, textIn(search, name)])),
});

const ask = createRoute({
  getParentRoute: () => root,
  path: "/ask",
  component: lazyRouteComponent(
    code(() => import("@/features/ask/AskPage")),
    "AskPage",
  ),
  validateSearch: (search: Record<string, unknown>): { text?: string | undefined } => ({
    text: textIn(search, "text"),
  }),
});

export interface TimeSearch {
  /** The chosen moment, the branch whose commits are walked, and the other end of a comparison. */
  on?: string | undefined;
  line?: string | undefined;
  from?: string | undefined;
  view?: string | undefined;
  text?: string | undefined;
  namespace?: string | undefined;
  address?: string | undefined;
  field?: string | undefined;
  since?: string | undefined;
  source?: string | undefined;
  into?: string | undefined;
  /** The record that is read over the page. */
  record?: string | undefined;
}

const TIME_NAMES = [
  "on",
  "line",
  "from",
  "view",
  "text",
  "namespace",
  "address",
  "field",
  "since",
  "source",
  "into",
  "record",
] as const;

const time = createRoute({
  getParentRoute: () => root,
  path: "/time",
  component: lazyRouteComponent(
    code(() => import("@/features/time/TimePage")),
    "TimePage",
  ),
  validateSearch: (search: Record<string, unknown>): TimeSearch =>
    Object.fromEntries(TIME_NAMES.map((name) => [name, textIn(search, name)])),
});

export interface WorkspaceSearch {
  name?: string | undefined;
  path?: string | undefined;
  /** The line of the file. */
  ln?: number | undefined;
  incident?: string | undefined;
  card?: string | undefined;
  log?: string | undefined;
  entry?: string | undefined;
  pane?: string | undefined;
}

const workspace = createRoute({
  getParentRoute: () => root,
  path: "/workspace",
  component: lazyRouteComponent(
    code(() => import("@/features/workspace/WorkspacePage")),
    "WorkspacePage",
  ),
  validateSearch: (search: Record<string, unknown>): WorkspaceSearch => ({
    name: textIn(search, "name"),
    path: textIn(search, "path"),
    ln: Number(textIn(search, "ln")) || undefined,
    incident: textIn(search, "incident"),
    card: textIn(search, "card"),
    log: textIn(search, "log"),
    entry: textIn(search, "entry"),
    pane: textIn(search, "pane"),
  }),
});

const settings = createRoute({
  getParentRoute: () => root,
  path: "/settings",
  component: lazyRouteComponent(
    code(() => import("@/features/settings/SettingsPage")),
    "SettingsPage",
  ),
});

export interface SettingsSearch {
  /** The integration that is unfolded. */
  open?: string | undefined;
  /** What is looked for in the audit trail, and of what. */
  actor?: string | undefined;
  what?: string | undefined;
  outcome?: string | undefined;
  of?: string | undefined;
}

const SETTINGS_NAMES = ["open", "actor", "what", "outcome", "of"] as const;

const settingsPart = createRoute({
  getParentRoute: () => root,
  path: "/settings/$part",
  component: lazyRouteComponent(
    code(() => import("@/features/settings/SettingsPage")),
    "SettingsPage",
  ),
  validateSearch: (search: Record<string, unknown>): SettingsSearch =>
    Object.fromEntries(SETTINGS_NAMES.map((name) => [name, textIn(search, name)])),
});

const signIn = createRoute({
  getParentRoute: () => root,
  path: "/sign-in",
  component: lazyRouteComponent(
    code(() => import("@/features/session/SignInPage")),
    "SignInPage",
  ),
  validateSearch: (search: Record<string, unknown>): { next?: string | undefined } => ({
    next: textIn(search, "next"),
  }),
});

const invitation = createRoute({
  getParentRoute: () => root,
  path: "/invitation/$token",
  component: lazyRouteComponent(
    code(() => import("@/features/session/InvitationPage")),
    "InvitationPage",
  ),
});

export const router = createRouter({
  routeTree: root.addChildren([
    overview,
    incidents,
    incident,
    live,
    ask,
    time,
    workspace,
    settings,
    settingsPart,
    signIn,
    invitation,
  ]),
  defaultPreload: "intent",
  // In the place of the page that broke: navigation, palette and keys stay.
  defaultErrorComponent: Broken,
  scrollRestoration: true,
  scrollToTopSelectors: ["[data-scroll]"],
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
