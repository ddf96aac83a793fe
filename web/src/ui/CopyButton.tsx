import { Check, Copy } from "lucide-react";
import { useEffect, useState } from "react";
import { cn } from "@/lib/cn";
import { tell } from "@/lib/toasts";

const SHOWN_MS = 1_500;

/** Put a text on the clipboard. On plain http there is no clipboard for scripts, and a selection has to do. */
export async function copy(text: string): Promise<boolean> {
  if (navigator.clipboard) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      // Not allowed: the other way may be.
    }
  }
  const field = document.createElement("textarea");
  field.value = text;
  field.style.position = "fixed";
  field.style.opacity = "0";
  document.body.append(field);
  field.select();
  const isDone = document.execCommand("copy");
  field.remove();
  return isDone;
}

interface CopyButtonProps {
  text: string;
  /** What is copied: "id", "command", "trace". */
  what: string;
  children?: string;
  className?: string;
}

export function CopyButton({ text, what, children, className }: CopyButtonProps) {
  const [isDone, setDone] = useState(false);
  useEffect(() => {
    if (!isDone) return;
    const timer = setTimeout(() => setDone(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [isDone]);
  return (
    <button
      type="button"
      aria-label={children ? undefined : `Copy ${what}`}
      title={`Copy ${what}`}
      onClick={async () => {
        if (await copy(text)) setDone(true);
        else tell(`The ${what} could not be copied: select it by hand.`, { tone: "bad" });
      }}
      className={cn(
        "inline-flex size-6 shrink-0 items-center justify-center gap-1.5 rounded-[5px] text-fg3 hover:bg-s3 hover:text-fg pointer-coarse:size-9",
        children && "w-auto px-2 text-small",
        className,
      )}
      data-screen
    >
      {isDone ? <Check className="size-3.5 text-sage" /> : <Copy className="size-3.5" />}
      {children}
      <span role="status" className="sr-only">
        {isDone ? `${what} copied` : ""}
      </span>
    </button>
  );
}

/** A command or an example to be copied whole. */
export function Snippet({ text, what, isWrapped = false }: { text: string; what: string; isWrapped?: boolean }) {
  return (
    <div className="relative rounded-lg border border-line bg-bg">
      <pre
        tabIndex={0}
        className={cn(
          "scroll-thin overflow-x-auto px-3 py-2.5 pr-10 text-small leading-[18px] text-fg2",
          isWrapped && "max-h-48 overflow-y-auto whitespace-pre-wrap [overflow-wrap:anywhere]",
        )}
      >
        {text}
      </pre>
      <CopyButton text={text} what={what} className="absolute top-1.5 right-1.5 bg-bg" />
    </div>
  );
}
