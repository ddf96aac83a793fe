import { useNavigate } from "@tanstack/react-router";
import { Check, LogOut } from "lucide-react";
import { DropdownMenu } from "radix-ui";
import type { RefObject } from "react";
import { answered, client, isSignedOut, type Presence } from "@/api/client";
import { useSession, useSpace } from "@/api/session";

const ITEM = "flex h-8 items-center gap-2 rounded-[6px] px-2 outline-none data-highlighted:bg-s3 pointer-coarse:h-10";

interface SpaceMenuProps {
  /** Where focus goes when it is closed. */
  button: RefObject<HTMLButtonElement | null>;
  close: () => void;
}

/** The projects that one may look at. It is fetched when it is asked for, and stands at the button that asked. */
export default function SpaceMenu({ button, close }: SpaceMenuProps) {
  const session = useSession();
  const space = useSpace();
  return (
    <DropdownMenu.Root open onOpenChange={(isOpen) => !isOpen && close()}>
      <DropdownMenu.Trigger asChild>
        <span aria-hidden="true" className="pointer-events-none absolute inset-0" />
      </DropdownMenu.Trigger>
      {session.data && <Choices presence={session.data} space={space} button={button} />}
    </DropdownMenu.Root>
  );
}

interface ChoicesProps {
  presence: Presence;
  space: string;
  button: SpaceMenuProps["button"];
}

/** The projects that one may look at, who one is, and the way out. */
function Choices({ presence, space, button }: ChoicesProps) {
  const navigate = useNavigate();
  const go = (name: string) =>
    // Another project has other incidents: its overview is the one page that is surely there.
    void navigate({
      to: "/",
      search: { space: name === presence.space ? undefined : name, at: undefined, branch: undefined },
    });
  const leave = async () => {
    await answered(client.DELETE("/api/v1/session"));
    isSignedOut.set(true);
  };
  return (
    <DropdownMenu.Portal>
      <DropdownMenu.Content
        aria-label="Projects"
        aria-labelledby={undefined}
        onCloseAutoFocus={(event) => {
          event.preventDefault();
          button.current?.focus();
        }}
        align="end"
        sideOffset={6}
        className="scroll-thin z-50 max-h-[60vh] min-w-52 overflow-y-auto rounded-lg border border-line2 bg-s1 p-1 shadow-(--shadow)"
      >
        <DropdownMenu.Label className="px-2 py-1 text-meta text-fg3">Projects</DropdownMenu.Label>
        <DropdownMenu.RadioGroup value={space} onValueChange={go}>
          {presence.spaces.map((one) => (
            <DropdownMenu.RadioItem key={one.space} value={one.space} className={ITEM}>
              <span className="min-w-0 flex-1 truncate">{one.space}</span>
              <DropdownMenu.ItemIndicator>
                <Check className="size-3.5 text-moon" />
              </DropdownMenu.ItemIndicator>
            </DropdownMenu.RadioItem>
          ))}
        </DropdownMenu.RadioGroup>
        <DropdownMenu.Separator className="my-1 h-px bg-line" />
        <DropdownMenu.Label className="px-2 py-1 text-meta text-fg3">
          {presence.kind === "local" ? "Nobody has to sign in on this machine" : presence.actor}
        </DropdownMenu.Label>
        {presence.kind === "person" && (
          <DropdownMenu.Item className={ITEM} onSelect={() => void leave()}>
            <LogOut className="size-3.5" /> Sign out
          </DropdownMenu.Item>
        )}
      </DropdownMenu.Content>
    </DropdownMenu.Portal>
  );
}
