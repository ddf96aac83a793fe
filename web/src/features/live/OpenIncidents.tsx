import { Link, useNavigate } from "@tanstack/react-router";
import { useRead } from "@/api/reading";
import { useKeys } from "@/lib/keys";
import { Chip } from "@/ui/Chip";
import { Kbd } from "@/ui/Kbd";
import { Severity } from "@/ui/Severity";
import { Since } from "@/ui/Time";

const SHOWN_MAX = 3;
const FRESH_MS = 24 * 3_600_000;

/** What is open now, above the lines: an incident appears here as soon as it is noticed. */
export function OpenIncidents() {
  const found = useRead("/api/v1/incidents", { query: { state: ["open"], limit: 20 } });
  const navigate = useNavigate();
  const open = found.data?.items ?? [];
  // What nobody closed for days is not what happens now; it is counted below.
  const shown = open.filter((one) => Date.now() - Date.parse(one.onset_at) < FRESH_MS).slice(0, SHOWN_MAX);
  useKeys(
    shown.map((one, place) => ({
      keys: String(place + 1),
      label: `Open ${one.title}`,
      run: () => void navigate({ to: "/incidents/$incident", params: { incident: one.id } }),
    })),
  );
  if (shown.length === 0) return null;
  return (
    <ul aria-label="Open incidents" className="border-b border-line">
      {shown.map((one, place) => (
        <li key={one.id} className="arriving relative flex h-8 items-center gap-2.5 px-3 has-[a:hover]:bg-s2">
          <Severity value={one.severity} isShort />
          <Link
            to="/incidents/$incident"
            params={{ incident: one.id }}
            className="min-w-0 flex-1 truncate font-medium after:absolute after:inset-0"
          >
            {one.title}
          </Link>
          {one.familiarity === "seen before" && <Chip tone="moon">seen before</Chip>}
          <Since at={one.onset_at} className="shrink-0 text-small text-fg2" />
          <Kbd keys={String(place + 1)} />
        </li>
      ))}
      {open.length > shown.length && (
        <li className="px-3 pb-1 text-small">
          <Link
            to="/incidents"
            search={{ state: "open" }}
            className="inline-flex h-6 items-center text-fg2 hover:text-fg"
          >
            {open.length - shown.length} more open, older
          </Link>
        </li>
      )}
    </ul>
  );
}
