import { areSingleKeysOn, written } from "@/lib/keys";
import { useStore } from "@/lib/store";

/** A key as it is written on a button. Not shown to fingers or while single keys are switched off, and never read aloud. */
export function Kbd({ keys }: { keys: string }) {
  const isOn = useStore(areSingleKeysOn);
  if (!isOn && !keys.includes("mod+") && keys !== "escape") return null;
  return (
    <span
      aria-hidden="true"
      className="font-mono pointer-coarse:hidden rounded-[5px] border border-current/25 px-1 text-[10px] leading-[15px] font-normal"
    >
      {written(keys)}
    </span>
  );
}
