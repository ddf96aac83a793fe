import { Link, useSearch } from "@tanstack/react-router";
import type { Schemas } from "@/api/client";
import { useRead } from "@/api/reading";
import { useSession, useSpace } from "@/api/session";
import { Shown } from "@/ui/states";
import { Time } from "@/ui/Time";
import { IntegrationRow } from "./IntegrationRow";
import { Rows, Section } from "./Section";

const POLL_SECONDS = 5;
const GROUPS = [
  { brings: "telemetry", title: "Logs, metrics and traces" },
  { brings: "alerts", title: "Alerts" },
  { brings: "changes", title: "Deploys and other changes" },
] as const;

/** Every way in: how it is set up, what came by it, its last error, and a test that goes all the way. */
export default function Integrations() {
  const found = useRead("/api/v1/integrations", {}, { everySeconds: POLL_SECONDS });
  const space = useSpace();
  const session = useSession();
  const { open } = useSearch({ strict: false });
  const isOpen = session.data?.kind === "local";
  const target = {
    origin: window.location.origin,
    key: isOpen ? "" : "hc_ingest_…",
    space: space === session.data?.space && isOpen ? "" : space,
  };
  return (
    <Section
      title="Integrations"
      about={
        <>
          Who can send data into <code>{space}</code>, what came, and what went wrong. A test is sent as its sender
          would, and opens no incident.
          {!isOpen && (
            <>
              {" "}
              <Link to="/settings/$part" params={{ part: "sending" }} className="text-moon underline">
                Make a key
              </Link>{" "}
              first, and put it where <code>hc_ingest_…</code> stands.
            </>
          )}
        </>
      }
    >
      <Shown of={found} what="The integrations">
        {(told) => (
          <>
            {told.unclaimed.length > 0 && <Unclaimed all={told.unclaimed} items={told.items} />}
            {GROUPS.map((group) => (
              <section key={group.brings} aria-labelledby={`group-${group.brings}`} className="flex flex-col gap-2">
                <h2 id={`group-${group.brings}`} className="font-semibold">
                  {group.title}
                </h2>
                <Rows label={group.title}>
                  {told.items
                    .filter((one) => one.brings === group.brings)
                    .map((one) => (
                      <IntegrationRow key={one.name} one={one} target={target} isOpenAtFirst={open === one.name} />
                    ))}
                </Rows>
              </section>
            ))}
            <p className="text-small text-fg3">
              Counted since the server started, <Time at={told.since} />.
            </p>
          </>
        )}
      </Shown>
    </Section>
  );
}

type Told = Schemas["IntegrationsTold"];

/** What was refused before anybody knew whose it was: somebody may be looking for why nothing arrives. */
function Unclaimed({ all, items }: { all: Told["unclaimed"]; items: Told["items"] }) {
  return (
    <section
      aria-labelledby="unclaimed"
      className="flex flex-col gap-1.5 rounded-card border edge-sand wash-sand px-4 py-3"
    >
      <h2 id="unclaimed" className="font-semibold">
        Refused before it was known which project it is for
      </h2>
      <ul className="flex flex-col gap-1">
        {all.map((one) => (
          <li key={one.name} className="break-words">
            <span className="font-medium">{items.find((item) => item.name === one.name)?.title ?? one.name}</span>:{" "}
            {one.last_error.problem} {one.last_error.remedy}{" "}
            <span className="text-fg2">
              {one.refused_lately.toLocaleString("en")} in the last day, <Time at={one.last_error.at} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
