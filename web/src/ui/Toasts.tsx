import { CircleAlert, CircleCheck, X } from "lucide-react";
import { cn } from "@/lib/cn";
import { useStore } from "@/lib/store";
import { dismiss, toasts } from "@/lib/toasts";
import { Button } from "./Button";

/** What has just been done, and how to take it back. */
export function Toasts() {
  const shown = useStore(toasts);
  return (
    <div
      role="status"
      className="pointer-events-none fixed bottom-4 left-1/2 z-60 flex w-[min(520px,calc(100vw-24px))] -translate-x-1/2 flex-col gap-2"
      data-screen
    >
      {shown.map((one) => (
        <div
          key={one.id}
          className="pointer-events-auto flex items-center gap-2.5 rounded-lg border border-line2 bg-s2 py-2 pr-2 pl-3 shadow-(--shadow) arriving"
        >
          {one.tone === "bad" ? (
            <CircleAlert className="size-4 shrink-0 text-coral" />
          ) : (
            <CircleCheck className={cn("size-4 shrink-0", one.tone === "good" ? "text-sage" : "text-fg3")} />
          )}
          <span className="min-w-0 flex-1 break-words">{one.text}</span>
          {one.action && (
            <Button
              size="small"
              keys="u"
              onClick={() => {
                dismiss(one.id);
                one.action?.run();
              }}
            >
              {one.action.label}
            </Button>
          )}
          <button
            type="button"
            aria-label="Dismiss"
            onClick={() => dismiss(one.id)}
            className="flex size-6 items-center justify-center rounded-[5px] text-fg3 hover:bg-s3 hover:text-fg"
          >
            <X className="size-3.5" />
          </button>
        </div>
      ))}
    </div>
  );
}
