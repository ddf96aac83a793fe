import { useEffect, useRef, useState } from "react";
import { useAct } from "@/api/acting";
import type { Schemas } from "@/api/client";
import { useList } from "@/api/reading";
import { useWhyNot } from "@/api/session";
import { useNow } from "@/lib/now";
import { Button } from "@/ui/Button";
import { Chip } from "@/ui/Chip";
import { Dialog } from "@/ui/Dialog";
import { TextField } from "@/ui/Field";
import { Empty, Shown } from "@/ui/states";
import { Time } from "@/ui/Time";
import { NewKey, POWERS, useProject } from "./NewKey";
import { Rows, Section } from "./Section";

/** Keys of programs: what each may do, and when it was last used. */
export default function Keys() {
  const cannot = useWhyNot("administer");
  const organisation = useProject()?.organisation;
  const found = useList(
    "/api/v1/keys",
    { query: { limit: 100, ...(organisation ? { organisation } : {}) } },
    { isOn: !cannot && organisation !== undefined },
  );
  if (cannot)
    return (
      <Section title="Keys" about="What programs may do here.">
        {<Empty why={cannot} />}
      </Section>
    );
  return (
    <Section
      title="Keys"
      about="What programs may do. A secret is shown once, when the key is made; nobody can read it afterwards."
    >
      <NewKey whyNot={cannot} />
      <Shown of={found} what="The keys">
        {() =>
          found.items.length === 0 ? (
            <Empty why="No key was made yet." />
          ) : (
            <Rows label="Keys">
              {found.items.map((one) => (
                <KeyRow key={one.id} one={one} />
              ))}
            </Rows>
          )
        }
      </Shown>
    </Section>
  );
}

function KeyRow({ one }: { one: Schemas["Key"] }) {
  const [isAsked, setAsked] = useState(false);
  const now = useNow();
  const isOver = Boolean(one.revoked_at) || (Boolean(one.expires_at) && new Date(one.expires_at ?? 0) < now);
  const row = useRef<HTMLLIElement>(null);
  const wasOver = useRef(isOver);
  useEffect(() => {
    // The button that was pressed is gone, and whoever goes by keys is to stay here.
    if (isOver && !wasOver.current && document.activeElement === document.body) row.current?.focus();
    wasOver.current = isOver;
  }, [isOver]);
  return (
    <li ref={row} tabIndex={-1} className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <span className="min-w-0 flex-1 basis-52">
        <span className="block truncate font-medium">{one.name}</span>
        <span className="block truncate text-small text-fg2" title={POWERS[one.power]}>
          {one.power} · {one.project || "every project"} · made by {one.created_by} <Time at={one.created_at} />
        </span>
      </span>
      <span className="text-small text-fg2">
        {one.last_used_at ? (
          <>
            used <Time at={one.last_used_at} />
          </>
        ) : (
          "never used"
        )}
      </span>
      {isOver ? (
        <Chip>
          {one.revoked_at ? "revoked" : "expired"} <Time at={one.revoked_at ?? one.expires_at} />
        </Chip>
      ) : (
        <Button size="small" look="danger" aria-label={`Revoke ${one.name}`} onClick={() => setAsked(true)}>
          Revoke
        </Button>
      )}
      {isAsked && <Revoke one={one} close={() => setAsked(false)} />}
    </li>
  );
}

/** Revoking cannot be taken back, so its name has to be typed. */
function Revoke({ one, close }: { one: Schemas["Key"]; close: () => void }) {
  const [typed, setTyped] = useState("");
  const revoke = useAct("delete", "/api/v1/keys/{key_id}", {
    done: `${one.name} opens nothing any more.`,
    after: close,
  });
  return (
    <Dialog
      isOpen
      close={close}
      title={`Revoke ${one.name}?`}
      about="Whoever uses it is refused from the next request on. It cannot be taken back."
    >
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          if (typed.trim() === one.name) revoke.mutate({ path: { key_id: one.id } });
        }}
      >
        <TextField
          label={`Type ${one.name} to revoke it`}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
        <div className="flex justify-end gap-2">
          <Button look="quiet" onClick={close}>
            Cancel
          </Button>
          <Button
            type="submit"
            look="danger"
            isBusy={revoke.isPending}
            whyNot={typed.trim() === one.name ? "" : "Type its name first."}
          >
            Revoke
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
