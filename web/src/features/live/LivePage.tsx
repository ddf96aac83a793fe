import { useNavigate, useSearch } from "@tanstack/react-router";
import { type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { cn } from "@/lib/cn";
import { useKeys } from "@/lib/keys";
import { isElsewhere, usePlace } from "@/lib/place";
import { Page } from "@/ui/Page";
import { ErrorBox, Skeletons } from "@/ui/states";
import { Tabs } from "@/ui/Tabs";
import { Analysis, ServiceAnalysis } from "./Analysis";
import { shownOf } from "./counting";
import type { Feed, FeedView } from "./feed";
import { type Following, useFeed, useFollowing, useRates } from "./following";
import { Inject } from "./Inject";
import { type Chosen, LogPane } from "./LogPane";
import { OpenIncidents } from "./OpenIncidents";
import { Peek, PeekHead } from "./Peek";
import { type Pointed, pointed, pointing, useWholeLine } from "./pointing";
import { type Fold, LEVEL_MIN, type LineRow, type LiveLine } from "./rows";
import { Services } from "./Services";
import { subjectOfLines } from "./subject";
import { type LevelChoice, Toolbar } from "./Toolbar";
import { useVolume, VolumeBar } from "./Volume";

const FOLDS: readonly Fold[] = ["pattern", "same", "none"];
const LEVELS: readonly LevelChoice[] = ["all", "info", "warn", "error"];

function oneOf<T extends string>(all: readonly T[], value: string | undefined): T {
  return all.find((one) => one === value) ?? (all[0] as T);
}

/** What happens now: services, their lines as they come, and what memory says to any of them. */
export function LivePage() {
  const page = useLivePage();
  const place = usePlace();
  const { search, change, services, following, view, feed, cursor, chosenLines, what } = page;
  const analyse = search.analyse;
  const isPeekOpen = what !== null || analyse === "service";
  const usual = isPeekOpen ? "details" : "lines";
  const pane = search.pane && ["services", "lines", usual].includes(search.pane) ? search.pane : usual;
  return (
    <Page title="Live monitor" crumbs={[{ label: "Live monitor" }]} actions={<Inject />} isFilled>
      <div className="flex h-full min-h-0 flex-col">
        <h1 className="sr-only">Live</h1>
        {isElsewhere(place) && (
          <p className="border-b border-line px-6 py-1.5 text-small text-fg2 max-narrow:px-4">
            Services and lines are those of now; memory is asked as it was then.
          </p>
        )}
        <div className="hidden border-b border-line px-3 py-1 max-narrow:block">
          <Tabs
            label="Pane"
            value={pane}
            choose={(next) => change({ pane: next })}
            options={[
              { value: "services", label: "Services" },
              { value: "lines", label: "Lines" },
              ...(isPeekOpen ? [{ value: "details", label: "Details" }] : []),
            ]}
          />
        </div>
        <div className="flex min-h-0 flex-1">
          <Pane isShown={pane === "services"} className="w-[224px] shrink-0 border-r border-line max-narrow:border-r-0">
            <div ref={page.list} className="scroll-thin min-h-0 flex-1 overflow-y-auto" tabIndex={-1}>
              <Services
                rates={page.rates}
                chosen={services}
                choose={(next) => change({ service: next.join(",") || undefined, pane: undefined })}
              />
            </div>
          </Pane>
          <Pane isShown={pane === "lines"} className="min-w-0 flex-1">
            <OpenIncidents />
            <Toolbar
              box={page.toolbar}
              text={page.words}
              level={page.level}
              fold={page.fold}
              isPaused={following.pause !== null}
              change={(next) =>
                change({
                  ...("text" in next ? { text: next.text || undefined } : {}),
                  ...(next.level ? { level: next.level === "all" ? undefined : next.level } : {}),
                  ...(next.fold ? { fold: next.fold === "pattern" ? undefined : next.fold } : {}),
                })
              }
              toggle={page.toggle}
              analyse={page.analyse}
              analyseWhat={page.analyseWhat}
              whyNoAnalysis={page.whyNoAnalysis}
            />
            <VolumeBar volume={page.volume} />
            <Stream
              feed={feed}
              view={view}
              following={following}
              isFiltered={page.isFiltered}
              clear={page.clear}
              total={page.volume?.total ?? 0}
            >
              <LogPane
                following={following}
                chosen={cursor}
                isOneService={services.length === 1}
                choose={page.choose}
              />
            </Stream>
          </Pane>
          {isPeekOpen && (
            <Pane
              isShown={pane === "details"}
              className="w-[400px] shrink-0 border-l border-line bg-s1 max-narrow:border-l-0"
            >
              <PeekHead
                title={analyse ? `Analysis${analyse === "service" ? ` of ${services[0] ?? ""}` : ""}` : "Line"}
                close={page.close}
              />
              <section aria-label="Details" className="scroll-thin min-h-0 flex-1 overflow-y-auto" tabIndex={0}>
                {analyse === "service" && services[0] && <ServiceAnalysis service={services[0]} />}
                {what && (
                  <LineDetails
                    what={what}
                    lines={chosenLines}
                    row={page.row}
                    isAnalysed={analyse === "line"}
                    isContextOpen={search.context === "on"}
                    openContext={() => change({ context: "on" })}
                  />
                )}
              </section>
            </Pane>
          )}
        </div>
      </div>
    </Page>
  );
}

/** A column; where there is no room for three, one of them at a time. */
function Pane({ isShown, className, children }: { isShown: boolean; className: string; children: ReactNode }) {
  return (
    <div className={cn("flex min-h-0 flex-col max-narrow:w-full", !isShown && "max-narrow:hidden", className)}>
      {children}
    </div>
  );
}

interface LineDetailsProps {
  what: Pointed;
  lines: readonly LiveLine[];
  row: LineRow | null;
  isAnalysed: boolean;
  isContextOpen: boolean;
  openContext: () => void;
}

function LineDetails({ what, lines, row, isAnalysed, isContextOpen, openContext }: LineDetailsProps) {
  const whole = useWholeLine(what);
  const asked = useMemo(() => {
    if (!whole.data && lines.length === 0) return null;
    const { stack, attributes: _, ...plain } = whole.data ?? { stack: "", attributes: {} };
    const own = "time" in plain ? [{ ...plain, is_cut: false, has_stack: stack !== "" }] : [];
    return subjectOfLines(lines.length > 0 ? lines : own, whole.data);
  }, [lines, whole.data]);
  return (
    <>
      {isAnalysed && asked && !whole.isPending && <Analysis subject={asked} />}
      <div className={isAnalysed ? "border-t border-line" : ""}>
        <Peek what={what} row={row} isContextOpen={isContextOpen} openContext={openContext} />
      </div>
    </>
  );
}

interface StreamProps {
  feed: Feed | null;
  view: FeedView;
  following: Following;
  isFiltered: boolean;
  clear: () => void;
  /** How many lines of the last minutes there are beside those that are here. */
  total: number;
  children: ReactNode;
}

/** The stream in every state: on its way, nothing yet, there, there but cut off. */
function Stream({ feed, view, following, isFiltered, clear, total, children }: StreamProps) {
  if (!view.isFilled && following.rows.length === 0) {
    return (
      <div className="px-3">
        <Skeletons rows={12} className="h-4" label="Loading lines" />
      </div>
    );
  }
  return (
    <>
      {view.failure && (
        <div className="p-2">
          <ErrorBox
            failure={view.failure}
            what="What was logged before"
            still="New lines are shown as they come."
            retry={() => feed?.again()}
          />
        </div>
      )}
      {following.rows.length === 0 ? (
        <div className="flex flex-1 flex-col items-start gap-2.5 px-4 py-3 text-fg2">
          <p>
            {isFiltered
              ? "No line of the last 15 minutes matches. New ones are shown as they come."
              : "Nothing was logged in the last 15 minutes. New lines are shown as they come."}
          </p>
          {isFiltered && (
            <button type="button" onClick={clear} className="h-6 text-moon hover:underline">
              Show all lines
            </button>
          )}
        </div>
      ) : (
        children
      )}
      <Foot view={view} total={total} />
    </>
  );
}

function Foot({ view, total }: { view: FeedView; total: number }) {
  return (
    <p className="flex h-[26px] shrink-0 items-center gap-3 overflow-hidden border-t border-line px-3 text-meta whitespace-nowrap text-fg3 tabular-nums">
      <span>{shownOf(view.added, total)}</span>
      {view.dropped > 0 && (
        <span className="min-w-0 truncate" title="A filter shows all of its own lines, as long as they are fewer.">
          {view.dropped.toLocaleString("en")} dropped from view (rate limit)
        </span>
      )}
      {view.line === "lost" && <span className="text-sand">Connection lost, retrying</span>}
    </p>
  );
}

type LiveChange = Partial<
  Record<"service" | "level" | "text" | "fold" | "line" | "analyse" | "context" | "pane", string | undefined>
>;

/** What the page shows, and what can be done with it. */
function useLivePage() {
  const search = useSearch({ from: "/live" });
  const navigate = useNavigate({ from: "/live" });
  const change = useCallback(
    (next: LiveChange) => void navigate({ search: (now) => ({ ...now, ...next }), replace: true }),
    [navigate],
  );
  const services = useMemo(() => search.service?.split(",").filter(Boolean) ?? [], [search.service]);
  const level = oneOf(LEVELS, search.level);
  const fold = oneOf(FOLDS, search.fold);
  const words = search.text ?? "";
  const rates = useRates();
  const volume = useVolume({ services, level, words });
  const [feed, view] = useFeed({ services, levelMin: LEVEL_MIN[level] ?? 0, words }, fold, rates);
  const following = useFollowing(feed, view, fold);
  const { cursor, setCursor, chosenRows } = useCursor(following, feed, fold);
  const chosenLines = useMemo(() => chosenRows.map((one) => one.line), [chosenRows]);
  const what = useMemo(() => pointed(search.line), [search.line]);
  const list = useRef<HTMLDivElement>(null);
  const toolbar = useRef<HTMLDivElement>(null);

  const last = chosenRows.at(-1);
  const row = last && what && last.line.time === what.time && last.line.service === what.service ? last : null;
  const only = services.length === 1 ? (services[0] ?? "") : "";
  const open = (one: LineRow, analysed?: string) =>
    change({ line: pointing(one.line), analyse: analysed, pane: undefined });
  const close = () => {
    setCursor(null);
    change({ line: undefined, analyse: undefined, context: undefined, pane: undefined });
  };
  const choose = useCallback(
    (one: LineRow, isMore: boolean) => {
      following.stop("scroll");
      setCursor((now) => (isMore && now ? { from: now.from, to: one.id } : { from: one.id, to: one.id }));
      change({ line: pointing(one.line), analyse: undefined, pane: undefined });
    },
    [following.stop, setCursor, change],
  );
  const analyse = () => {
    if (last) open(last, "line");
    else if (what) change({ analyse: "line", pane: undefined });
    else if (only) change({ analyse: "service", pane: undefined });
  };
  const step = (by: number, isMore: boolean) => {
    following.stop("scroll");
    const found = nextLine(following.rows, cursor?.to ?? null, by);
    if (found) setCursor({ from: isMore && cursor ? cursor.from : found.id, to: found.id });
    if (found && what) change({ line: pointing(found.line), analyse: undefined });
  };
  const toggle = () => (following.pause ? following.goOn() : following.stop("hand"));
  useKeys([
    { keys: "space", label: "Pause, or resume", run: toggle },
    { keys: "j", label: "Next line", run: () => step(1, false) },
    { keys: "k", label: "Line before", run: () => step(-1, false) },
    { keys: "shift+j", label: "Choose the next line as well", run: () => step(1, true) },
    { keys: "shift+k", label: "Choose the line before as well", run: () => step(-1, true) },
    { keys: "enter", label: "Look at the line", run: () => last && open(last), isOff: !last },
    { keys: "a", label: "Analyse the chosen lines, or the service", run: analyse },
    {
      keys: "x",
      label: "Lines around it",
      run: () => {
        if (!what && last) open(last);
        change({ context: search.context === "on" && what ? undefined : "on" });
      },
      isOff: !last && !what,
    },
    {
      keys: "f",
      label: "Choose a service",
      run: () => {
        change({ pane: "services" });
        requestAnimationFrame(() => list.current?.querySelector<HTMLElement>("[data-service]")?.focus());
      },
    },
    { keys: "/", label: "Search logs", run: () => toolbar.current?.querySelector("input")?.focus() },
    {
      keys: "n",
      label: "Back to the newest",
      run: () => {
        setCursor(null);
        following.goOn();
      },
    },
    { keys: "escape", label: "Close what is open", run: close },
  ]);
  const analyseWhat = chosenRows.length > 1 ? `${chosenRows.length} lines` : last || what ? "the line" : only;
  const isNothing = !last && !what && !only;
  return {
    ...{
      search,
      change,
      services,
      level,
      fold,
      words,
      rates,
      volume,
      feed,
      view,
      following,
      cursor,
      chosenLines,
      what,
      row,
    },
    ...{ list, toolbar, choose, close, analyse, toggle, analyseWhat },
    whyNoAnalysis: isNothing ? "Choose a line (j, k) or one service (f) first." : "",
    isFiltered: services.length > 0 || level !== "all" || words !== "",
    clear: () => change({ service: undefined, level: undefined, text: undefined }),
  };
}

/** The line that comes next to a row, over everything that is no line; the newest, where none is chosen. */
function nextLine(rows: Following["rows"], id: number | null, by: number): LineRow | null {
  const here = id === null ? -1 : rows.findIndex((one) => one.id === id);
  let place = here < 0 ? rows.length - 1 : here + by;
  while (place >= 0 && place < rows.length) {
    const row = rows[place];
    if (row?.kind === "line") return row;
    place += here < 0 ? -1 : by;
  }
  return null;
}

function useCursor(following: Following, feed: Feed | null, fold: Fold) {
  const [cursor, setCursor] = useState<Chosen | null>(null);
  // Rows of another stream have other numbers.
  // biome-ignore lint/correctness/useExhaustiveDependencies: that is when they do.
  useEffect(() => setCursor(null), [feed, fold]);
  const paused = following.pause?.rows;
  const chosenRows = useMemo(() => {
    if (!cursor || !paused) return [];
    const [from, to] = [Math.min(cursor.from, cursor.to), Math.max(cursor.from, cursor.to)];
    return paused.filter((one): one is LineRow => one.kind === "line" && one.id >= from && one.id <= to);
  }, [cursor, paused]);
  return { cursor, setCursor, chosenRows };
}
