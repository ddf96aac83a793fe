import { useQueryClient } from "@tanstack/react-query";
import { Outlet, useLocation, useNavigate } from "@tanstack/react-router";
import { lazy, Suspense, useEffect, useRef, useState } from "react";
import { isSignedOut } from "@/api/client";
import { connection, hear, listen, refreshing } from "@/api/live";
import { useSession, useSpace } from "@/api/session";
import { keep, kept } from "@/lib/kept";
import { listenToKeys, useKeys } from "@/lib/keys";
import { useStore } from "@/lib/store";
import { zone } from "@/lib/time";
import { undoLast } from "@/lib/toasts";
import { ErrorBox, Skeletons } from "@/ui/states";
import { Toasts } from "@/ui/Toasts";
import { MomentBanner } from "./MomentBanner";
import { NarrowBar, Sidebar } from "./Navigation";
import { PAGES } from "./pages";

// What is opened by hand is fetched then: the first page is there sooner.
const Palette = lazy(() => import("./Palette"));
const KeyHelp = lazy(() => import("./KeyHelp"));

// Pages for whoever is not signed in: they stand alone.
const OUTSIDE = /^\/(?:sign-in|invitation)(?:\/|$)/;

/** Around every page: navigation, the banner of the moment, the palette, toasts, keys. */
export function Shell() {
  const path = useLocation({ select: (one) => one.pathname });
  useEffect(listenToKeys, []);
  return (
    <>
      {OUTSIDE.test(path) ? <Outlet /> : <Inside />}
      <Toasts />
    </>
  );
}

function Inside() {
  const session = useSession();
  useSigningIn();
  if (session.data) return <Frame />;
  if (session.error && session.error.status !== 401) {
    return (
      <main className="mx-auto max-w-xl p-8">
        <ErrorBox failure={session.error} what="Hindcast" retry={() => void session.refetch()} />
      </main>
    );
  }
  return (
    <main className="mx-auto max-w-xl p-8">
      <h1 className="sr-only">Hindcast</h1>
      <Skeletons rows={4} />
    </main>
  );
}

function Frame() {
  const shownIn = useStore(zone);
  const [isPaletteOpen, setPaletteOpen] = useState(false);
  const [isHelpOpen, setHelpOpen] = useState(false);
  const [folds, setFolds] = useState({ usual: kept("sidebar") === "narrow", code: kept("sidebar.code") !== "wide" });
  // Code needs the width: there the navigation is folded until somebody unfolds it.
  const where = useLocation({ select: (one) => (one.pathname.startsWith("/workspace") ? "code" : "usual") });
  const isNarrow = folds[where];
  useLive();
  const fold = () => {
    setFolds({ ...folds, [where]: !isNarrow });
    if (where === "code") keep("sidebar.code", isNarrow ? "wide" : "");
    else keep("sidebar", isNarrow ? "" : "narrow");
  };
  useGlobalKeys(
    () => setPaletteOpen(true),
    () => setHelpOpen(true),
    fold,
  );
  const openPalette = () => setPaletteOpen(true);
  return (
    <div className="flex h-full">
      <a
        href="#content"
        className="sr-only focus:not-sr-only focus:absolute focus:z-50 focus:rounded focus:bg-s2 focus:p-2"
      >
        Skip to the content
      </a>
      <Sidebar isNarrow={isNarrow} fold={fold} ask={openPalette} help={() => setHelpOpen(true)} />
      <div className="flex min-w-0 flex-1 flex-col">
        <NarrowBar ask={openPalette} help={() => setHelpOpen(true)} />
        <MomentBanner />
        <main id="content" tabIndex={-1} className="flex min-h-0 min-w-0 flex-1 flex-col focus:outline-none">
          {/* Times in another zone are written anew everywhere. */}
          <Outlet key={shownIn} />
        </main>
      </div>
      <Suspense>
        {isPaletteOpen && <Palette close={() => setPaletteOpen(false)} help={() => setHelpOpen(true)} />}
        {isHelpOpen && <KeyHelp close={() => setHelpOpen(false)} />}
      </Suspense>
    </div>
  );
}

function useLive(): void {
  const space = useSpace();
  const queries = useQueryClient();
  useEffect(() => (space ? listen(space) : undefined), [space]);
  useEffect(() => hear(refreshing(queries)), [queries]);
  // A line that is back: whatever was asked for in vain is asked for again, and what is old may have changed.
  const { line } = useStore(connection);
  const wasLost = useRef(false);
  useEffect(() => {
    if (line === "open" && wasLost.current) void queries.invalidateQueries();
    if (line !== "connecting") wasLost.current = line !== "open";
  }, [line, queries]);
}

/** Whoever is not known is asked to sign in, and comes back to where they wanted to be. */
function useSigningIn(): void {
  const isOut = useStore(isSignedOut);
  const navigate = useNavigate();
  const here = useLocation({ select: (one) => one.href });
  useEffect(() => {
    if (isOut) void navigate({ to: "/sign-in", search: { next: here }, replace: true });
  }, [isOut, here, navigate]);
}

function useGlobalKeys(palette: () => void, help: () => void, fold: () => void): void {
  const navigate = useNavigate();
  useKeys([
    { keys: "mod+k", label: "Ask memory, jump, run", run: palette, group: "Everywhere", inDialog: true },
    { keys: "?", label: "Keys of this page", run: help, group: "Everywhere" },
    { keys: "[", label: "Fold or unfold the navigation", run: fold, group: "Everywhere" },
    { keys: "u", label: "Undo what was just done", run: () => void undoLast(), group: "Everywhere" },
    ...PAGES.map((page) => ({
      keys: page.keys,
      label: page.label,
      run: () => void navigate({ to: page.to }),
      group: "Go to",
    })),
    { keys: "g s", label: "Settings", run: () => void navigate({ to: "/settings" }), group: "Go to" },
  ]);
}
