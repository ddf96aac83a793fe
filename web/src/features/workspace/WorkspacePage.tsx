import { useNavigate, useSearch } from "@tanstack/react-router";
import { FolderPlus } from "lucide-react";
import { type DragEvent, lazy, Suspense, useEffect, useMemo, useRef, useState } from "react";
import type { Schemas } from "@/api/client";
import { useRead } from "@/api/reading";
import { useWhyNot } from "@/api/session";
import { Button } from "@/ui/Button";
import { Empty, ErrorBox, Skeletons } from "@/ui/states";
import { Tabs } from "@/ui/Tabs";
import { useAdding } from "./adding";
import { type Arriving, chosenFiles, droppedFiles, isArchive } from "./arriving";
import { useBenchKeys } from "./benchKeys";
import { CodePane, FixBar } from "./CodePane";
import { useDecide } from "./deciding";
import { beside, type Glance, isApplied, isOpen } from "./deck";
import { useLeaveWarning } from "./drafts";
import { Explorer } from "./Explorer";
import type { Doing } from "./FixCard";
import { Fixes } from "./Fixes";
import { MemoryLog } from "./MemoryLog";
import { useOpenFile, useTabs } from "./opening";
import { Panes } from "./Panes";
import { PANES, type Pane, type Where } from "./places";
import { StatusBar } from "./StatusBar";
import type { Cursor } from "./Viewer";
import { WholeDiff } from "./WholeDiff";

const AddDialog = lazy(() => import("./AddDialog"));

/** Code, what memory knows about it, and what could be changed in it. */
export function WorkspacePage() {
  const names = useRead("/api/v1/workspaces", { query: { limit: 100 } });
  const search: Where = useSearch({ from: "/workspace" });
  const navigate = useNavigate({ from: "/workspace" });
  const [arrived, setArrived] = useState<readonly Arriving[] | null>(null);
  // A file that is opened is somewhere to come back to; the rest is not.
  const go = (part: Where) => void navigate({ search: (now) => ({ ...now, ...part }), replace: !part.path });
  const all = names.data?.items ?? [];
  const name = all.find((one) => one.name === search.name)?.name ?? all[0]?.name ?? "";
  useEffect(() => {
    document.title = `${name || "Workspace"} · Hindcast`;
  }, [name]);
  const missing = search.name && names.data && name !== search.name ? search.name : "";
  return (
    <>
      <h1 className="sr-only">Workspace {name}</h1>
      {name ? (
        <Bench
          key={name}
          name={name}
          names={all.map((one) => one.name)}
          search={search}
          go={go}
          addWorkspace={(files = []) => setArrived(files)}
        />
      ) : (
        <div className="mx-auto w-full max-w-xl p-8">
          {names.error ? (
            <ErrorBox failure={names.error} what="The workspaces" retry={() => void names.refetch()} />
          ) : names.isPending ? (
            <Skeletons rows={6} />
          ) : (
            <None add={(files) => setArrived(files)} />
          )}
        </div>
      )}
      {missing && (
        <p role="status" className="border-t border-line px-4 py-1 text-small text-sand">
          There is no workspace {missing} here; {name} is shown.
        </p>
      )}
      {arrived && (
        <Suspense>
          <AddDialog
            dropped={arrived}
            uploaded={all.filter((one) => one.kind === "upload").map((one) => one.name)}
            close={() => setArrived(null)}
            added={(made) => {
              setArrived(null);
              go({ name: made, path: undefined, card: undefined, ln: undefined });
            }}
          />
        </Suspense>
      )}
    </>
  );
}

function None({ add }: { add: (files: readonly Arriving[]) => void }) {
  return (
    <section
      aria-label="No workspace"
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        void droppedFiles(event.dataTransfer).then(add);
      }}
      className="rounded-card border border-dashed border-line2 px-6 py-5"
    >
      <Empty why="No code is here yet. With it, what fixed an incident before is proposed as a change of today's files. Drop a folder or a .zip here, or:">
        <Button look="primary" icon={<FolderPlus className="size-3.5" />} onClick={() => add([])}>
          Add a workspace
        </Button>
      </Empty>
    </section>
  );
}

interface BenchProps {
  name: string;
  names: readonly string[];
  search: Where;
  go: (part: Where) => void;
  addWorkspace: (files?: readonly Arriving[]) => void;
}

function Bench({ name, names, search, go, addWorkspace }: BenchProps) {
  const [begun, setBegun] = useState<{ card: string; what: Doing }>({ card: "", what: "" });
  const [isWide, setWide] = useState(false);
  const [edited, setEdited] = useState("");
  const [isBlamed, setBlamed] = useState(false);
  const [cursor, setCursor] = useState<Cursor | null>(null);
  const finder = useRef<HTMLInputElement>(null);
  const picker = useRef<HTMLInputElement>(null);
  const whyNot = useWhyNot("respond");
  const { incident, incidents } = useIncident(name, search.incident, go);
  const deck = useRead(
    "/api/v1/incidents/{incident_id}/cards",
    { path: { incident_id: incident }, query: { workspace: name } },
    { isOn: incident !== "" },
  );
  const cards = deck.data?.cards ?? [];
  const chosen = cards.find((card) => card.id === search.card) ?? cards.find(isOpen) ?? cards[0];
  const path = search.path ?? chosen?.path ?? "";
  const open = useOpenFile(name, path);
  const { tabs, close: closeTab } = useTabs(name, path);
  const state = useRead("/api/v1/workspaces/{name}", { path: { name } });
  const blame = useRead(
    "/api/v1/workspaces/{name}/blame",
    { path: { name }, query: { path } },
    { isOn: isBlamed && path !== "" },
  );
  const isStale = useStale(chosen, open.file.data);
  const decide = useDecide(go);
  const adding = useAdding(name);
  useLeaveWarning();
  // Another card may become the first while one is being read.
  const found = chosen?.id;
  // biome-ignore lint/correctness/useExhaustiveDependencies: only what is chosen matters; `go` is new each time.
  useEffect(() => {
    // While the deck is asked for again, a card that has just been taken back may not be in it yet.
    if (found && found !== search.card && !deck.isFetching) go({ card: found });
  }, [found, search.card, deck.isFetching]);
  // What was begun belongs to its card, and typing to its file: another one is looked at, and it is over.
  const doing = found && begun.card === found ? begun.what : "";
  const setDoing = (what: Doing) => setBegun({ card: found ?? "", what });
  const isEditing = path !== "" && edited === path;
  const setEditing = (isOn: boolean) => setEdited(isOn ? path : "");
  const wanted = search.ln ?? (chosen?.path === path ? chosen.lines.first : undefined);
  const target = useMemo(() => (wanted ? { line: wanted } : null), [wanted]);
  const choose = (card: Glance) => go({ card: card.id, path: card.path, ln: card.lines.first });
  const step = (by: number) => {
    const next = chosen && beside(cards, chosen.id, by);
    if (next) choose(next);
  };
  const canReject = Boolean(chosen && isOpen(chosen) && !whyNot && !decide.isBusy && doing === "");
  const canDecide = canReject && !isStale;
  const pane: Pane = PANES.find((one) => one === search.pane) ?? "code";
  const begin = (what: Doing) => {
    setDoing(what);
    go({ pane: "fixes" });
  };
  useBenchKeys({
    has: { cards: cards.length > 0, file: path !== "", whyNot, begun: doing !== "" || isWide },
    can: { decide: canDecide, reject: canReject },
    step,
    accept: () => chosen && decide.accept(chosen),
    begin,
    undo: () => chosen && isApplied(chosen) && !whyNot && decide.undo(chosen),
    widen: () => setWide(!isWide),
    find: () => {
      go({ pane: "files" });
      // On a small screen it is shown a moment later.
      requestAnimationFrame(() => finder.current?.focus());
    },
    blame: () => setBlamed(!isBlamed),
    edit: () => setEditing(true),
    save: open.save,
    leave: () => {
      setDoing("");
      setWide(false);
    },
  });
  const take = (files: readonly Arriving[], folder: string) => {
    if (files.some(({ file }) => isArchive(file))) addWorkspace(files);
    else if (files.length > 0 && !whyNot) void adding.add(files, folder);
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    const folder = (event.target as Element).closest<HTMLElement>("[data-folder]")?.dataset.folder ?? "";
    void droppedFiles(event.dataTransfer).then((files) => take(files, folder));
  };
  const line = cursor && blame.data?.find(({ lines }) => lines.first <= cursor.line && cursor.line <= lines.last);
  return (
    <section
      aria-label={`Workspace ${name}`}
      className="flex min-h-0 flex-1 flex-col"
      onDragOver={(event) => event.preventDefault()}
      onDrop={drop}
    >
      <input
        ref={picker}
        type="file"
        multiple
        aria-label="Files to add"
        className="hidden"
        onChange={(event) => {
          take(chosenFiles(event.target.files ?? []), "");
          event.target.value = "";
        }}
      />
      <div className="hidden border-b border-line px-3 py-1.5 max-narrow:block">
        <Tabs
          label="Part of the workspace"
          value={pane}
          choose={(value) => go({ pane: value })}
          options={[
            { value: "files", label: "Files" },
            { value: "code", label: "Code" },
            { value: "fixes", label: "Fixes", count: cards.filter(isOpen).length },
            { value: "log", label: "Log" },
          ]}
        />
      </div>
      <Panes
        pane={pane}
        parts={{
          files: (
            <section aria-label="Files" className="h-full">
              <Explorer
                names={names}
                name={name}
                path={path}
                cards={cards}
                go={go}
                finder={finder}
                sent={adding.sent}
                clear={adding.clear}
                choose={() => !whyNot && picker.current?.click()}
                addWorkspace={() => addWorkspace()}
                whyNot={whyNot}
              />
            </section>
          ),
          code: (
            <div className="relative h-full">
              <CodePane
                name={name}
                path={path}
                open={open}
                tabs={tabs}
                closeTab={closeTab}
                deck={deck.data}
                incident={incident}
                target={target}
                isEditing={isEditing}
                setEditing={setEditing}
                isBlamed={isBlamed}
                setBlamed={setBlamed}
                blamed={isBlamed ? (blame.data ?? null) : null}
                cursor={cursor}
                moved={setCursor}
                whyNot={whyNot}
                go={go}
              />
              {chosen && (
                <FixBar
                  cards={cards}
                  chosen={chosen}
                  step={step}
                  accept={() => decide.accept(chosen)}
                  reject={() => begin("reject")}
                  undo={() => decide.undo(chosen)}
                  whyNot={whyNot}
                  isStale={isStale}
                  isBusy={decide.isBusy}
                />
              )}
            </div>
          ),
          fixes: (
            <Fixes
              incident={incident}
              incidents={incidents}
              deck={deck}
              chosen={chosen}
              choose={choose}
              doing={doing}
              setDoing={setDoing}
              decide={decide}
              whyNot={whyNot}
              isStale={isStale}
              widen={() => setWide(true)}
              go={go}
            />
          ),
          log: (
            <MemoryLog name={name} shown={search.log} entry={search.entry} go={go} decide={decide} whyNot={whyNot} />
          ),
        }}
        over={isWide && chosen && <WholeDiff card={chosen} close={() => setWide(false)} />}
      />
      <StatusBar
        state={state.data}
        file={open.file.data}
        isUnsaved={open.isUnsaved}
        savedAt={open.savedAt}
        cursor={cursor}
        blame={line ? `${line.commit.author}: ${line.commit.subject}` : ""}
      />
    </section>
  );
}

/** Whether the file that is open is no longer what the chosen card was made for. */
function useStale(chosen: Glance | undefined, file: Schemas["FileTold"] | undefined): boolean {
  const whole = useRead(
    "/api/v1/cards/{card_id}",
    { path: { card_id: chosen?.id ?? "" } },
    { isOn: chosen !== undefined },
  ).data;
  if (!chosen || !whole || !isOpen(chosen) || file?.path !== chosen.path) return false;
  return whole.id === chosen.id && file.text !== (whole.before ?? "");
}

/** The incident whose fixes are shown: the one that the address says, else the one that was last proposed for. */
function useIncident(name: string, said: string | undefined, go: (part: Where) => void) {
  const open = useRead("/api/v1/incidents", { query: { state: ["open", "awaiting"], limit: 50 } });
  const proposed = useRead("/api/v1/memory-log", { query: { workspace: name, state: ["proposed"], limit: 1 } });
  const listed = open.data?.items ?? [];
  const latest = proposed.data?.items[0]?.incident;
  const isKnown = !open.isPending && !proposed.isPending;
  const likely =
    listed.find((one) => one.id === latest)?.id ??
    listed.find((one) => one.familiarity === "seen before")?.id ??
    latest ??
    listed[0]?.id ??
    "";
  const incident = said ?? (isKnown ? likely : "");
  // It stays while others open: nobody's cards are exchanged under their hands.
  // biome-ignore lint/correctness/useExhaustiveDependencies: `go` is new each time.
  useEffect(() => {
    if (!said && incident) go({ incident });
  }, [said, incident]);
  const known = listed.map(({ id, title }) => ({ id, title }));
  const incidents =
    !incident || known.some((one) => one.id === incident) ? known : [{ id: incident, title: "" }, ...known];
  return { incident, incidents };
}
