import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { hear, type IncidentEvent } from "@/api/live";
import { read } from "@/api/reading";
import { useSpace } from "@/api/session";
import { usePlace } from "@/lib/place";
import { Store, useStore } from "@/lib/store";
import { Feed, type FeedView, type Wish } from "./feed";
import { Rates, SECONDS_SHOWN } from "./rates";
import type { Fold, Row } from "./rows";

const NOTHING = new Store<FeedView>({
  rows: [],
  version: 0,
  added: 0,
  dropped: 0,
  line: "connecting",
  isFilled: false,
  failure: null,
});

/** The rates of a space, from a minute ago on. */
export function useRates(): Rates {
  const space = useSpace();
  // biome-ignore lint/correctness/useExhaustiveDependencies: another space has rates of its own.
  const rates = useMemo(() => new Rates(), [space]);
  useEffect(() => {
    const leaving = new AbortController();
    const now = Date.now();
    const since = new Date(now - (SECONDS_SHOWN + 5) * 1000).toISOString();
    const query = { since, until: new Date(now).toISOString(), step_seconds: 1 };
    // Without the past minute the lines of the services begin now.
    read({ space, at: "", branch: "" }, "/api/v1/rates", { query }, leaving.signal).then(
      (told) => rates.fill(told),
      () => undefined,
    );
    return () => leaving.abort();
  }, [space, rates]);
  return rates;
}

/** The log stream of a space under some conditions; other conditions are another stream. */
export function useFeed({ services, levelMin, words }: Wish, fold: Fold, rates: Rates): [Feed | null, FeedView] {
  const { space: named } = usePlace();
  const space = useSpace();
  const [feed, setFeed] = useState<Feed | null>(null);
  const folded = useRef(fold);
  const named_services = services.join("\n");
  useEffect(() => {
    if (!space) return;
    const wish = { services: named_services ? named_services.split("\n") : [], levelMin, words };
    const made = new Feed({ space: named, at: "", branch: "" }, space, wish, folded.current, rates);
    setFeed(made);
    const leave = hear(({ kind, data }) => {
      if (kind === "incident") made.happened(data as IncidentEvent);
    });
    return () => {
      leave();
      made.end();
      setFeed(null);
    };
  }, [space, named, named_services, levelMin, words, rates]);
  useEffect(() => {
    if (folded.current === fold) return;
    folded.current = fold;
    feed?.refold(fold);
  }, [fold, feed]);
  return [feed, useStore(feed?.view ?? NOTHING)];
}

export interface Pause {
  /** Scrolling back to the end goes on; what was stopped by hand goes on by hand. */
  by: "scroll" | "hand";
  rows: readonly Row[];
  added: number;
}

export interface Following {
  rows: readonly Row[];
  pause: Pause | null;
  /** How many lines came since it was stopped. */
  waiting: number;
  stop: (by: Pause["by"]) => void;
  goOn: () => void;
}

/** What is shown: the newest, or what was there when somebody stopped to read. */
export function useFollowing(feed: Feed | null, view: FeedView, fold: Fold): Following {
  const [pause, setPause] = useState<Pause | null>(null);
  const shown = useRef(view);
  shown.current = view;
  // Another stream, or the same one folded otherwise, is looked at from its end.
  // biome-ignore lint/correctness/useExhaustiveDependencies: that is when it begins anew.
  useEffect(() => setPause(null), [feed, fold]);
  const stop = useCallback((by: Pause["by"]) => {
    setPause((now) => {
      if (now) return by === "hand" && now.by !== "hand" ? { ...now, by } : now;
      return { by, rows: shown.current.rows, added: shown.current.added };
    });
  }, []);
  const goOn = useCallback(() => setPause(null), []);
  return {
    rows: pause?.rows ?? view.rows,
    pause,
    waiting: pause ? Math.max(0, view.added - pause.added) : 0,
    stop,
    goOn,
  };
}
