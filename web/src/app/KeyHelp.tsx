import { Switch } from "radix-ui";
import { areSingleKeysOn, type Key, pageKeys, switchSingleKeys, written } from "@/lib/keys";
import { useStore } from "@/lib/store";
import { Dialog } from "@/ui/Dialog";

/** What can be done by key where one is, and the switch that turns single keys off. */
export default function KeyHelp({ close }: { close: () => void }) {
  const keys = useStore(pageKeys);
  const isOn = useStore(areSingleKeysOn);
  const groups = new Map<string, Key[]>();
  for (const one of keys) {
    const name = one.group ?? "This page";
    groups.set(name, [...(groups.get(name) ?? []), one]);
  }
  const order = ["This page", ...[...groups.keys()].filter((name) => name !== "This page")];
  return (
    <Dialog isOpen close={close} title="Keys">
      <div className="flex flex-col gap-4">
        {order.map((name) => {
          const found = groups.get(name);
          return (
            found && (
              <section key={name} aria-label={name}>
                <h3 className="pb-1 text-small text-fg3">{name}</h3>
                <dl>
                  {found.map((one) => (
                    <div key={one.keys + one.label} className="flex h-7 items-center justify-between">
                      <dt>{one.label}</dt>
                      <dd>
                        <kbd className="rounded-[5px] border border-line2 bg-s2 px-1.5 py-0.5 text-meta">
                          {written(one.keys)}
                        </kbd>
                      </dd>
                    </div>
                  ))}
                </dl>
              </section>
            )
          );
        })}
        <div className="flex items-center justify-between gap-4 border-t border-line pt-3">
          <label htmlFor="single-keys">
            Single keys
            <span className="block text-small text-fg3">
              Off for voice control, or if you type where you do not mean to.
            </span>
          </label>
          <Switch.Root
            id="single-keys"
            checked={isOn}
            onCheckedChange={switchSingleKeys}
            className="h-6 w-10 shrink-0 rounded-full border border-line2 bg-s3 data-[state=checked]:bg-moon"
          >
            <Switch.Thumb className="block size-4 translate-x-1 rounded-full bg-fg transition-transform data-[state=checked]:translate-x-[18px] data-[state=checked]:bg-ink" />
          </Switch.Root>
        </div>
      </div>
    </Dialog>
  );
}
