import { CircleCheck, Radio } from "lucide-react";
import { useState } from "react";
import { useRead } from "@/api/reading";
import { useSession, useSpace, useWhyNot } from "@/api/session";
import { Snippet } from "@/ui/CopyButton";
import { Tabs } from "@/ui/Tabs";
import { Time } from "@/ui/Time";
import { NewKey } from "./NewKey";
import { Section } from "./Section";
import { sendersOf } from "./senders";

const POLL_SECONDS = 2;

/** How to send data here: a key, what to tell the sender, and whether anything has arrived. */
export default function Sending() {
  const space = useSpace();
  const session = useSession();
  const cannotAdminister = useWhyNot("administer");
  const [key, setKey] = useState("");
  const [chosen, setChosen] = useState("otel");
  const isOpen = session.data?.kind === "local";
  const senders = sendersOf({
    origin: window.location.origin,
    key: key || (isOpen ? "" : "hc_ingest_…"),
    space: space === session.data?.space && isOpen ? "" : space,
  });
  const sender = senders.find((one) => one.id === chosen) ?? senders[0];
  return (
    <Section
      title="Send data"
      about={
        <>
          Point what you already run at {window.location.origin}. It goes into the project <code>{space}</code>.
        </>
      }
    >
      <section aria-labelledby="step-key" className="flex flex-col gap-2">
        <h2 id="step-key" className="font-semibold">
          1. A key
        </h2>
        {isOpen ? (
          <p className="text-fg2">
            None is needed: on this machine nobody has to say who they are. Make one all the same before others can
            reach it.
          </p>
        ) : cannotAdminister ? (
          <p className="text-fg2">Ask an admin for a key that may send: {cannotAdminister}</p>
        ) : null}
        {!cannotAdminister && <NewKey power="ingest" whyNot={cannotAdminister} made={setKey} />}
      </section>
      <section aria-labelledby="step-sender" className="flex flex-col gap-2">
        <h2 id="step-sender" className="font-semibold">
          2. The sender
        </h2>
        <Tabs
          label="Sender"
          value={chosen}
          choose={setChosen}
          options={senders.map((one) => ({ value: one.id, label: one.label }))}
        />
        {sender && (
          <>
            <p className="text-fg2">{sender.what}</p>
            <Snippet text={sender.text} what="instructions" />
          </>
        )}
      </section>
      <section aria-labelledby="step-check" className="flex flex-col gap-2">
        <h2 id="step-check" className="font-semibold">
          3. First data
        </h2>
        <FirstData />
      </section>
    </Section>
  );
}

/** Whether anything has arrived, looked at every two seconds. */
function FirstData() {
  const found = useRead("/api/v1/services", { query: { limit: 200 } }, { everySeconds: POLL_SECONDS });
  const services = [...(found.data?.items ?? [])].sort(
    (one, other) => Date.parse(other.last_seen_at) - Date.parse(one.last_seen_at),
  );
  const [newest] = services;
  return (
    <div role="status" className="flex items-center gap-2.5 rounded-card border border-line bg-s1 px-4 py-3">
      {newest ? (
        <>
          <CircleCheck className="size-4 shrink-0 text-sage" />
          <span>
            First data received. <code>{newest.name}</code> was heard <Time at={newest.last_seen_at} />
            {services.length > 1 &&
              `, and ${services.length - 1} more ${services.length === 2 ? "service" : "services"} in the last day`}
            .
          </span>
        </>
      ) : (
        <>
          <Radio className="size-4 shrink-0 text-fg3" />
          <span className="text-fg2">
            {found.error
              ? `${found.error.detail} It is tried again.`
              : "Nothing has arrived yet. This is looked at every two seconds."}
          </span>
        </>
      )}
    </div>
  );
}
