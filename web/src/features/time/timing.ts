import { useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect, useMemo, useRef, useState } from "react";
import { hear } from "@/api/live";
import { useList, useRead } from "@/api/reading";
import { usePlace } from "@/lib/place";
import { type Branch, type Commit, lineOf, MAIN, short } from "./history";

const COMMITS_PER_PAGE = 200;
// A rail is scrolled further by hand beyond these.
const PAGES_BY_ITSELF_MAX = 20;
// Browsers count how often an address changes; while a key is held down it is written once it rests.
const SETTLE_MS = 120;

// Events after which memory has probably grown.
const WRITING: ReadonlySet<string> = new Set(["incident", "answer", "deck", "card"]);

export const VIEWS = ["commit", "state", "compare", "bisect", "merge"] as const;
export type View = (typeof VIEWS)[number];

type Search = ReturnType<typeof useTimeSearch>;

export function useTimeSearch() {
  return useSearch({ from: "/time" });
}

/** Everything that has ever been remembered, branch by branch. Never of a moment: it is what moments are chosen from. */
function useHistory() {
  const commits = useList(
    "/api/v1/memory/commits",
    { query: { every: true, limit: COMMITS_PER_PAGE, at: undefined, branch: MAIN } },
    { keepsPrevious: true },
  );
  const branches = useRead("/api/v1/memory/branches", { query: { limit: 200 } }, { everySeconds: 20 });
  const snapshots = useRead("/api/v1/memory/snapshots", { query: { limit: 200 } }, { everySeconds: 60 });
  const { refetch: look } = branches;
  useEffect(() => hear(({ kind }) => void (WRITING.has(kind) && look({ cancelRefetch: false }))), [look]);
  // A long history is read again only when it has grown.
  const heads = branches.data?.items.map((one) => one.head).join() ?? "";
  const known = useRef("");
  const { refetch } = commits;
  useEffect(() => {
    if (known.current && known.current !== heads) void refetch({ cancelRefetch: false });
    known.current = heads;
  }, [heads, refetch]);
  // The same list for as long as nothing new was read: whatever is worked out from it can be kept.
  const items: readonly Commit[] = useMemo(() => commits.data?.pages.flatMap((one) => one.items) ?? [], [commits.data]);
  return { commits: { ...commits, items }, branches, snapshots };
}

/** What a word for a moment means; undefined while that is not known, null before the first commit. */
export function useMoment(word: string, commits: readonly Commit[], branch: string, isReady = true) {
  const known = /^[0-9a-f]{6,64}$/.test(word) ? commits.find((one) => one.id.startsWith(word)) : undefined;
  const found = useRead(
    "/api/v1/memory/moments/resolve",
    { query: { moment: word, branch } },
    { isOn: isReady && word !== "" && !known },
  );
  return { commit: known ?? found.data?.commit, error: known ? null : found.error };
}

/** The time machine as a whole: history, which line of it is walked, and which moment is chosen. All in the address. */
export function useTime() {
  const search = useTimeSearch();
  const navigate = useNavigate({ from: "/time" });
  const place = usePlace();
  const { commits, branches, snapshots } = useHistory();
  const [draft, setDraft] = useState("");
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  // What is to be written into the address once it rests.
  const waiting = useRef<Partial<Search>>({});
  useEffect(() => () => clearTimeout(timer.current), []);
  // The address has caught up, or says something else now.
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is about the moment at which the address changes.
  useEffect(() => setDraft(""), [search.on]);

  const all: readonly Branch[] = useMemo(() => branches.data?.items ?? [], [branches.data]);
  const said = search.line || place.branch || MAIN;
  const isKnown = all.length === 0 || all.some((one) => one.name === said);
  const name = isKnown ? said : MAIN;
  const line = useMemo(() => lineOf(commits.items, all, name), [commits.items, all, name]);
  const word = draft || search.on || place.at;
  const moment = useMoment(word, commits.items, name, !commits.isPending && branches.data !== undefined);
  const chosen = word ? moment.commit : commits.isPending ? undefined : (line[0] ?? null);
  const pinned = useMoment(search.from ?? "", commits.items, name, !commits.isPending);

  const oldest = commits.items.at(-1);
  const isFurther = Boolean(chosen && oldest && chosen.step < oldest.step && commits.hasNextPage);
  const pages = commits.data?.pages.length ?? 0;
  useEffect(() => {
    if (isFurther && pages < PAGES_BY_ITSELF_MAX) commits.more();
  }, [isFurther, pages, commits.more]);

  const say = (part: Partial<Search>, isNew = false) => {
    clearTimeout(timer.current);
    const all = { ...waiting.current, ...part };
    waiting.current = {};
    if ("on" in all) setDraft(all.on ?? "");
    void navigate({ search: (now) => ({ ...now, ...all }), replace: !isNew, resetScroll: false });
  };
  const choose = (commit: Commit, part: Partial<Search> = {}) => {
    clearTimeout(timer.current);
    waiting.current = { ...waiting.current, ...part, on: short(commit.id) };
    setDraft(commit.id);
    timer.current = setTimeout(() => say({}), SETTLE_MS);
  };
  const view: View = VIEWS.find((one) => one === search.view) ?? "commit";
  return {
    search,
    view,
    name,
    unknown: isKnown ? "" : said,
    commits,
    branches: all,
    isReady: !commits.isPending && branches.data !== undefined,
    failure: commits.items.length === 0 ? (commits.error ?? branches.error) : null,
    snapshots: snapshots.data?.items ?? [],
    line,
    chosen,
    wrong: moment.error,
    /** The other end of a comparison. */
    pinned: search.from ? pinned.commit : undefined,
    pinnedWrong: pinned.error,
    isFurther,
    say,
    choose,
  };
}

export type TimeMachine = ReturnType<typeof useTime>;
