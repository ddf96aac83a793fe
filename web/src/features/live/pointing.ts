import { useQuery } from "@tanstack/react-query";
import type { Schemas } from "@/api/client";
import { Failure } from "@/api/failure";
import { read } from "@/api/reading";
import { usePlace } from "@/lib/place";

/** A line as an address names it, so that it can be sent to somebody. */
export interface Pointed {
  time: string;
  template: string;
  service: string;
}

export function pointed(text: string | undefined): Pointed | null {
  const [time = "", template = "", ...service] = (text ?? "").split("~");
  return service.length > 0 && !Number.isNaN(Date.parse(time)) ? { time, template, service: service.join("~") } : null;
}

export function pointing({ time, template, service }: Pointed): string {
  return [time, template, service].join("~");
}

// A line's time has microseconds, which a Date has not: the window ends with the millisecond.
function justAfter(time: string): string {
  return new Date(Date.parse(time) + 1).toISOString();
}

/** The whole line: with its stack and everything else that was sent with it. */
export function useWholeLine(what: Pointed | null) {
  const { space } = usePlace();
  return useQuery<Schemas["LineTold"], Failure>({
    queryKey: [space, "the whole line", what],
    enabled: what !== null,
    // A line that was written does not change.
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }) => {
      const { time, template, service } = what as Pointed;
      const query = { since: time, until: justAfter(time), service: [service], limit: 100 };
      const { items } = await read({ space, at: "", branch: "" }, "/api/v1/logs", { query }, signal);
      const found = items.find((one) => one.template === template) ?? items[0];
      if (found) return found;
      throw new Failure(
        404,
        "Missing",
        `No line of ${service} of that time is kept any more.`,
        "Telemetry is kept for some days only.",
      );
    },
    retry: false,
  });
}

/** What was logged around a line: so many before it, so many after it. */
export function useAround(what: Pointed, count: number, services: readonly string[]) {
  const { space } = usePlace();
  const here = { space, at: "", branch: "" };
  return useQuery<{ before: Schemas["LineTold"][]; after: Schemas["LineTold"][] }, Failure>({
    queryKey: [space, "around", what, count, services],
    queryFn: async ({ signal }) => {
      const service = [...services];
      const hour = 3_600_000;
      const since = new Date(Date.parse(what.time) - hour).toISOString();
      const until = new Date(Date.parse(what.time) + hour).toISOString();
      const [before, after] = await Promise.all([
        read(
          here,
          "/api/v1/logs",
          { query: { since, until: what.time, service, newest_first: true, limit: count } },
          signal,
        ),
        read(here, "/api/v1/logs", { query: { since: what.time, until, service, limit: count + 1 } }, signal),
      ]);
      return { before: before.items.reverse(), after: after.items };
    },
    retry: false,
  });
}
