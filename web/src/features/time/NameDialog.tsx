import { type FormEvent, useState } from "react";
import { useAct } from "@/api/acting";
import { absolute } from "@/lib/time";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { TextField } from "@/ui/Field";
import type { Commit } from "./history";
import type { TimeMachine } from "./timing";

interface NameDialogProps {
  time: TimeMachine;
  commit: Commit;
  kind: "branch" | "snapshot";
  close: () => void;
}

const SAYS = {
  branch: {
    title: "Branch from here",
    about: "It sees what this moment shows. What is added to it, nobody else sees until it is merged.",
    path: "/api/v1/memory/branches",
    hint: "Try something without touching what everybody sees.",
  },
  snapshot: {
    title: "Name this moment",
    about: "A snapshot is a name that never moves. It can be written wherever a moment is asked for.",
    path: "/api/v1/memory/snapshots",
    hint: "For example: before-the-migration.",
  },
} as const;

/** Begin a branch at a moment, or give the moment a name for ever. */
export default function NameDialog({ time, commit, kind, close }: NameDialogProps) {
  const [name, setName] = useState("");
  const [why, setWhy] = useState("");
  const says = SAYS[kind];
  const act = useAct("post", says.path, {
    isQuiet: true,
    done: (made) =>
      kind === "branch" ? `Branch ${made.name} begins here.` : `This moment is called ${made.name} from now on.`,
    after: (made) => {
      close();
      if (kind === "branch") time.say({ line: made.name, on: commit.id.slice(0, 12) });
    },
  });
  const send = (event: FormEvent) => {
    event.preventDefault();
    if (name.trim()) act.mutate({ body: { name: name.trim(), at: commit.id, branch: time.name, why: why.trim() } });
  };
  return (
    <Dialog isOpen close={close} title={says.title} about={says.about}>
      <form onSubmit={send} className="flex flex-col gap-3.5">
        <p className="rounded-lg bg-s2 px-3 py-2">
          {commit.why}
          <span className="block text-small text-fg2">
            <code>{commit.id.slice(0, 7)}</code>, {absolute(commit.at)}
          </span>
        </p>
        <TextField
          label="Name"
          value={name}
          autoFocus
          onChange={(event) => setName(event.target.value)}
          hint={says.hint}
          problem={act.error ? `${act.error.detail} ${act.error.remedy}` : undefined}
        />
        <TextField
          label="Why"
          value={why}
          onChange={(event) => setWhy(event.target.value)}
          placeholder="It stays in history"
        />
        <div className="flex justify-end gap-2">
          <Button look="quiet" onClick={close}>
            Cancel
          </Button>
          <Button type="submit" look="primary" isBusy={act.isPending} whyNot={name.trim() ? "" : "It needs a name."}>
            {kind === "branch" ? "Branch" : "Name it"}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
