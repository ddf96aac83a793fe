import { type ComponentProps, type ReactNode, useId } from "react";
import { cn } from "@/lib/cn";
import { Kbd } from "./Kbd";

type Look = "primary" | "plain" | "quiet" | "danger";

const LOOKS: Record<Look, string> = {
  primary: "border-transparent bg-moon text-ink hover:brightness-110",
  plain: "border-line2 bg-s2 text-fg hover:bg-s3",
  quiet: "border-transparent text-fg2 hover:bg-s3 hover:text-fg",
  danger: "border-line2 bg-s2 text-coral hover:bg-s3",
};

const SIZES = {
  small: "h-6 px-2 text-small pointer-coarse:h-8",
  usual: "h-7 px-2.5 pointer-coarse:h-9",
  icon: "size-7 pointer-coarse:size-9",
};

export interface ButtonProps extends Omit<ComponentProps<"button">, "title"> {
  look?: Look;
  icon?: ReactNode;
  /** The key that does the same; the page registers it. */
  keys?: string;
  /** Why it cannot be pressed now. It stays focusable, and says so. */
  whyNot?: string;
  /** What it is called, on hover: for a picture without words. */
  hint?: string;
  isBusy?: boolean;
  size?: "small" | "usual" | "icon";
}

export function Button({
  look = "plain",
  icon,
  keys,
  whyNot = "",
  hint,
  isBusy = false,
  size = "usual",
  className,
  children,
  onClick,
  ...rest
}: ButtonProps) {
  const reason = useId();
  const isOff = Boolean(whyNot) || isBusy;
  return (
    <button
      type="button"
      {...rest}
      aria-disabled={isOff || undefined}
      aria-busy={isBusy || undefined}
      aria-describedby={whyNot ? reason : rest["aria-describedby"]}
      title={whyNot || hint}
      onClick={(event) => {
        if (isOff) event.preventDefault();
        else onClick?.(event);
      }}
      className={cn(
        "inline-flex shrink-0 items-center justify-center gap-1.5 rounded-[7px] border font-medium whitespace-nowrap transition-colors",
        SIZES[size],
        LOOKS[look],
        isOff && "cursor-not-allowed opacity-55",
        className,
      )}
    >
      {icon}
      {children}
      {keys && <Kbd keys={keys} />}
      {whyNot && (
        <span id={reason} className="sr-only">
          {whyNot}
        </span>
      )}
    </button>
  );
}

/** A button that is a picture only, with its name for those who do not see it and for those who wonder. */
export function IconButton({ label, children, ...rest }: Omit<ButtonProps, "icon"> & { label: string }) {
  return (
    <Button look="quiet" size="icon" aria-label={label} hint={label} {...rest}>
      {children}
    </Button>
  );
}
