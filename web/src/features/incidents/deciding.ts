import { useAct } from "@/api/acting";

export type Verb = "confirm" | "dismiss" | "reopen";
const DONE: Record<Verb, string> = { confirm: "It is over.", dismiss: "It was none.", reopen: "It is open again." };

/** What somebody says about how an incident stands; each can be taken back. */
export function useDecision(id: string): (verb: Verb) => void {
  const act = useAct("post", "/api/v1/incidents/{incident_id}/decision", {
    done: (_, said) => DONE[said.body?.verb ?? "confirm"],
    undo: (_, said) => () =>
      act.mutate({ path: { incident_id: id }, body: { verb: said.body?.verb === "reopen" ? "confirm" : "reopen" } }),
  });
  return (verb) => act.mutate({ path: { incident_id: id }, body: { verb } });
}
