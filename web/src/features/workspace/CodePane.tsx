import { useRouter } from "@tanstack/react-router";
import { ArrowDown, ArrowUp, ChevronRight, FileCode2, History, Pencil, Save, UserRoundSearch, X } from "lucide-react";
import { Fragment, lazy, Suspense, useMemo } from "react";
import type { Schemas } from "@/api/client";
import { useRead } from "@/api/reading";
import { cn } from "@/lib/cn";
import { relative } from "@/lib/time";
import { Button, IconButton } from "@/ui/Button";
import { Empty, Shown, Skeletons } from "@/ui/states";
import { STALE } from "./CardActions";
import { type Glance, isApplied, isOpen, TONES } from "./deck";
import { indentOf } from "./editor/indent";
import type { Marked, Noted, Past } from "./editor/notes";
import type { OpenFile } from "./opening";
import { type Go, nameOf } from "./places";
import type { Cursor } from "./Viewer";

const Viewer = lazy(() => import("./Viewer"));

interface CodePaneProps {
  name: string;
  path: string;
  open: OpenFile;
  tabs: readonly string[];
  closeTab: (path: string) => void;
  deck: Schemas["DeckTold"] | undefined;
  incident: string;
  target: { line: number } | null;
  isEditing: boolean;
  setEditing: (isEditing: boolean) => void;
  isBlamed: boolean;
  setBlamed: (isBlamed: boolean) => void;
  blamed: readonly Schemas["BlamedTold"][] | null;
  cursor: Cursor | null;
  moved: (cursor: Cursor) => void;
  whyNot: string;
  go: Go;
}

/** The file that is open, with what memory knows about it. */
export function CodePane(props: CodePaneProps) {
  const { name, path, open, tabs, closeTab, go } = props;
  const lens = useRead(
    "/api/v1/workspaces/{name}/lens",
    { path: { name }, query: { path } },
    { isOn: path !== "", keepsPrevious: true },
  );
  const known = lens.data?.path === path ? lens.data : undefined;
  return (
    <section aria-label="Code" className="flex h-full min-h-0 flex-col">
      <div className="scroll-thin flex h-[38px] shrink-0 overflow-x-auto border-b border-line">
        {tabs.map((one) => (
          <FileTab
            key={one}
            path={one}
            isShown={one === path}
            isUnsaved={one === path && open.isUnsaved}
            open={() => go({ path: one, ln: undefined })}
            close={() => {
              closeTab(one);
              if (one === path) go({ path: tabs.filter((other) => other !== one).at(-1), ln: undefined });
            }}
          />
        ))}
      </div>
      {path === "" ? (
        <Empty className="px-4" why="Choose a file on the left, or press T and type its name." />
      ) : (
        <>
          <Head {...props} lens={known} />
          {open.isBehind && <Behind open={open} />}
          <div className={cn("min-h-0 flex-1", open.file.error && !open.file.data && "p-3")}>
            <Shown
              of={open.file}
              what={nameOf(path)}
              still="Other files, the fixes and the log still work."
              loading={
                <div className="px-4">
                  <Skeletons rows={12} className="h-3.5" />
                </div>
              }
            >
              {(file) => <ShownFile key={file.path} {...props} file={file} lens={known} />}
            </Shown>
          </div>
        </>
      )}
    </section>
  );
}

interface FileTabProps {
  path: string;
  isShown: boolean;
  isUnsaved: boolean;
  open: () => void;
  close: () => void;
}

function FileTab({ path, isShown, isUnsaved, open, close }: FileTabProps) {
  return (
    <div
      className={cn(
        "group flex shrink-0 items-center border-r border-line",
        isShown ? "bg-s1 text-fg shadow-[inset_0_2px_var(--moon)]" : "text-fg2 hover:text-fg",
      )}
    >
      <button
        type="button"
        aria-current={isShown || undefined}
        title={path}
        onClick={open}
        className="flex h-full items-center gap-1.5 pl-3 text-small outline-offset-[-2px]"
      >
        <FileCode2 aria-hidden="true" className={cn("size-3.5", isShown ? "text-moon" : "text-fg3")} />
        {nameOf(path)}
        {isUnsaved && (
          <span className="text-sand">
            •<span className="sr-only"> not saved</span>
          </span>
        )}
      </button>
      <IconButton label={`Close ${path}`} size="small" onClick={close} className="mx-0.5 px-1!">
        <X className="size-3" />
      </IconButton>
    </div>
  );
}

function Head(props: CodePaneProps & { lens: Schemas["LensTold"] | undefined }) {
  const { path, open, lens, cursor, incident, isEditing, setEditing, isBlamed, setBlamed, whyNot } = props;
  const inside = cursor && lens?.functions.findLast((one) => within(one.lines, cursor.line));
  const past = before(lens?.known.troubles, incident);
  return (
    <div className="flex h-8 shrink-0 items-center gap-2 border-b border-line pr-2 pl-3.5 text-small text-fg2">
      <span className="flex min-w-0 items-center gap-1.5">
        {path.split("/").map((part, place) => (
          <Fragment key={`${place}${part}`}>
            {place > 0 && <ChevronRight aria-hidden="true" className="size-3 shrink-0 text-fg3 max-sm:hidden" />}
            <span className={cn("truncate", place < path.split("/").length - 1 && "max-sm:hidden")}>{part}</span>
          </Fragment>
        ))}
        {inside && (
          <>
            <ChevronRight aria-hidden="true" className="size-3 shrink-0 text-fg3" />
            <span className="truncate text-fg">{inside.name}</span>
          </>
        )}
      </span>
      {past.length > 0 && (
        <span
          className="ml-auto flex shrink-0 items-center gap-1.5"
          title={past.map((one) => `${one.title} (${one.how})`).join("\n")}
        >
          <History aria-hidden="true" className="size-3 text-moon" />
          part of {past.length} past {past.length === 1 ? "incident" : "incidents"}
        </span>
      )}
      <span className={cn("flex shrink-0 items-center", past.length === 0 && "ml-auto")}>
        <IconButton
          label="Who touched which line"
          size="small"
          aria-pressed={isBlamed}
          onClick={() => setBlamed(!isBlamed)}
          className={isBlamed ? "text-moon" : ""}
        >
          <UserRoundSearch className="size-3.5" />
        </IconButton>
        {open.isUnsaved ? (
          <Button size="small" look="primary" icon={<Save className="size-3" />} keys="mod+s" onClick={open.save}>
            Save
          </Button>
        ) : (
          <IconButton
            label={isEditing ? "Stop editing" : "Edit this file"}
            size="small"
            whyNot={whyNot}
            aria-pressed={isEditing}
            onClick={() => setEditing(!isEditing)}
            className={isEditing ? "text-moon" : ""}
          >
            <Pencil className="size-3.5" />
          </IconButton>
        )}
      </span>
    </div>
  );
}

function Behind({ open }: { open: OpenFile }) {
  return (
    <p role="status" className="flex items-center gap-2 border-b border-line px-4 py-1.5 text-small text-sand">
      <span className="flex-1">The file has changed since you began to type.</span>
      <Button size="small" onClick={open.drop}>
        Drop mine
      </Button>
      <Button size="small" onClick={open.rebase}>
        Keep mine
      </Button>
    </p>
  );
}

function ShownFile(props: CodePaneProps & { file: Schemas["FileTold"]; lens: Schemas["LensTold"] | undefined }) {
  const { file, lens, open, deck, incident, target, isEditing, setEditing, blamed, moved } = props;
  const router = useRouter();
  const noted = useMemo<Noted>(() => {
    const to = (id: string) => ({ to: "/incidents/$incident" as const, params: { incident: id } });
    return {
      marks: marksOf(deck, file.path),
      past: pastOf(lens, incident, (id) => router.buildLocation(to(id)).href),
      open: (id) => void router.navigate(to(id)),
    };
  }, [deck, file.path, lens, incident, router]);
  return (
    <Suspense
      fallback={
        <div className="px-4">
          <Skeletons rows={12} className="h-3.5" />
        </div>
      }
    >
      <Viewer
        path={file.path}
        text={open.text}
        version={file.digest}
        tongue={file.language}
        indent={indentOf(file.text).unit}
        isEditing={isEditing}
        noted={noted}
        blamed={blamed}
        said={age}
        target={target}
        typed={open.type}
        moved={moved}
        save={open.save}
        leave={() => setEditing(false)}
      />
    </Suspense>
  );
}

function age(at: string): string {
  return relative(at, new Date());
}

function within(lines: { first: number; last: number }, line: number): boolean {
  return lines.first <= line && line <= lines.last;
}

/** What happened before the incident that is worked on. */
function before<T extends { incident: string }>(troubles: readonly T[] | undefined, incident: string): readonly T[] {
  return (troubles ?? []).filter((one) => one.incident !== incident);
}

function pastOf(
  lens: Schemas["LensTold"] | undefined,
  incident: string,
  href: (incident: string) => string,
): ReadonlyMap<number, readonly Past[]> {
  const found = new Map<number, readonly Past[]>();
  for (const one of lens?.functions ?? []) {
    const past = before(one.known.troubles, incident).map((trouble) => ({
      incident: trouble.incident,
      title: `${trouble.title} (${trouble.how})`,
      age: age(trouble.at),
      href: href(trouble.incident),
    }));
    if (past.length > 0) found.set(one.lines.first, past);
  }
  return found;
}

function marksOf(deck: Schemas["DeckTold"] | undefined, path: string): readonly Marked[] {
  const warned = (deck?.warned ?? [])
    .filter((one) => one.path === path)
    .map((one) => ({ ...one.lines, tone: "sand" as const, label: one.text }));
  const cards = (deck?.cards ?? [])
    .filter((card) => card.path === path && isOpen(card))
    .map((card) => ({ ...card.lines, tone: TONES[card.severity], label: card.title }));
  return [...warned, ...cards];
}

interface BarProps {
  cards: readonly Glance[];
  chosen: Glance;
  step: (by: number) => void;
  accept: () => void;
  reject: () => void;
  undo: () => void;
  whyNot: string;
  isStale: boolean;
  isBusy: boolean;
}

/** Stays with the code: which fix is looked at, and what to do with it. */
export function FixBar({ cards, chosen, step, accept, reject, undo, whyNot, isStale, isBusy }: BarProps) {
  const place = cards.findIndex((card) => card.id === chosen.id) + 1;
  return (
    <div
      role="toolbar"
      aria-label="The fix that is looked at"
      className="absolute bottom-3 left-1/2 z-10 flex -translate-x-1/2 items-center gap-1.5 rounded-lg border border-line2 bg-s2 px-2 py-1 shadow-(--shadow)"
    >
      <IconButton label="The fix before" size="small" onClick={() => step(-1)}>
        <ArrowUp className="size-3.5" />
      </IconButton>
      <span className="whitespace-nowrap tabular-nums">
        Fix {place} of {cards.length}
      </span>
      <IconButton label="The next fix" size="small" onClick={() => step(1)}>
        <ArrowDown className="size-3.5" />
      </IconButton>
      <span aria-hidden="true" className="mx-1 h-4 border-l border-line2" />
      {isApplied(chosen) ? (
        <Button size="small" keys="u" whyNot={whyNot} isBusy={isBusy} onClick={undo}>
          Undo
        </Button>
      ) : (
        <>
          <Button size="small" look="quiet" keys="r" whyNot={whyNot} onClick={reject}>
            Reject
          </Button>
          <Button
            size="small"
            look="primary"
            keys="a"
            whyNot={whyNot || (isStale ? STALE : "")}
            isBusy={isBusy}
            onClick={accept}
          >
            Accept
          </Button>
        </>
      )}
    </div>
  );
}
