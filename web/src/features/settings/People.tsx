import { type FormEvent, useState } from "react";
import { useAct } from "@/api/acting";
import type { Schemas } from "@/api/client";
import { useList } from "@/api/reading";
import { useWhyNot } from "@/api/session";
import { Button } from "@/ui/Button";
import { Snippet } from "@/ui/CopyButton";
import { SelectField, TextField } from "@/ui/Field";
import { Empty, Shown } from "@/ui/states";
import { Time } from "@/ui/Time";
import { useProject } from "./NewKey";
import { Rows, Section } from "./Section";

type Role = Schemas["Role"];

const ROLES: Record<Role, string> = {
  viewer: "reads everything",
  responder: "records, resolves, decides",
  maintainer: "also writes memory and sends data",
  admin: "also people, keys and projects",
};

/** Who there is, what they may do, and invitations that nobody has followed yet. */
export default function People() {
  const cannot = useWhyNot("administer");
  const organisation = useProject()?.organisation;
  const asked = { query: { limit: 100, ...(organisation ? { organisation } : {}) } };
  const found = useList("/api/v1/members", asked, { isOn: !cannot && organisation !== undefined });
  const pending = useList("/api/v1/invitations", asked, { isOn: !cannot && organisation !== undefined });
  if (cannot)
    return (
      <Section title="People" about="Who may do what here.">
        {<Empty why={cannot} />}
      </Section>
    );
  return (
    <Section
      title="People"
      about="Who may do what. An invitation is a link that works once, for a day; you send it yourself."
    >
      <Shown of={found} what="The people">
        {() =>
          found.items.length === 0 ? (
            <Empty why="Nobody was invited yet: whoever sits at this machine may do everything. The first admin you invite changes that." />
          ) : (
            <Rows label="People">
              {found.items.map((one) => (
                <Member key={one.id} member={one} organisation={organisation ?? ""} />
              ))}
            </Rows>
          )
        }
      </Shown>
      <Invite organisation={organisation ?? ""} />
      {pending.items.length > 0 && (
        <section aria-labelledby="pending" className="flex flex-col gap-2">
          <h2 id="pending" className="font-semibold">
            Not followed yet
          </h2>
          <Rows label="Invitations">
            {pending.items.map((one) => (
              <Pending key={one.id} invitation={one} />
            ))}
          </Rows>
        </section>
      )}
    </Section>
  );
}

function Member({ member, organisation }: { member: Schemas["MemberSeen"]; organisation: string }) {
  const [link, setLink] = useState("");
  const set = useAct("put", "/api/v1/members/{person}/role", {
    done: (told) => `${member.name || member.email} is ${told.role} now.`,
    undo: (_, said) => () => {
      const before = member.memberships.find((one) => one.project === (said.body?.project ?? ""))?.role;
      if (before && said.body) set.mutate({ path: { person: member.id }, body: { ...said.body, role: before } });
    },
  });
  const remove = useAct("delete", "/api/v1/members/{person}", {
    done: `${member.name || member.email} is no member any more.`,
  });
  const forgot = useAct("post", "/api/v1/members/{person}/password-link", { after: (told) => setLink(told.link) });
  const [isSure, setSure] = useState(false);
  return (
    <li className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span className="min-w-0 flex-1 basis-48">
          <span className="block truncate font-medium">{member.name || member.email}</span>
          <span className="block truncate text-small text-fg2">{member.email}</span>
        </span>
        {member.memberships.map((one) => (
          <label key={one.project} className="flex items-center gap-2 text-small">
            <span className="text-fg2">{one.project || "every project"}</span>
            <select
              aria-label={`Role of ${member.email} in ${one.project || "every project"}`}
              value={one.role}
              onChange={(event) =>
                set.mutate({
                  path: { person: member.id },
                  body: { role: event.target.value as Role, organisation, project: one.project || null },
                })
              }
              className="h-7 rounded-[7px] border border-line2 bg-s1 px-2 pointer-coarse:h-9"
            >
              {Object.keys(ROLES).map((role) => (
                <option key={role}>{role}</option>
              ))}
            </select>
          </label>
        ))}
        <Button size="small" onClick={() => forgot.mutate({ path: { person: member.id } })}>
          Password link
        </Button>
        {isSure ? (
          <Button
            size="small"
            look="danger"
            isBusy={remove.isPending}
            onClick={() => remove.mutate({ path: { person: member.id }, query: { organisation } })}
          >
            Remove for good
          </Button>
        ) : (
          <Button size="small" onClick={() => setSure(true)}>
            Remove
          </Button>
        )}
      </div>
      {link && <Snippet text={link} what="link" />}
    </li>
  );
}

function Pending({ invitation }: { invitation: Schemas["Invitation"] }) {
  const withdraw = useAct("delete", "/api/v1/invitations/{invitation_id}", { done: "The invitation is taken back." });
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <span className="min-w-0 flex-1 truncate">{invitation.email || "the first admin"}</span>
      <span className="text-small text-fg2">
        {invitation.role}, ends <Time at={invitation.expires_at} />
      </span>
      <Button
        size="small"
        isBusy={withdraw.isPending}
        onClick={() => withdraw.mutate({ path: { invitation_id: invitation.id } })}
      >
        Take back
      </Button>
    </li>
  );
}

function Invite({ organisation }: { organisation: string }) {
  const [email, setEmail] = useState("");
  const [role, setRole] = useState<Role>("responder");
  const [link, setLink] = useState("");
  const add = useAct("post", "/api/v1/members", {
    isQuiet: true,
    after: (told) => {
      setLink(told.link);
      setEmail("");
    },
  });
  const send = (event: FormEvent) => {
    event.preventDefault();
    add.mutate({ body: { email: email.trim(), role, organisation, project: null } });
  };
  return (
    <form onSubmit={send} className="flex flex-col gap-3 rounded-card border border-line bg-s1 p-4">
      <div className="grid grid-cols-2 gap-3 max-sm:grid-cols-1">
        <TextField
          label="Invite"
          type="email"
          required
          value={email}
          onChange={(event) => setEmail(event.target.value)}
          placeholder="ada@example.com"
          problem={add.error ? `${add.error.detail} ${add.error.remedy}` : undefined}
        />
        <SelectField label="As" value={role} onChange={(event) => setRole(event.target.value as Role)}>
          {Object.entries(ROLES).map(([value, what]) => (
            <option key={value} value={value}>
              {value}: {what}
            </option>
          ))}
        </SelectField>
      </div>
      <Button
        type="submit"
        look="primary"
        className="self-start"
        isBusy={add.isPending}
        whyNot={email.trim() ? "" : "Give an address."}
      >
        Make the link
      </Button>
      {link && (
        <div className="flex flex-col gap-1.5">
          <p>Send them this link. It works once, for a day, and is not shown again.</p>
          <Snippet text={link} what="link" />
        </div>
      )}
    </form>
  );
}
