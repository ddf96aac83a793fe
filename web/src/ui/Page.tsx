import { Link } from "@tanstack/react-router";
import { ChevronRight } from "lucide-react";
import { Fragment, type ReactNode, useEffect, useRef } from "react";
import { connection } from "@/api/live";
import { cn } from "@/lib/cn";
import { useNow } from "@/lib/now";
import { useStore } from "@/lib/store";
import { clock, showIn, zone } from "@/lib/time";
import { CopyButton } from "./CopyButton";

export interface Crumb {
  label: string;
  to?: string;
  isId?: boolean;
}

interface PageProps {
  /** What the tab is called. */
  title: string;
  crumbs: readonly Crumb[];
  /** At the right of the top row. */
  actions?: ReactNode;
  children: ReactNode;
  /** For pages that fill the window themselves (panes, canvases). */
  isFilled?: boolean;
}

/** What every page has: a row that says where one is and whether it is live, and the content below it. */
export function Page({ title, crumbs, actions, children, isFilled = false }: PageProps) {
  useEffect(() => {
    document.title = `${title} · Hindcast`;
  }, [title]);
  return (
    <>
      <header
        className="flex h-[42px] shrink-0 items-center gap-3 border-b border-line px-6 max-narrow:px-4"
        data-screen
      >
        <nav aria-label="Where you are" className="flex min-w-0 items-center gap-2 text-small">
          {crumbs.map((one, place) => (
            <Fragment key={one.label}>
              {place > 0 && <ChevronRight aria-hidden="true" className="size-3 shrink-0 text-fg3" />}
              {one.to ? (
                <Link to={one.to} className="shrink-0 text-fg2 hover:text-fg">
                  {one.label}
                </Link>
              ) : (
                <>
                  <span aria-current="page" className={cn("truncate", one.isId && "font-mono text-meta")}>
                    {one.label}
                  </span>
                  {one.isId && <CopyButton text={one.label} what="id" className="-ml-1" />}
                </>
              )}
            </Fragment>
          ))}
        </nav>
        <LineState />
        <div className="ml-auto flex items-center gap-1">{actions}</div>
      </header>
      {isFilled ? (
        <div className="min-h-0 flex-1">{children}</div>
      ) : (
        <div className="scroll-thin min-h-0 flex-1 overflow-y-auto" tabIndex={0} data-scroll>
          <div className="mx-auto flex max-w-[1240px] flex-col gap-4 px-6 py-4 max-narrow:px-4">{children}</div>
        </div>
      )}
    </>
  );
}

/** Whether what is shown is live. Amber, never red: what is shown stays. */
export function LineState() {
  const { line, since } = useStore(connection);
  const now = useNow();
  if (line === "lost" || line === "refused") {
    return (
      <span
        role="status"
        className="flex items-center gap-1.5 rounded-full border edge-sand wash-sand px-2 text-meta whitespace-nowrap text-sand"
      >
        {line === "lost" ? "Connection lost, retrying" : "The right to listen here has ended"}
        <span className="text-fg2 max-sm:hidden">since {clock(since)}</span>
      </span>
    );
  }
  return (
    <span className="flex items-center gap-2 text-small whitespace-nowrap max-sm:hidden">
      <span className={cn("size-1.5 rounded-full", line === "open" ? "bg-sage" : "bg-line2")} />
      {line === "open" ? "Live" : "Connecting"}
      <ZoneButton now={now} />
    </span>
  );
}

// The button is another one after every time was written anew; the focus stays on it.
let isSwitching = false;

/** The time of day in both zones, the one that times are shown in first. */
export function ZoneButton({ now }: { now: Date }) {
  const shown = useStore(zone);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (isSwitching) button.current?.focus({ preventScroll: true });
    isSwitching = false;
  }, []);
  const [first, other] = shown === "utc" ? (["UTC", "local"] as const) : (["local", "UTC"] as const);
  return (
    <button
      ref={button}
      type="button"
      title={`Times are shown in ${shown === "utc" ? "UTC" : "local time"}: switch`}
      onClick={() => {
        isSwitching = true;
        showIn(shown === "utc" ? "local" : "utc");
      }}
      className="min-h-6 rounded px-1 text-fg3 tabular-nums hover:bg-s3 hover:text-fg"
    >
      {clock(now)} {first}
      <span className="max-narrow:hidden">
        {" "}
        · {clock(now, shown === "utc" ? "local" : "utc").slice(0, 5)} {other}
      </span>
    </button>
  );
}
