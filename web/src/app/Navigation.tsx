import { Link } from "@tanstack/react-router";
import { Boxes, Database, Keyboard, Menu, Moon, PanelLeft, Search, Settings, Sun } from "lucide-react";
import { lazy, Suspense, useRef, useState } from "react";
import { useRead } from "@/api/reading";
import { useSpace } from "@/api/session";
import { cn } from "@/lib/cn";
import { usePlace } from "@/lib/place";
import { useStore } from "@/lib/store";
import { theme, toggle } from "@/lib/theme";
import { IconButton } from "@/ui/Button";
import { Kbd } from "@/ui/Kbd";
import { Mark } from "@/ui/Mark";
import { PAGES } from "./pages";

const SpaceMenu = lazy(() => import("./SpaceMenu"));
const NarrowMenu = lazy(() => import("./NarrowMenu"));

interface NavigationProps {
  isNarrow: boolean;
  fold: () => void;
  ask: () => void;
  help: () => void;
}

export function Sidebar({ isNarrow, fold, ask, help }: NavigationProps) {
  return (
    <aside
      aria-label="Navigation"
      className={cn(
        "flex shrink-0 flex-col border-r border-line bg-bg p-2 max-narrow:hidden",
        isNarrow ? "w-12" : "w-[204px]",
      )}
      data-screen
    >
      <div className={cn("flex h-9 items-center gap-2.5", isNarrow ? "justify-center" : "px-1.5")}>
        <Link to="/" aria-label="Hindcast, overview" className="flex items-center gap-2.5">
          <Mark />
          {!isNarrow && <span className="text-lead font-semibold">Hindcast</span>}
        </Link>
        {!isNarrow && (
          <IconButton label="Fold the navigation" onClick={fold} className="ml-auto">
            <PanelLeft className="size-4" />
          </IconButton>
        )}
      </div>
      {isNarrow && (
        <IconButton label="Unfold the navigation" onClick={fold} className="mx-auto">
          <PanelLeft className="size-4" />
        </IconButton>
      )}
      <AskButton isNarrow={isNarrow} ask={ask} />
      <Links isNarrow={isNarrow} />
      <div className="mt-auto flex flex-col gap-2 pt-4">
        {!isNarrow && <MemoryBox />}
        <Corner isNarrow={isNarrow} help={help} />
      </div>
    </aside>
  );
}

/** On a small screen: one row at the top, and the rest behind a button. */
export function NarrowBar({ ask, help }: Pick<NavigationProps, "ask" | "help">) {
  const [isOpen, setOpen] = useState(false);
  return (
    <header className="hidden h-12 shrink-0 items-center gap-2 border-b border-line px-3 max-narrow:flex" data-screen>
      <IconButton label="Navigation" onClick={() => setOpen(true)}>
        <Menu className="size-4.5" />
      </IconButton>
      <Link to="/" className="flex items-center gap-2 font-semibold">
        <Mark /> Hindcast
      </Link>
      <IconButton label="Ask memory" onClick={ask} className="ml-auto">
        <Search className="size-4.5" />
      </IconButton>
      {isOpen && (
        <Suspense>
          <NarrowMenu close={() => setOpen(false)}>
            <Links isNarrow={false} />
            <MemoryBox />
            <Corner isNarrow={false} help={help} />
          </NarrowMenu>
        </Suspense>
      )}
    </header>
  );
}

function AskButton({ isNarrow, ask }: { isNarrow: boolean; ask: () => void }) {
  if (isNarrow) {
    return (
      <IconButton label="Ask memory" onClick={ask} className="mx-auto mt-1">
        <Search className="size-4" />
      </IconButton>
    );
  }
  return (
    <button
      type="button"
      onClick={ask}
      className="mt-1 flex h-8 items-center gap-2 rounded-lg border border-line2 bg-s1 px-2.5 text-fg2 hover:bg-s2"
    >
      <Search className="size-3.5" />
      Ask memory
      <span className="ml-auto">
        <Kbd keys="mod+k" />
      </span>
    </button>
  );
}

function Links({ isNarrow }: { isNarrow: boolean }) {
  const open = useRead("/api/v1/overview", {}, { everySeconds: 60 });
  const groups = [...new Set(PAGES.map((page) => page.group))];
  return (
    <>
      {groups.map((group) => (
        <nav key={group} aria-label={group} className="pt-3">
          {!isNarrow && <h2 className="px-2 pb-1 text-small text-fg3">{group}</h2>}
          {PAGES.filter((page) => page.group === group).map((page) => (
            <Link
              key={page.to}
              to={page.to}
              activeOptions={{ exact: page.to === "/", includeSearch: false }}
              aria-label={isNarrow ? page.label : undefined}
              title={isNarrow ? page.label : undefined}
              className={cn(
                "flex h-7 items-center gap-2.5 rounded-[7px] text-fg2 hover:bg-s2 hover:text-fg aria-[current=page]:bg-s3 aria-[current=page]:text-fg pointer-coarse:h-10",
                isNarrow ? "justify-center" : "px-2",
              )}
            >
              <page.icon className="size-4 shrink-0" aria-hidden="true" />
              {!isNarrow && page.label}
              {!isNarrow && page.to === "/incidents" && Boolean(open.data?.open) && (
                <span className="ml-auto text-small text-sand">
                  {open.data?.open}
                  <span className="sr-only"> open</span>
                </span>
              )}
            </Link>
          ))}
        </nav>
      ))}
    </>
  );
}

/** Which memory is looked at, and how much it has learned. */
function MemoryBox() {
  const place = usePlace();
  const overview = useRead("/api/v1/overview");
  // A project in which nothing has happened may have no memory to ask about.
  const isBegun =
    overview.data !== undefined && overview.data.open + overview.data.awaiting + overview.data.resolved > 0;
  const branches = useRead("/api/v1/memory/branches", {}, { everySeconds: 60, isOn: isBegun });
  const name = place.branch || "main";
  const head = branches.data?.items.find((one) => one.name === name)?.head;
  return (
    <div className="rounded-lg border border-line px-2.5 py-1.5 text-small">
      <p className="flex items-center gap-1.5 text-fg2">
        <Database className="size-3.5 text-sage" aria-hidden="true" /> Memory
        <code className="truncate text-meta">{head ? `${name}@${head.slice(0, 6)}` : ""}</code>
      </p>
      <p className="text-fg3">
        {overview.data ? `${overview.data.resolved.toLocaleString("en")} incidents learned` : " "}
      </p>
    </div>
  );
}

function Corner({ isNarrow, help }: { isNarrow: boolean; help: () => void }) {
  const shown = useStore(theme);
  return (
    <div className={cn("flex items-center gap-0.5", isNarrow && "flex-col")}>
      <Link
        to="/settings"
        aria-label="Settings"
        title="Settings"
        className="flex size-7 items-center justify-center rounded-[7px] text-fg2 hover:bg-s3 hover:text-fg aria-[current=page]:bg-s3 pointer-coarse:size-9"
      >
        <Settings className="size-4" />
      </Link>
      <IconButton label={shown === "dark" ? "Light theme" : "Dark theme"} onClick={toggle}>
        {shown === "dark" ? <Sun className="size-4" /> : <Moon className="size-4" />}
      </IconButton>
      <IconButton label="Keys of this page" onClick={help}>
        <Keyboard className="size-4" />
      </IconButton>
      <SpaceButton isNarrow={isNarrow} />
    </div>
  );
}

/** The project that is looked at; the others are a press away. */
function SpaceButton({ isNarrow }: { isNarrow: boolean }) {
  const space = useSpace();
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  return (
    <div className={cn("relative min-w-0", !isNarrow && "ml-auto")}>
      <button
        ref={button}
        type="button"
        aria-label={`Project ${space}. Switch project`}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        title={isNarrow ? space : undefined}
        onClick={() => setOpen(true)}
        className={cn(
          "flex h-7 max-w-full min-w-0 items-center gap-1.5 rounded-[7px] text-small text-fg2 hover:bg-s3 hover:text-fg pointer-coarse:h-9",
          isNarrow ? "w-7 justify-center" : "px-2",
        )}
      >
        <Boxes className="size-4 shrink-0" aria-hidden="true" />
        {!isNarrow && <span className="truncate">{space}</span>}
      </button>
      {isOpen && (
        <Suspense>
          <SpaceMenu button={button} close={() => setOpen(false)} />
        </Suspense>
      )}
    </div>
  );
}
