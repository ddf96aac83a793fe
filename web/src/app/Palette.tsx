import { useNavigate } from "@tanstack/react-router";
import { Command } from "cmdk";
import { BrainCircuit, Clock, Keyboard, Moon, Settings, Siren } from "lucide-react";
import { Dialog } from "radix-ui";
import { type ReactNode, useDeferredValue, useState } from "react";
import { useRead } from "@/api/reading";
import { useKeys } from "@/lib/keys";
import { toggle } from "@/lib/theme";
import { showIn, zone } from "@/lib/time";
import { useFocusBack } from "@/ui/Dialog";
import { Kbd } from "@/ui/Kbd";
import { Severity } from "@/ui/Severity";
import { Time } from "@/ui/Time";
import { PAGES } from "./pages";

const ITEM =
  "flex min-h-8 items-center gap-2.5 rounded-[7px] px-2.5 data-[selected=true]:bg-s3 pointer-coarse:min-h-10";
const FOUND_MAX = 6;
const TEXT_MIN = 2;

/** Ask memory, go somewhere, or do something, by typing. What is typed is sought among incidents as it is. */
export default function Palette({ close, help }: { close: () => void; help: () => void }) {
  const navigate = useNavigate();
  const focusBack = useFocusBack();
  const [text, setText] = useState("");
  const sought = useDeferredValue(text.trim());
  const found = useRead(
    "/api/v1/incidents",
    { query: { text: sought, limit: FOUND_MAX } },
    { isOn: sought.length >= TEXT_MIN, keepsPrevious: true },
  );
  useKeys([{ keys: "mod+k", label: "Close", run: close, group: "Everywhere", inDialog: true }]);
  const then = (run: () => void) => () => {
    close();
    run();
  };
  const incidents = sought.length >= TEXT_MIN ? (found.data?.items ?? []) : [];
  return (
    <Dialog.Root open onOpenChange={(isOpen) => !isOpen && close()}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-40 bg-black/45" />
        <Dialog.Content
          {...focusBack}
          aria-describedby={undefined}
          className="fixed top-[12vh] left-1/2 z-50 w-[min(600px,calc(100vw-24px))] -translate-x-1/2 overflow-hidden rounded-card border border-line2 bg-s1 shadow-(--shadow) arriving"
        >
          <Dialog.Title className="sr-only">Ask memory, jump, run</Dialog.Title>
          <Command label="Ask memory, jump, run" shouldFilter={false}>
            <Command.Input
              value={text}
              onValueChange={setText}
              placeholder="Paste an error, ask memory, or say where to go"
              className="h-11 w-full border-b border-line bg-transparent px-4 text-lead outline-none"
            />
            <Command.List className="scroll-thin max-h-[50vh] overflow-y-auto p-1.5" label="What can be done">
              {text.trim() && (
                <Command.Item
                  value="ask"
                  className={ITEM}
                  onSelect={then(() => void navigate({ to: "/ask", search: { text: text.trim() } }))}
                >
                  <BrainCircuit className="size-4 text-moon" />
                  <span className="min-w-0 flex-1 truncate">
                    Ask memory: <span className="text-fg2">{text.trim()}</span>
                  </span>
                  <Kbd keys="enter" />
                </Command.Item>
              )}
              {incidents.length > 0 && (
                <Group heading="Incidents">
                  {incidents.map((one) => (
                    <Command.Item
                      key={one.id}
                      value={`incident ${one.id}`}
                      className={ITEM}
                      onSelect={then(() => void navigate({ to: "/incidents/$incident", params: { incident: one.id } }))}
                    >
                      <Severity value={one.severity} isShort />
                      <span className="min-w-0 flex-1 truncate">{one.title}</span>
                      <Time at={one.onset_at} className="text-small text-fg2" />
                    </Command.Item>
                  ))}
                </Group>
              )}
              <Jumps sought={sought} then={then} help={help} />
            </Command.List>
          </Command>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function Group({ heading, children }: { heading: string; children: ReactNode }) {
  return (
    <Command.Group
      heading={heading}
      className="[&_[cmdk-group-heading]]:px-2.5 [&_[cmdk-group-heading]]:py-1.5 [&_[cmdk-group-heading]]:text-meta [&_[cmdk-group-heading]]:text-fg3"
    >
      {children}
    </Command.Group>
  );
}

interface JumpsProps {
  sought: string;
  then: (run: () => void) => () => void;
  help: () => void;
}

function Jumps({ sought, then, help }: JumpsProps) {
  const navigate = useNavigate();
  const jumps = [
    ...PAGES.map((page) => ({
      label: page.label,
      icon: page.icon,
      keys: page.keys,
      run: () => void navigate({ to: page.to }),
    })),
    { label: "Settings", icon: Settings, keys: "g s", run: () => void navigate({ to: "/settings" }) },
  ];
  const commands = [
    {
      label: "Open incidents",
      icon: Siren,
      keys: "",
      run: () => void navigate({ to: "/incidents", search: { state: "open" } }),
    },
    { label: "Switch between dark and light", icon: Moon, keys: "", run: toggle },
    {
      label: "Switch between UTC and local time",
      icon: Clock,
      keys: "",
      run: () => showIn(zone.value === "utc" ? "local" : "utc"),
    },
    { label: "Keys of this page", icon: Keyboard, keys: "?", run: help },
  ];
  const fits = (label: string) =>
    sought
      .toLowerCase()
      .split(/\s+/)
      .every((word) => label.toLowerCase().includes(word));
  return (
    <>
      {[
        { heading: "Go to", found: jumps.filter((one) => fits(one.label)) },
        { heading: "Do", found: commands.filter((one) => fits(one.label)) },
      ].map(
        ({ heading, found }) =>
          found.length > 0 && (
            <Group key={heading} heading={heading}>
              {found.map((one) => (
                <Command.Item key={one.label} value={one.label} className={ITEM} onSelect={then(one.run)}>
                  <one.icon className="size-4 text-fg2" />
                  <span className="flex-1">{one.label}</span>
                  {one.keys && <Kbd keys={one.keys} />}
                </Command.Item>
              ))}
            </Group>
          ),
      )}
    </>
  );
}
