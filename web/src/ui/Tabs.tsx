import { ToggleGroup } from "radix-ui";
import type { ReactNode } from "react";

interface TabsProps<T extends string> {
  value: T;
  choose: (value: T) => void;
  label: string;
  options: readonly { value: T; label: ReactNode; count?: number }[];
}

/** One of a few ways to look at the same thing. */
export function Tabs<T extends string>({ value, choose, label, options }: TabsProps<T>) {
  return (
    <ToggleGroup.Root
      type="single"
      value={value}
      onValueChange={(next) => next && choose(next as T)}
      aria-label={label}
      data-screen
      className="inline-flex max-w-full flex-wrap items-center gap-0.5"
    >
      {options.map((one) => (
        <ToggleGroup.Item
          key={one.value}
          value={one.value}
          className="inline-flex h-6 items-center gap-1.5 rounded-[6px] px-2 text-small whitespace-nowrap text-fg2 hover:text-fg data-[state=on]:bg-s3 data-[state=on]:text-fg pointer-coarse:h-9"
        >
          {one.label}
          {one.count !== undefined && <span className="text-fg3">{one.count.toLocaleString("en")}</span>}
        </ToggleGroup.Item>
      ))}
    </ToggleGroup.Root>
  );
}
