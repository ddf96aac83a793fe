import { Link } from "@tanstack/react-router";
import { GitCompareArrows } from "lucide-react";
import { useList, useRead } from "@/api/reading";
import { Button } from "@/ui/Button";
import { Chip } from "@/ui/Chip";
import { CopyButton, Snippet } from "@/ui/CopyButton";
import { Dialog } from "@/ui/Dialog";
import { ErrorBox, Shown, Skeletons } from "@/ui/states";
import { Time } from "@/ui/Time";
import { type Commit, short } from "./history";
import { incidentOf, titleOf } from "./values";

interface RecordSheetProps {
  address: string;
  commit: Commit;
  branch: string;
  close: () => void;
  bisect: (address: string) => void;
}

/** One record as the chosen moment shows it, and every version until then. */
export default function RecordSheet({ address, commit, branch, close, bisect }: RecordSheetProps) {
  const then = { at: commit.id, branch };
  const versions = useList("/api/v1/memory/history", { query: { address, ...then, limit: 50 } });
  const [newest] = versions.items;
  const record = useRead(
    "/api/v1/memory/records/{address}",
    { path: { address }, query: then },
    { isOn: newest?.state === "live" },
  );
  const shown = record.data ?? versions.items.find((one) => one.state === "live");
  const incident = shown ? incidentOf(shown) : null;
  return (
    <Dialog
      isOpen
      close={close}
      isSheet
      title={shown ? titleOf(shown) : address}
      about={
        <span className="flex min-w-0 items-center gap-1">
          <code className="truncate text-meta">{address}</code>
          <CopyButton text={address} what="address" />
        </span>
      }
    >
      <div className="flex flex-col gap-4">
        <div className="flex flex-wrap items-center gap-2">
          {newest && <Chip tone={newest.state === "live" ? "plain" : "coral"}>{newest.state}</Chip>}
          {shown && <Chip>{shown.kind}</Chip>}
          <Button size="small" icon={<GitCompareArrows className="size-3.5" />} onClick={() => bisect(address)}>
            When did it change?
          </Button>
          {incident && (
            <Link
              to="/incidents/$incident"
              params={{ incident }}
              search={(now) => ({ ...now, at: short(commit.id) })}
              className="text-small text-moon underline decoration-moon/40 underline-offset-2"
            >
              The incident, as it was then
            </Link>
          )}
        </div>
        {newest && newest.state !== "live" && (
          <p className="text-fg2">It was {newest.state} by then. What it said before:</p>
        )}
        {shown && <Snippet text={JSON.stringify(shown.body, null, 2)} what="record" />}
        <section aria-label="Versions">
          <h3 className="pb-1 text-small text-fg2">Versions until then</h3>
          {versions.error && versions.items.length === 0 ? (
            <ErrorBox failure={versions.error} what="Its versions" retry={() => void versions.refetch()} />
          ) : versions.isPending ? (
            <Skeletons rows={3} className="h-6" />
          ) : (
            <ol className="flex flex-col">
              {versions.items.map((one) => (
                <li
                  key={one.version}
                  className="flex items-baseline gap-3 border-b border-line py-1 text-small last:border-b-0"
                >
                  <code className="text-meta text-fg3">{one.commit.slice(0, 7)}</code>
                  <span className="min-w-0 flex-1 truncate">
                    {one.state === "live" ? titleOf(one) : <span className="text-coral">{one.state}</span>}
                  </span>
                  <span className="text-fg2">{one.actor}</span>
                  <Time at={one.learned_at} className="w-24 text-right text-fg3" />
                </li>
              ))}
            </ol>
          )}
        </section>
        <Blamed address={address} then={then} isOn={newest?.state === "live"} />
      </div>
    </Dialog>
  );
}

/** Which commit gave each field the value it has. */
function Blamed({ address, then, isOn }: { address: string; then: { at: string; branch: string }; isOn: boolean }) {
  const found = useRead("/api/v1/memory/blame", { query: { address, ...then, limit: 100 } }, { isOn });
  if (!isOn) return null;
  return (
    <section aria-label="Who said what">
      <h3 className="pb-1 text-small text-fg2">Who said what</h3>
      <Shown of={found} what="Who said what">
        {({ items }) => (
          <ul className="flex flex-col">
            {items.map((one) => (
              <li
                key={one.field}
                className="flex items-baseline gap-3 border-b border-line py-1 text-small last:border-b-0"
              >
                <code className="w-32 shrink-0 truncate text-meta" title={one.field}>
                  {one.field || "all of it"}
                </code>
                <span className="min-w-0 flex-1 truncate text-fg2" title={one.commit.why}>
                  {one.commit.why}
                </span>
                <span>{one.commit.actor}</span>
                <Time at={one.commit.at} className="w-24 text-right text-fg3" />
              </li>
            ))}
          </ul>
        )}
      </Shown>
    </section>
  );
}
