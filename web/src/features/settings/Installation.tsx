import type { Schemas } from "@/api/client";
import { useRead } from "@/api/reading";
import { useWhyNot } from "@/api/session";
import { CopyButton } from "@/ui/CopyButton";
import { Empty, Shown } from "@/ui/states";
import { Section } from "./Section";

type Explained = Schemas["Explained"];

/** What this installation is set to: how long data is kept, what is taken out of it, where it listens. Read only. */
export default function Installation() {
  const cannot = useWhyNot("administer");
  const found = useRead("/api/v1/settings", {}, { isOn: !cannot });
  const status = useRead("/api/v1/status");
  const about = (
    <>
      Version {status.data?.version ?? "…"}. Settings are read once, at the start: change them where the server runs,
      then start it again.
    </>
  );
  if (cannot)
    return (
      <Section title="This installation" about={about}>
        {<Empty why={cannot} />}
      </Section>
    );
  return (
    <Section title="This installation" about={about}>
      <Shown of={found} what="The settings">
        {(all) => <Groups all={all} />}
      </Shown>
    </Section>
  );
}

function Groups({ all }: { all: readonly Explained[] }) {
  const names = [...new Set(all.map((one) => one.group))];
  return (
    <>
      {names.map((name) => (
        <section key={name} aria-label={name} className="flex flex-col gap-2">
          <h2 className="font-semibold">{name}</h2>
          <dl className="overflow-hidden rounded-card border border-line bg-s1">
            {all
              .filter((one) => one.group === name)
              .map((one) => (
                <Row key={one.name} one={one} />
              ))}
          </dl>
        </section>
      ))}
    </>
  );
}

function Row({ one }: { one: Explained }) {
  const value = String(one.value);
  return (
    <div className="flex flex-wrap items-start gap-x-4 gap-y-0.5 border-b border-line px-4 py-2 last:border-b-0">
      <dt className="min-w-0 flex-1 basis-64">
        <span className="flex items-center">
          <code>{one.name}</code>
          <CopyButton text={one.variable} what={`variable ${one.variable}`} />
        </span>
        <span className="block text-small text-fg2">{one.what}</span>
      </dt>
      <dd className="max-w-full text-right">
        <code className="break-all">{value || <span className="text-fg3">not set</span>}</code>
        <span className="block text-meta text-fg3">{one.source === "default" ? "default" : `from ${one.source}`}</span>
      </dd>
    </div>
  );
}
