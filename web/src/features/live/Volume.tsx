import { useEffect, useState } from "react";
import { read } from "@/api/reading";
import { usePlace } from "@/lib/place";
import { Sparkline } from "@/ui/Sparkline";
import { STEP_SECONDS, VOLUME_MINUTES, type Volume, volumeOf } from "./counting";

const AGAIN_MS = 15_000;

interface Wanted {
  services: readonly string[];
  level: string;
  words: string;
}

/** How many lines of the last minutes satisfy the conditions, by step; asked again while the page is open. */
export function useVolume({ services, level, words }: Wanted): Volume | null {
  const { space } = usePlace();
  const [volume, setVolume] = useState<Volume | null>(null);
  const named = services.join("\n");
  useEffect(() => {
    const leaving = new AbortController();
    const ask = () => {
      const until = Math.ceil(Date.now() / 1000 / STEP_SECONDS) * STEP_SECONDS * 1000;
      const query = {
        since: new Date(until - VOLUME_MINUTES * 60_000).toISOString(),
        until: new Date(until).toISOString(),
        step_seconds: STEP_SECONDS,
        ...(named ? { service: named.split("\n") } : {}),
        words,
      };
      // Without it the lines are there all the same.
      read({ space, at: "", branch: "" }, "/api/v1/rates", { query }, leaving.signal).then(
        (told) => setVolume(volumeOf(told, level)),
        () => undefined,
      );
    };
    setVolume(null);
    ask();
    const timer = setInterval(ask, AGAIN_MS);
    return () => {
      clearInterval(timer);
      leaving.abort();
    };
  }, [space, named, level, words]);
  return volume;
}

/** The volume of the last 15 minutes as bars. */
export function VolumeBar({ volume }: { volume: Volume | null }) {
  const most = Math.max(0, ...(volume?.lines ?? []));
  return (
    <div className="flex shrink-0 items-end gap-2 border-b border-line px-3 pt-1 pb-0.5 text-meta text-fg3 [@media(height<480px)]:hidden">
      <span className="shrink-0">−{VOLUME_MINUTES} min</span>
      <div className="relative min-w-0 flex-1">
        <Sparkline
          kind="bars"
          height={28}
          values={volume?.lines ?? []}
          label={`Lines of the last ${VOLUME_MINUTES} minutes: ${(volume?.total ?? 0).toLocaleString("en")}, at most ${most.toLocaleString("en")} in ${STEP_SECONDS} s`}
        />
      </div>
      <span className="shrink-0 tabular-nums">{most.toLocaleString("en")} at most</span>
    </div>
  );
}
