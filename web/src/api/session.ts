import { useQuery } from "@tanstack/react-query";
import { isElsewhere, usePlace } from "@/lib/place";
import { admit, answered, client, type Presence, type Schemas } from "./client";
import type { Failure } from "./failure";

export type Permission = Schemas["Permission"];

const MINUTE_MS = 60_000;

/** Who we are to Hindcast, and where we may do what. */
export function useSession() {
  return useQuery<Presence, Failure>({
    queryKey: ["session"],
    queryFn: async ({ signal }) => admit(await answered<Presence>(client.GET("/api/v1/session", { signal }))),
    staleTime: MINUTE_MS,
    retry: (count, failure) => failure.isPassing && count < 3,
  });
}

/** The project whose data is shown, by its whole name. */
export function useSpace(): string {
  const { space } = usePlace();
  const session = useSession();
  return space || session.data?.space || "";
}

/** What a space's organisation is called. */
export function organisationOf(space: string): string {
  const [first, rest] = space.split("/");
  return rest === undefined ? "" : (first ?? "");
}

/** Why something cannot be done here; empty: it can. What leaves the past as it is (a branch, a name) is fine there. */
export function useWhyNot(permission: Permission, isPastFine = false): string {
  const place = usePlace();
  const space = useSpace();
  const session = useSession();
  if (isElsewhere(place) && permission !== "read" && !isPastFine)
    return "This is the past: go back to now to change something.";
  const here = session.data?.spaces.find((one) => one.space === space);
  if (session.data && !here?.permissions.includes(permission)) {
    return `Your role here does not allow it (it needs ${permission}).`;
  }
  return "";
}
