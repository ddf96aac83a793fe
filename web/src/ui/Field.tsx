import { type ComponentProps, type ReactNode, useId } from "react";
import { cn } from "@/lib/cn";

const BOX =
  "w-full rounded-[7px] border border-line2 bg-bg px-2.5 text-base placeholder:text-fg3 focus-visible:outline-offset-0 aria-invalid:border-coral";

interface FieldProps {
  label: string;
  hint?: ReactNode;
  /** What is wrong with it. */
  problem?: string | undefined;
}

function Labelled({ label, hint, problem, id, children }: FieldProps & { id: string; children: ReactNode }) {
  return (
    <div className="flex flex-col gap-1">
      <label htmlFor={id} className="text-small font-medium text-fg2">
        {label}
      </label>
      {children}
      {problem ? (
        <p id={`${id}-why`} role="alert" className="text-small text-coral">
          {problem}
        </p>
      ) : (
        hint && (
          <p id={`${id}-why`} className="text-small text-fg3">
            {hint}
          </p>
        )
      )}
    </div>
  );
}

export function TextField({ label, hint, problem, className, ...rest }: FieldProps & ComponentProps<"input">) {
  const id = useId();
  return (
    <Labelled label={label} hint={hint} problem={problem} id={id}>
      <input
        id={id}
        aria-invalid={problem ? true : undefined}
        aria-describedby={hint || problem ? `${id}-why` : undefined}
        {...rest}
        className={cn(BOX, "h-8 pointer-coarse:h-10", className)}
      />
    </Labelled>
  );
}

export function TextArea({ label, hint, problem, className, ...rest }: FieldProps & ComponentProps<"textarea">) {
  const id = useId();
  return (
    <Labelled label={label} hint={hint} problem={problem} id={id}>
      <textarea
        id={id}
        rows={3}
        aria-invalid={problem ? true : undefined}
        aria-describedby={hint || problem ? `${id}-why` : undefined}
        {...rest}
        className={cn(BOX, "py-1.5", className)}
      />
    </Labelled>
  );
}

export function SelectField({ label, hint, problem, className, ...rest }: FieldProps & ComponentProps<"select">) {
  const id = useId();
  return (
    <Labelled label={label} hint={hint} problem={problem} id={id}>
      <select
        id={id}
        aria-describedby={hint || problem ? `${id}-why` : undefined}
        {...rest}
        className={cn(BOX, "h-8 bg-s1 pointer-coarse:h-10", className)}
      />
    </Labelled>
  );
}

/** A box to type a filter into, named for those who do not see it. */
export function FilterBox({
  label,
  icon,
  className,
  ...rest
}: ComponentProps<"input"> & { label: string; icon?: ReactNode }) {
  return (
    <span className={cn("relative flex min-w-0 items-center", className)}>
      {icon && <span className="pointer-events-none absolute left-2.5 text-fg3">{icon}</span>}
      <input
        type="search"
        aria-label={label}
        placeholder={label}
        {...rest}
        className={cn(BOX, "h-7 text-small pointer-coarse:h-9", icon && "pl-8")}
      />
    </span>
  );
}
