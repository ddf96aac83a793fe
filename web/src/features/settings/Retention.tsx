import { Link } from "@tanstack/react-router";
import type { Schemas } from "@/api/client";
import { useRead } from "@/api/reading";
import { useSpace } from "@/api/session";
import { Snippet } from "@/ui/CopyButton";
import { Shown } from "@/ui/states";
import { Time } from "@/ui/Time";
import { Rows, Section } from "./Section";

type Kept = Schemas["KeptKind"];

/** What is kept how long, how much there is, and what happens at its end. */
export default function Retention() {
  const found = useRead("/api/v1/retention");
  const space = useSpace();
  return (
    <Section
      title="Retention"
      about={
        <>
          What is kept of <code>{space}</code>, for how long, and how much there is now. Telemetry has an end; memory
          has none, unless somebody erases it.
        </>
      }
    >
      <Shown of={found} what="What is kept">
        {(told) => (
          <>
            <Rows label="What is kept">
              {told.kinds.map((one) => (
                <Kind key={one.kind} one={one} />
              ))}
            </Rows>
            <Change kinds={told.kinds} />
          </>
        )}
      </Shown>
    </Section>
  );
}

function Kind({ one }: { one: Kept }) {
  return (
    <li className="flex flex-wrap items-start gap-x-4 gap-y-0.5">
      <span className="min-w-0 flex-1 basis-64">
        <span className="block font-medium">{one.title}</span>
        <span className="block text-small text-fg2">{one.ends}</span>
      </span>
      <span className="min-w-40 text-right max-narrow:text-left">
        <span className="block">{one.days ? `${one.days.toLocaleString("en")} days` : "for ever"}</span>
        <span className="block text-small text-fg2">
          <Amount one={one} />
        </span>
      </span>
    </li>
  );
}

function Amount({ one }: { one: Kept }) {
  if (one.rows === null || one.rows === undefined) return <span title={one.why_unknown}>{one.why_unknown}</span>;
  if (one.rows === 0) return "nothing yet";
  return (
    <>
      {one.rows.toLocaleString("en")}
      {one.oldest_at && (
        <>
          , oldest <Time at={one.oldest_at} />
        </>
      )}
    </>
  );
}

/** Settings are read at the start, so this is a line for whoever runs the server. */
function Change({ kinds }: { kinds: readonly Kept[] }) {
  const settable = kinds.filter((one) => one.variable);
  const lines = [...new Set(settable.map((one) => `${one.variable}=${one.days}`))];
  return (
    <section aria-labelledby="change" className="flex flex-col gap-2">
      <h2 id="change" className="font-semibold">
        How to change it
      </h2>
      <p className="text-fg2">
        {settable.map((one) => one.title).join(", ")}: set this where the server runs, then start it again. Fewer days
        drop what is older, and that cannot be taken back.
      </p>
      <Snippet text={lines.join("\n")} what="setting" />
      <p className="text-fg2">
        A record of memory is erased for good under{" "}
        <Link to="/settings/$part" params={{ part: "privacy" }} className="text-moon underline">
          Privacy
        </Link>
        .
      </p>
    </section>
  );
}
