import type { ComponentProps, ReactNode } from "react";
import { cn } from "@/lib/cn";

export type Tone = "plain" | "moon" | "sage" | "sand" | "coral";

const TONES: Record<Tone, string> = {
  plain: "border-line2 text-fg2",
  moon: "edge-moon wash-moon text-moon",
  sage: "border-sage/30 wash-sage text-sage",
  sand: "edge-sand wash-sand text-sand",
  coral: "edge-coral wash-coral text-coral",
};

/** A small fact. */
export function Chip({
  tone = "plain",
  icon,
  children,
  className,
}: {
  tone?: Tone;
  icon?: ReactNode;
  children: ReactNode;
  className?: string;
}) {
  return (
    <span
      className={cn(
        "inline-flex h-5 items-center gap-1 rounded-[5px] border px-1.5 text-meta whitespace-nowrap",
        TONES[tone],
        className,
      )}
    >
      {icon}
      {children}
    </span>
  );
}

/** A fact that opens what it rests on. */
export function ChipButton({ icon, children, className, ...rest }: ComponentProps<"button"> & { icon?: ReactNode }) {
  return (
    <button
      type="button"
      {...rest}
      className={cn(
        "inline-flex h-[26px] max-w-[min(100%,380px)] items-center gap-1.5 rounded-[7px] border border-line2 bg-s2 px-2 text-small text-fg hover:bg-s3 aria-expanded:border-moon/50 pointer-coarse:h-9",
        className,
      )}
    >
      {icon}
      <span className="truncate">{children}</span>
    </button>
  );
}
