import { useNavigate } from "@tanstack/react-router";
import { History } from "lucide-react";
import { useRead } from "@/api/reading";
import { useKeys } from "@/lib/keys";
import { isElsewhere, type Place, usePlace } from "@/lib/place";
import { absolute } from "@/lib/time";
import { Button } from "@/ui/Button";

/** While the past, or another branch, is looked at: which, that nothing can be changed, and the way back. */
export function MomentBanner() {
  const place = usePlace();
  return isElsewhere(place) ? <Banner place={place} /> : null;
}

/** A moment as it was said; a commit's id says nothing to anybody, so it is named by its time. */
function nameOf(at: string, committed: string | undefined): string {
  return committed && /^[0-9a-f]{6,64}$/.test(at) ? absolute(committed) : at;
}

function Banner({ place }: { place: Place }) {
  const navigate = useNavigate();
  const found = useRead("/api/v1/memory/moments/resolve", {
    query: { moment: place.at || place.branch, ...(place.branch ? { branch: place.branch } : {}) },
  });
  const leave = () => void navigate({ to: ".", search: (now) => ({ ...now, at: undefined, branch: undefined }) });
  useKeys([{ keys: "shift+n", label: "Back to now", run: leave, group: "Everywhere" }]);
  const commit = found.data?.commit;
  return (
    <div
      role="status"
      className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b edge-moon wash-moon px-6 py-1.5 text-small max-narrow:px-4"
    >
      <History aria-hidden="true" className="size-4 text-moon" />
      <span>
        Viewing memory{" "}
        {place.at ? (
          <>
            of <strong className="font-semibold">{nameOf(place.at, commit?.at)}</strong>
          </>
        ) : (
          "as it is"
        )}
        {place.branch && (
          <>
            {" "}
            on <code>{place.branch}</code>
          </>
        )}
        {commit && (
          <span className="text-fg2">
            {" "}
            · last commit <code>{commit.id.slice(0, 7)}</code>, {absolute(commit.at)}
          </span>
        )}
        {found.error && (
          <span className="text-coral">
            {" "}
            · {found.error.detail} {found.error.remedy}
          </span>
        )}
      </span>
      <span className="text-fg2">Nothing can be changed here.</span>
      <Button size="small" keys="shift+n" onClick={leave} className="ml-auto">
        Back to now
      </Button>
    </div>
  );
}
