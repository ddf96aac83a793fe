import { Ellipsis } from "lucide-react";
import { DropdownMenu } from "radix-ui";
import { Button } from "@/ui/Button";

const ITEM =
  "flex h-8 items-center rounded-[6px] px-2.5 outline-none data-highlighted:bg-s3 data-disabled:opacity-50 pointer-coarse:h-10";

export interface MoreProps {
  open: (what: "split" | "join") => void;
  decide: (verb: "confirm" | "dismiss") => void;
  whyNot: string;
  canSplit: boolean;
}

/** What else can be decided about an incident under way. It comes when it is asked for, and is open then. */
export default function More({ open, decide, whyNot, canSplit }: MoreProps) {
  const isOff = Boolean(whyNot);
  return (
    // Not modal: a modal menu hides the page from screen readers, with everything in it that can have the focus.
    <DropdownMenu.Root modal={false} defaultOpen>
      <DropdownMenu.Trigger asChild>
        <Button size="icon" aria-label="More to decide">
          <Ellipsis className="size-4" />
        </Button>
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal container={document.getElementById("content")}>
        <DropdownMenu.Content
          loop
          align="end"
          sideOffset={6}
          className="z-50 min-w-56 rounded-lg border border-line2 bg-s1 p-1 shadow-(--shadow)"
        >
          {whyNot && (
            <DropdownMenu.Label className="max-w-64 px-2.5 py-1 text-small text-fg3">{whyNot}</DropdownMenu.Label>
          )}
          <DropdownMenu.Item className={ITEM} disabled={isOff} onSelect={() => decide("confirm")}>
            It is over
          </DropdownMenu.Item>
          <DropdownMenu.Item className={ITEM} disabled={isOff} onSelect={() => decide("dismiss")}>
            It is no incident
          </DropdownMenu.Item>
          <DropdownMenu.Item className={ITEM} disabled={isOff || !canSplit} onSelect={() => open("split")}>
            Split services off
            {!canSplit && <span className="ml-auto pl-4 text-small text-fg2">it has only one</span>}
          </DropdownMenu.Item>
          <DropdownMenu.Item className={ITEM} disabled={isOff} onSelect={() => open("join")}>
            Join with another
          </DropdownMenu.Item>
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}
