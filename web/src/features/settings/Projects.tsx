import { type FormEvent, useState } from "react";
import { useAct } from "@/api/acting";
import type { Schemas } from "@/api/client";
import { useList } from "@/api/reading";
import { useSpace, useWhyNot } from "@/api/session";
import { Button } from "@/ui/Button";
import { Chip } from "@/ui/Chip";
import { TextField } from "@/ui/Field";
import { Shown } from "@/ui/states";
import { Time } from "@/ui/Time";
import { useProject } from "./NewKey";
import { Rows, Section } from "./Section";

/** Projects: each has a memory, telemetry and people of its own. */
export default function Projects() {
  const found = useList("/api/v1/spaces", { query: { limit: 100 } });
  const cannot = useWhyNot("administer");
  return (
    <Section
      title="Projects"
      about="Each project has its own memory and telemetry. Nothing crosses between them unless both say so."
    >
      <Shown of={found} what="The projects">
        {() => (
          <Rows label="Projects">
            {found.items.map((one) => (
              <Project key={one.space} project={one} />
            ))}
          </Rows>
        )}
      </Shown>
      <NewProject whyNot={cannot} />
    </Section>
  );
}

function Project({ project }: { project: Schemas["Space"] }) {
  const here = useSpace();
  const isMine = project.permissions.includes("administer");
  const change = useAct("patch", "/api/v1/spaces/{space}", {
    done: (told) =>
      told.archived_at ? `${told.space} can only be read now.` : `${told.space} can be written to again.`,
    undo: (told) => () => change.mutate({ path: { space: told.space }, body: { is_archived: !told.archived_at } }),
  });
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <span className="min-w-0 flex-1 truncate font-medium">{project.space}</span>
      {project.space === here && <Chip tone="moon">shown now</Chip>}
      {project.archived_at && (
        <Chip>
          archived <Time at={project.archived_at} />
        </Chip>
      )}
      <span className="text-small text-fg3">
        since <Time at={project.created_at} />
      </span>
      <Button
        size="small"
        whyNot={isMine ? "" : "Only its admins may."}
        isBusy={change.isPending}
        onClick={() => change.mutate({ path: { space: project.space }, body: { is_archived: !project.archived_at } })}
      >
        {project.archived_at ? "Take back" : "Archive"}
      </Button>
    </li>
  );
}

function NewProject({ whyNot }: { whyNot: string }) {
  const [name, setName] = useState("");
  const organisation = useProject()?.organisation;
  const add = useAct("post", "/api/v1/spaces", {
    done: (told) => `${told.space} is there.`,
    after: () => setName(""),
    isQuiet: true,
  });
  const send = (event: FormEvent) => {
    event.preventDefault();
    add.mutate({ body: { project: name.trim(), organisation: organisation ?? null } });
  };
  return (
    <form onSubmit={send} className="flex flex-col gap-3 rounded-card border border-line bg-s1 p-4">
      <TextField
        label="A new project"
        value={name}
        onChange={(event) => setName(event.target.value)}
        placeholder="checkout"
        problem={add.error ? `${add.error.detail} ${add.error.remedy}` : undefined}
      />
      <Button
        type="submit"
        look="primary"
        className="self-start"
        isBusy={add.isPending}
        whyNot={whyNot || (name.trim() ? "" : "Give it a name.")}
      >
        Create
      </Button>
    </form>
  );
}
