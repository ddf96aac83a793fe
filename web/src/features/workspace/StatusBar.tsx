import { CircleDot, GitBranch, History, Save } from "lucide-react";
import type { Schemas } from "@/api/client";
import { useRead } from "@/api/reading";
import { usePlace } from "@/lib/place";
import { clock } from "@/lib/time";
import { LineState } from "@/ui/Page";
import { indentOf } from "./editor/indent";
import type { Cursor } from "./Viewer";

interface StatusBarProps {
  state: Schemas["WorkspaceStateTold"] | undefined;
  file: Schemas["FileTold"] | undefined;
  isUnsaved: boolean;
  savedAt: Date | null;
  cursor: Cursor | null;
  /** Who last touched the line that the cursor is in. */
  blame: string;
}

/** Where the code and the memory stand, and where one is in the file. */
export function StatusBar({ state, file, isUnsaved, savedAt, cursor, blame }: StatusBarProps) {
  const place = usePlace();
  const branches = useRead("/api/v1/memory/branches", {}, { everySeconds: 60 });
  const branch = place.branch || "main";
  const head = branches.data?.items.find((one) => one.name === branch)?.head;
  return (
    <section
      aria-label="Status"
      className="flex h-[26px] shrink-0 items-center gap-4 overflow-hidden border-t border-line px-3 text-meta whitespace-nowrap text-fg2"
      data-screen
    >
      {state?.branch && (
        <span className="flex min-w-0 items-center gap-1.5">
          <GitBranch aria-hidden="true" className="size-3 shrink-0" />
          <code className="truncate">{state.branch}</code>
          {state.dirty_count > 0 && <span className="text-sand">{state.dirty_count} not committed</span>}
          {state.busy_with && <span className="text-sand">{state.busy_with} under way</span>}
        </span>
      )}
      {(isUnsaved || savedAt) && (
        <span className="flex items-center gap-1.5">
          {isUnsaved ? (
            <CircleDot aria-hidden="true" className="size-3 text-sand" />
          ) : (
            <Save aria-hidden="true" className="size-3" />
          )}
          {isUnsaved ? "Not saved" : savedAt && `Saved ${clock(savedAt).slice(0, 5)}`}
        </span>
      )}
      <span className="flex items-center gap-1.5 max-sm:hidden">
        <History aria-hidden="true" className="size-3 text-moon" />
        memory <code>{head ? `${branch}@${head.slice(0, 7)}` : branch}</code>
      </span>
      {blame && <span className="min-w-0 truncate text-fg3 max-narrow:hidden">{blame}</span>}
      <span className="ml-auto flex items-center gap-4 max-narrow:hidden">
        {cursor && file && (
          <span>
            Ln {cursor.line}, Col {cursor.column}
          </span>
        )}
        {file && <span>{indentOf(file.text).label}</span>}
        {file && <span>{file.encoding.toUpperCase()}</span>}
        {file && <span>{file.newline === "\r\n" ? "CRLF" : "LF"}</span>}
        {file && <span className="text-fg capitalize">{file.language === "text" ? "Plain text" : file.language}</span>}
      </span>
      <LineState />
    </section>
  );
}
