import { type FormEvent, useState } from "react";
import { useAct } from "@/api/acting";
import type { Schemas } from "@/api/client";
import { useRead } from "@/api/reading";
import { useWhyNot } from "@/api/session";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { TextArea, TextField } from "@/ui/Field";
import { Empty, Shown } from "@/ui/states";
import { Time } from "@/ui/Time";
import { Rows } from "./Section";

type Remembered = Schemas["RecordTold"];
const FOUND_MAX = 10;

/** Find a record of memory and erase it for good. Everybody may look; only an admin may erase. */
export function Erase() {
  const [typed, setTyped] = useState("");
  const [asked, setAsked] = useState("");
  const [chosen, setChosen] = useState<Remembered | null>(null);
  const [erased, setErased] = useState("");
  const found = useRead(
    "/api/v1/memory/search",
    { query: { text: asked, limit: FOUND_MAX } },
    { isOn: asked !== "", keepsPrevious: true },
  );
  const send = (event: FormEvent) => {
    event.preventDefault();
    setErased("");
    setAsked(typed.trim());
  };
  return (
    <section aria-labelledby="erase" className="flex flex-col gap-2">
      <h2 id="erase" className="font-semibold">
        Erase for good
      </h2>
      <p className="text-fg2">
        For legal duty: what a record says leaves every version of it, on every branch and in the past. That something
        was there, and who erased it, stays on record. What is merely wrong is retracted instead.
      </p>
      <form onSubmit={send} className="flex flex-wrap items-end gap-2">
        <div className="min-w-0 flex-1 basis-64">
          <TextField
            label="Find a record"
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
            placeholder="a name, a sentence, an e-mail address"
          />
        </div>
        <Button
          type="submit"
          whyNot={typed.trim() ? "" : "Say what to find."}
          isBusy={asked !== "" && found.isFetching}
        >
          Find
        </Button>
      </form>
      <p role="status" className="text-small text-sage">
        {erased}
      </p>
      {asked !== "" && (
        <Shown of={found} what="What memory knows of it">
          {(told) =>
            told.hits.length === 0 ? (
              <Empty why="Memory knows nothing of it." />
            ) : (
              <Rows label="Records that were found">
                {told.hits.map(({ record }) => (
                  <Row key={record.address} record={record} choose={() => setChosen(record)} />
                ))}
              </Rows>
            )
          }
        </Shown>
      )}
      {chosen && <Confirm record={chosen} close={() => setChosen(null)} done={setErased} />}
    </section>
  );
}

function Row({ record, choose }: { record: Remembered; choose: () => void }) {
  const cannot = useWhyNot("administer");
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <span className="min-w-0 flex-1 basis-64">
        <code className="block break-all">{record.address}</code>
        <span className="line-clamp-2 text-small break-words text-fg2">
          {record.text ?? JSON.stringify(record.body)}
        </span>
        <span className="block text-meta text-fg3">
          {record.kind}, of {record.actor}, <Time at={record.learned_at} />
        </span>
      </span>
      <Button size="small" look="danger" aria-label={`Erase ${record.address}`} whyNot={cannot} onClick={choose}>
        Erase
      </Button>
    </li>
  );
}

/** Erasing cannot be taken back, so its address has to be typed. */
function Confirm({ record, close, done }: { record: Remembered; close: () => void; done: (text: string) => void }) {
  const [typed, setTyped] = useState("");
  const [why, setWhy] = useState("");
  const [isBelow, setBelow] = useState(false);
  const erase = useAct("post", "/api/v1/memory/erase", {
    isQuiet: true,
    after: (told) => {
      const what = `${told.versions} ${told.versions === 1 ? "version" : "versions"} of ${record.address} erased.`;
      done(told.traces_gone ? what : `${what} Another process still reads an older state: erase it again later.`);
      close();
    },
  });
  const whyNot =
    typed.trim() !== record.address ? "Type its address first." : why.trim() ? "" : "Say why: it stays on record.";
  const send = (event: FormEvent) => {
    event.preventDefault();
    if (!whyNot) erase.mutate({ body: { address: record.address, why: why.trim(), below: isBelow } });
  };
  return (
    <Dialog
      isOpen
      close={close}
      title="Erase it for good?"
      about="What it says is gone from every version, every branch and the past. Nobody can bring it back."
    >
      <form onSubmit={send} className="flex flex-col gap-3">
        <code className="break-all">{record.address}</code>
        <TextArea
          label="Why"
          hint="It stays on record: do not repeat here what is to be gone."
          value={why}
          onChange={(event) => setWhy(event.target.value)}
          maxLength={1_000}
        />
        <label className="flex min-h-6 items-center gap-2">
          <input
            type="checkbox"
            checked={isBelow}
            onChange={(event) => setBelow(event.target.checked)}
            className="size-4 accent-moon"
          />
          Everything below this address as well
        </label>
        <TextField
          label="Type the address to erase it"
          value={typed}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => setTyped(event.target.value)}
          problem={erase.error ? `${erase.error.detail} ${erase.error.remedy}` : undefined}
        />
        <div className="flex justify-end gap-2">
          <Button look="quiet" onClick={close}>
            Cancel
          </Button>
          <Button type="submit" look="danger" isBusy={erase.isPending} whyNot={whyNot}>
            Erase
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
