import type { Schemas } from "@/api/client";
import { Snippet } from "@/ui/CopyButton";
import { Diff } from "@/ui/Diff";

type Fix = Pick<Schemas["Advice"], "command" | "config" | "diff">;

/** With what a fix is applied, whole and ready to be copied: the command, the setting, the diff. */
export function Means({ fix }: { fix: Fix }) {
  return (
    <>
      {fix.command && <Snippet text={fix.command} what="command" isWrapped />}
      {fix.config && <Snippet text={fix.config} what="setting" isWrapped />}
      {fix.diff && <Diff text={fix.diff} />}
    </>
  );
}
