import { type ReactNode, useId } from "react";
import { cn } from "@/lib/cn";

interface CardProps {
  title?: ReactNode;
  /** Beside the title: a link to all of it, a filter. */
  aside?: ReactNode;
  /** A small grey title for rails, a whole head with a line for the middle of a page. */
  head?: "small" | "line";
  children?: ReactNode;
  className?: string;
  bodyClassName?: string;
}

export function Card({ title, aside, head = "small", children, className, bodyClassName }: CardProps) {
  const name = useId();
  return (
    <section
      aria-labelledby={title ? name : undefined}
      className={cn("min-w-0 rounded-card border border-line bg-s1", className)}
    >
      {title && (
        <div
          className={cn("flex items-center gap-3 px-4", head === "line" ? "h-10 border-b border-line" : "pt-3.5 pb-1")}
        >
          <h2
            id={name}
            className={cn("min-w-0 flex-1 truncate", head === "line" ? "font-semibold" : "text-small text-fg2")}
          >
            {title}
          </h2>
          {aside}
        </div>
      )}
      <div className={bodyClassName ?? "px-4 pb-3.5"}>{children}</div>
    </section>
  );
}
