import {
  ChevronDown,
  ChevronRight,
  CircleDot,
  FileCode2,
  FileText,
  Folder,
  FolderOpen,
  Plus,
  Search,
  Upload,
  X,
} from "lucide-react";
import { type KeyboardEvent, type RefObject, useDeferredValue, useEffect, useMemo, useRef, useState } from "react";
import type { Schemas } from "@/api/client";
import { useList, useRead } from "@/api/reading";
import { cn } from "@/lib/cn";
import { IconButton } from "@/ui/Button";
import { FilterBox } from "@/ui/Field";
import { Kbd } from "@/ui/Kbd";
import { ErrorBox, Skeletons } from "@/ui/states";
import type { Sending } from "./adding";
import { badges, type Glance } from "./deck";
import { folders, type Go, nameOf } from "./places";

type Entry = Schemas["TreeEntry"];
type Badges = ReturnType<typeof badges>;

interface ExplorerProps {
  names: readonly string[];
  name: string;
  path: string;
  cards: readonly Glance[];
  go: Go;
  finder: RefObject<HTMLInputElement | null>;
  /** Single files that were dropped, and what became of each. */
  sent: readonly Sending[];
  clear: () => void;
  choose: () => void;
  addWorkspace: () => void;
  whyNot: string;
}

/** The files of a workspace: folders, a search, and where to drop new ones. */
export function Explorer(props: ExplorerProps) {
  const { names, name, path, cards, go, finder, sent, clear, choose, addWorkspace, whyNot } = props;
  const [text, setText] = useState("");
  const sought = useDeferredValue(text.trim());
  const marks = useMemo(() => badges(cards), [cards]);
  const open = (to: string, line?: number) => go({ path: to, ln: line, pane: "code" });
  return (
    <div data-files className="flex h-full min-h-0 flex-col">
      <div className="flex h-[38px] shrink-0 items-center gap-1 border-b border-line pr-1.5 pl-3">
        <div className="min-w-0 flex-1 truncate text-lead font-semibold">
          {names.length < 2 && name}
          {names.length > 1 && (
            <select
              aria-label="Workspace"
              value={name}
              onChange={(event) => go({ name: event.target.value, path: undefined, ln: undefined, card: undefined })}
              className="w-full truncate bg-bg font-semibold"
            >
              {names.map((one) => (
                <option key={one}>{one}</option>
              ))}
            </select>
          )}
        </div>
        <IconButton label="Add a workspace" onClick={addWorkspace}>
          <Plus className="size-4" />
        </IconButton>
        <IconButton label="Upload files" onClick={choose} whyNot={whyNot}>
          <Upload className="size-4" />
        </IconButton>
      </div>
      <div className="relative px-2 pt-2">
        {text === "" && (
          <span className="pointer-events-none absolute top-3.5 right-4 z-10 max-narrow:hidden">
            <Kbd keys="t" />
          </span>
        )}
        <FilterBox
          ref={finder}
          label="Find a file, or a line that holds a text"
          placeholder="Find a file"
          icon={<Search className="size-3.5" />}
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === "Escape") {
              setText("");
              event.currentTarget.blur();
            }
            if (event.key === "ArrowDown" || event.key === "Enter")
              event.currentTarget
                .closest("section")
                ?.querySelector<HTMLElement>("[data-row]")
                ?.[event.key === "Enter" ? "click" : "focus"]();
          }}
        />
      </div>
      <section aria-label="Tree" className="scroll-thin min-h-0 flex-1 overflow-y-auto px-1.5 py-2" onKeyDown={walk}>
        {sought ? (
          <Found name={name} text={sought} open={open} />
        ) : (
          <FolderRows key={name} name={name} folder="" depth={0} path={path} marks={marks} open={open} />
        )}
      </section>
      <Sent sent={sent} clear={clear} />
      <button
        type="button"
        onClick={choose}
        aria-disabled={Boolean(whyNot) || undefined}
        title={whyNot || undefined}
        className="m-2 flex flex-col gap-0.5 rounded-lg border border-dashed border-line2 px-2.5 py-2 text-left hover:bg-s1 max-narrow:hidden"
      >
        <span className="flex items-center gap-1.5 text-small">
          <Upload aria-hidden="true" className="size-3.5" /> Drop files here
        </span>
        <span className="text-meta text-fg3">code, logs or a .zip, up to 100 MB</span>
      </button>
    </div>
  );
}

// Arrows walk through the rows, as in every explorer.
function walk(event: KeyboardEvent<HTMLElement>): void {
  const rows = [...event.currentTarget.querySelectorAll<HTMLElement>("[data-row]")];
  const at = rows.indexOf(document.activeElement as HTMLElement);
  const row = rows[at];
  if (!row) return;
  const state = row.getAttribute("aria-expanded");
  if (event.key === "ArrowDown") rows[at + 1]?.focus();
  else if (event.key === "ArrowUp") rows[at - 1]?.focus();
  else if ((event.key === "ArrowRight" && state === "false") || (event.key === "ArrowLeft" && state === "true"))
    row.click();
  else return;
  event.preventDefault();
}

interface FolderRowsProps {
  name: string;
  folder: string;
  depth: number;
  path: string;
  marks: Badges;
  open: (path: string) => void;
}

function FolderRows({ name, folder, depth, path, marks, open }: FolderRowsProps) {
  const found = useList("/api/v1/workspaces/{name}/tree", {
    path: { name },
    query: { path: folder, limit: 200 },
  });
  if (found.error && found.items.length === 0)
    return <ErrorBox failure={found.error} what={folder || "The files"} retry={() => void found.refetch()} />;
  if (found.isPending) return depth === 0 ? <Skeletons rows={8} className="h-5" /> : null;
  if (found.items.length === 0) return <p className="px-2 py-1 text-small text-fg3">Nothing is in here.</p>;
  return (
    <ul aria-label={folder || "Files"}>
      {found.items.map((entry) =>
        entry.is_folder ? (
          <FolderRow key={entry.path} {...{ name, depth, path, marks, open, entry }} />
        ) : (
          <li key={entry.path}>
            <FileRow
              entry={entry}
              depth={depth}
              isOpen={entry.path === path}
              badge={marks.get(entry.path)}
              open={open}
            />
          </li>
        ),
      )}
      {found.hasNextPage && (
        <li>
          <button type="button" data-row onClick={found.more} className="px-3 py-1 text-small text-moon">
            Show more
          </button>
        </li>
      )}
    </ul>
  );
}

function FolderRow({ entry, ...rest }: Omit<FolderRowsProps, "folder"> & { entry: Entry }) {
  const leads = folders(rest.path).includes(entry.path);
  const badge = rest.marks.get(entry.path);
  const [isOpen, setOpen] = useState(leads || badge !== undefined);
  // A file that is opened from elsewhere is shown where it lies.
  useEffect(() => {
    if (leads) setOpen(true);
  }, [leads]);
  return (
    <li>
      <button
        type="button"
        data-row
        data-folder={entry.path}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        className={ROW}
        style={{ paddingLeft: 6 + rest.depth * 14 }}
      >
        {isOpen ? (
          <ChevronDown aria-hidden="true" className="size-3 shrink-0 text-fg3" />
        ) : (
          <ChevronRight aria-hidden="true" className="size-3 shrink-0 text-fg3" />
        )}
        {isOpen ? (
          <FolderOpen aria-hidden="true" className="size-3.5 shrink-0 text-fg3" />
        ) : (
          <Folder aria-hidden="true" className="size-3.5 shrink-0 text-fg3" />
        )}
        <span className="truncate">{nameOf(entry.path)}</span>
        {!isOpen && <Badge badge={badge} isDirty={entry.is_dirty} />}
      </button>
      {isOpen && <FolderRows {...rest} folder={entry.path} depth={rest.depth + 1} />}
    </li>
  );
}

const ROW =
  "flex h-6 w-full items-center gap-1.5 rounded-[6px] pr-2 text-left text-fg2 hover:bg-s2 hover:text-fg pointer-coarse:h-9 aria-[current=true]:bg-s3 aria-[current=true]:text-fg outline-offset-[-2px]";

interface FileRowProps {
  entry: Entry;
  depth: number;
  isOpen: boolean;
  badge: { count: number; tone: string } | undefined;
  open: (path: string) => void;
}

function FileRow({ entry, depth, isOpen, badge, open }: FileRowProps) {
  const row = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (isOpen) row.current?.scrollIntoView({ block: "nearest" });
  }, [isOpen]);
  const Icon = /\.(?:md|txt|log|csv)$|^[^.]+$/i.test(nameOf(entry.path)) ? FileText : FileCode2;
  return (
    <button
      ref={row}
      type="button"
      data-row
      aria-current={isOpen || undefined}
      onClick={() => open(entry.path)}
      className={ROW}
      style={{ paddingLeft: 24 + depth * 14 }}
    >
      <Icon aria-hidden="true" className={cn("size-3.5 shrink-0", isOpen ? "text-moon" : "text-fg3")} />
      <span className="truncate">{nameOf(entry.path)}</span>
      <Badge badge={badge} isDirty={entry.is_dirty} />
    </button>
  );
}

const HUES: Record<string, string> = { coral: "text-coral", sand: "text-sand", moon: "text-moon", sage: "text-sage" };

function Badge({ badge, isDirty }: { badge: { count: number; tone: string } | undefined; isDirty: boolean }) {
  return (
    <span className="ml-auto flex shrink-0 items-center gap-1.5 text-meta">
      {badge && (
        <span className={cn("flex items-center gap-1", HUES[badge.tone])}>
          <CircleDot aria-hidden="true" className="size-3" />
          {badge.count}
          <span className="sr-only">{badge.count === 1 ? " fix" : " fixes"}</span>
        </span>
      )}
      {isDirty && (
        <span className="text-fg3" title="Not committed">
          M<span className="sr-only">, not committed</span>
        </span>
      )}
    </span>
  );
}

/** Files that are called so, then lines that hold the text. */
function Found({ name, text, open }: { name: string; text: string; open: (path: string, line?: number) => void }) {
  const files = useRead(
    "/api/v1/workspaces/{name}/paths",
    { path: { name }, query: { text, limit: 50 } },
    { keepsPrevious: true },
  );
  const lines = useRead(
    "/api/v1/workspaces/{name}/search",
    { path: { name }, query: { text, limit: 50 } },
    { keepsPrevious: true, isOn: text.length >= 3 },
  );
  if (files.error) return <ErrorBox failure={files.error} what="The search" retry={() => void files.refetch()} />;
  if (!files.data) return <Skeletons rows={4} className="h-5" />;
  const hits = text.length >= 3 ? (lines.data ?? []) : [];
  if (files.data.length === 0 && hits.length === 0 && !lines.isFetching)
    return (
      <p role="status" className="px-2 text-small text-fg2">
        No file is called so, and no line holds it.
      </p>
    );
  return (
    <>
      <ul aria-label="Files that are called so">
        {files.data.map((path) => (
          <li key={path}>
            <button type="button" data-row onClick={() => open(path)} className={cn(ROW, "pl-2")}>
              <FileCode2 aria-hidden="true" className="size-3.5 shrink-0 text-fg3" />
              <span className="min-w-0 truncate">
                {nameOf(path)} <span className="text-meta text-fg3">{path.slice(0, -nameOf(path).length - 1)}</span>
              </span>
            </button>
          </li>
        ))}
      </ul>
      {hits.length > 0 && (
        <ul aria-label="Lines that hold it" className={cn(files.data.length > 0 && "mt-2 border-t border-line pt-2")}>
          {hits.map((one) => (
            <li key={`${one.path}:${one.line}`}>
              <button
                type="button"
                data-row
                onClick={() => open(one.path, one.line)}
                className={cn(ROW, "h-auto flex-col items-start gap-0 py-1 pl-2")}
              >
                <code className="max-w-full truncate text-meta text-fg">{one.text.trim()}</code>
                <span className="max-w-full truncate text-meta text-fg3">
                  {nameOf(one.path)}:{one.line}
                </span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function Sent({ sent, clear }: { sent: readonly Sending[]; clear: () => void }) {
  if (sent.length === 0) return null;
  return (
    <section aria-label="Files that were added" className="mx-2 rounded-lg border border-line2 bg-s1">
      <div className="flex items-center px-2.5 pt-1">
        <h2 className="flex-1 text-small text-fg2">
          {sent.filter((one) => one.state === "there").length} of {sent.length} added
        </h2>
        <IconButton label="Close the list" size="small" onClick={clear}>
          <X className="size-3.5" />
        </IconButton>
      </div>
      <ul role="status" className="scroll-thin max-h-40 overflow-y-auto px-2.5 pb-2 text-meta">
        {sent.map((one) => (
          <li key={one.path} className="py-0.5">
            <span className="flex items-center gap-2">
              <code className="min-w-0 flex-1 truncate">{one.path}</code>
              <span
                className={one.state === "refused" ? "text-coral" : one.state === "there" ? "text-sage" : "text-fg3"}
              >
                {one.state}
              </span>
            </span>
            {one.state === "sending" && <progress aria-label={`Sending ${one.path}`} className="h-1 w-full" />}
            {one.why && <span className="block break-words text-fg2">{one.why}</span>}
          </li>
        ))}
      </ul>
    </section>
  );
}
