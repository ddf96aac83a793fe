import { type KeyboardEvent, type ReactNode, useRef } from "react";

interface TabsProps<T extends string> {
  value: T;
  choose: (value: T) => void;
  label: string;
  options: readonly { value: T; label: ReactNode; count?: number }[];
}

/**
 * One of a few ways to look at the same thing. Tab reaches the one that is chosen, arrows the others; choosing is done by
 * Enter or Space, because what is chosen is often fetched first.
 */
export function Tabs<T extends string>({ value, choose, label, options }: TabsProps<T>) {
  const box = useRef<HTMLDivElement>(null);
  // Somebody can always come in, also when what is chosen is not among the ways.
  const entrance = options.some((one) => one.value === value) ? value : options[0]?.value;
  const walk = (event: KeyboardEvent) => {
    const all = [...(box.current?.querySelectorAll<HTMLElement>("[role=radio]") ?? [])];
    const next = placeAfter(event.key, all.indexOf(event.target as HTMLElement), all.length);
    if (next === null) return;
    event.preventDefault();
    all[next]?.focus();
  };
  return (
    <div
      ref={box}
      role="radiogroup"
      aria-label={label}
      data-screen
      onKeyDown={walk}
      className="inline-flex max-w-full flex-wrap items-center gap-0.5"
    >
      {options.map((one) => (
        // biome-ignore lint/a11y/useSemanticElements: an input would take the letters that are the keys of the page.
        <button
          key={one.value}
          type="button"
          role="radio"
          aria-checked={one.value === value}
          tabIndex={one.value === entrance ? 0 : -1}
          onClick={() => one.value !== value && choose(one.value)}
          className="inline-flex h-6 items-center gap-1.5 rounded-[6px] px-2 text-small whitespace-nowrap text-fg2 hover:text-fg aria-checked:bg-s3 aria-checked:text-fg pointer-coarse:h-9"
        >
          {one.label}
          {one.count !== undefined && <span className="text-fg3">{one.count.toLocaleString("en")}</span>}
        </button>
      ))}
    </div>
  );
}

/** Where a key leads from a place in a row whose end is followed by its beginning; null: nowhere. */
function placeAfter(key: string, place: number, count: number): number | null {
  if (place < 0) return null;
  if (key === "ArrowRight" || key === "ArrowDown") return (place + 1) % count;
  if (key === "ArrowLeft" || key === "ArrowUp") return (place - 1 + count) % count;
  if (key === "Home") return 0;
  if (key === "End") return count - 1;
  return null;
}
