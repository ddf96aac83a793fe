import { useAct } from "@/api/acting";
import { answered, client, type Schemas } from "@/api/client";
import { useSession, useSpace, useWhyNot } from "@/api/session";
import { tell } from "@/lib/toasts";

type Versions = Schemas["Page_RecordTold_"];

/**
 * Whatever is said about an incident is a commit, and reverting that commit is the way back. Who may not revert is
 * offered no undo, rather than one that is refused.
 */
export function useTakeBack(after?: () => void) {
  const cannot = useWhyNot("maintain");
  const actor = useSession().data?.actor;
  const space = useSpace();
  const revert = useAct("post", "/api/v1/memory/revert", {
    after: (told) => {
      if (told.outcome === "conflicts") {
        tell("It was changed again since, and stays as it is.", { tone: "bad" });
        return;
      }
      tell("Taken back.", { tone: "good" });
      after?.();
    },
  });
  const back = (commit: string) =>
    revert.mutate({ body: { commit, branch: "main", policy: "ask", choices: {}, why: "taken back" } });
  return {
    /** The way back from a commit that the answer names. */
    fromCommit: cannot ? undefined : (commit: string) => () => back(commit),
    /** The way back from what we have just done to a case: its newest version is ours, unless somebody was quicker. */
    fromCase: cannot
      ? undefined
      : (id: string) => {
          const found = newest(id, space);
          return () =>
            void found.then((one) => {
              if (one && one.actor === actor) back(one.commit);
              else tell("Somebody else has changed it meanwhile: look at its history.", { tone: "bad" });
            });
        },
  };
}

/** Asked for at once, so that what comes later is not taken for it. */
async function newest(id: string, space: string): Promise<Schemas["RecordTold"] | null> {
  const asked = client.GET("/api/v1/memory/history", {
    params: { query: { address: `cases/${id}`, limit: 1 } },
    headers: space ? { "X-Hindcast-Space": space } : {},
  });
  return answered<Versions>(asked).then(
    (page) => page.items[0] ?? null,
    () => null,
  );
}
