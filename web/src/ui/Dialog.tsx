import { X } from "lucide-react";
import { Dialog as Radix } from "radix-ui";
import { type ReactNode, useRef } from "react";
import { cn } from "@/lib/cn";
import { IconButton } from "./Button";

interface DialogProps {
  isOpen: boolean;
  close: () => void;
  title: string;
  /** What it is about, in a sentence. */
  about?: ReactNode;
  children: ReactNode;
  className?: string;
  /** From the side, for looking something up beside the page. */
  isSheet?: boolean;
}

// Where one is asked for something, one types at once; fingers would only get a keyboard over what they want to read.
const FIELD = "textarea, select, input:not([type=checkbox], [type=radio], [type=file])";

function toField(event: Event): void {
  const field = event.target instanceof HTMLElement && event.target.querySelector<HTMLElement>(FIELD);
  if (!field || window.matchMedia("(pointer: coarse)").matches) return;
  event.preventDefault();
  field.focus();
}

/** Focus goes back to where it was: our dialogs are opened from anywhere, and have no trigger that would know. */
export function useFocusBack() {
  const before = useRef<Element | null>(null);
  return {
    onOpenAutoFocus: () => {
      before.current = document.activeElement;
    },
    onCloseAutoFocus: (event: Event) => {
      event.preventDefault();
      // What it was opened from may be gone by what was decided in it.
      const back = before.current?.isConnected ? before.current : document.getElementById("content");
      if (back instanceof HTMLElement) back.focus();
    },
  };
}

/** A question or a closer look. Focus goes in, stays in, and returns to where it was. */
export function Dialog({ isOpen, close, title, about, children, className, isSheet = false }: DialogProps) {
  const focusBack = useFocusBack();
  return (
    <Radix.Root open={isOpen} onOpenChange={(open) => !open && close()}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 bg-black/45" data-screen />
        <Radix.Content
          {...focusBack}
          onOpenAutoFocus={(event) => {
            focusBack.onOpenAutoFocus();
            if (!isSheet) toField(event);
          }}
          {...(about ? {} : { "aria-describedby": undefined })}
          className={cn(
            "fixed z-50 flex max-w-[calc(100vw-24px)] flex-col border border-line2 bg-s1 shadow-(--shadow) arriving focus:outline-none",
            isSheet
              ? "inset-y-0 right-0 w-[560px] border-y-0 border-r-0"
              : "top-[12vh] left-1/2 max-h-[80vh] w-[520px] -translate-x-1/2 rounded-card",
            className,
          )}
        >
          <div className="flex items-start gap-3 border-b border-line px-4 py-3">
            <div className="min-w-0 flex-1">
              <Radix.Title className="text-lead font-semibold break-words">{title}</Radix.Title>
              {about && <Radix.Description className="text-fg2">{about}</Radix.Description>}
            </div>
            <Radix.Close asChild>
              <IconButton label="Close" keys="">
                <X className="size-4" />
              </IconButton>
            </Radix.Close>
          </div>
          <div className="scroll-thin min-h-0 flex-1 overflow-y-auto px-4 py-3.5">{children}</div>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
