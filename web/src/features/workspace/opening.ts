import { useEffect, useState } from "react";
import { useAct } from "@/api/acting";
import { useRead } from "@/api/reading";
import { keep, kept } from "@/lib/kept";
import { usePlace } from "@/lib/place";
import { keepDraft, useDrafts } from "./drafts";

const FILE = "/api/v1/workspaces/{name}/file";

/** A file that is open: as it lies there, what was typed and not saved, and saving it. */
export function useOpenFile(name: string, path: string) {
  const { space } = usePlace();
  const file = useRead(FILE, { path: { name }, query: { path } }, { isOn: name !== "" && path !== "" });
  const key = `${space}/${name}/${path}`;
  const draft = useDrafts().get(key);
  const [saved, setSaved] = useState<{ key: string; at: Date } | null>(null);
  const revert = useAct("put", FILE, { done: "Taken back: the file is as it was." });
  const save = useAct("put", FILE, {
    done: `${path} is saved.`,
    undo: (made, said) => () => {
      if (made.undo_text !== null && said.path)
        revert.mutate({
          path: said.path,
          query: { path: made.path },
          body: { text: made.undo_text },
          ifMatch: quoted(made.digest),
        });
    },
    after: () => {
      keepDraft(key, null);
      setSaved({ key, at: new Date() });
    },
  });
  const digest = file.data?.digest ?? "";
  return {
    file,
    text: draft?.text ?? file.data?.text ?? "",
    isUnsaved: draft !== undefined,
    /** Somebody changed the file since the typing began. */
    isBehind: draft !== undefined && digest !== "" && draft.digest !== digest,
    savedAt: saved?.key === key ? saved.at : null,
    type: (text: string) => keepDraft(key, text === file.data?.text ? null : { text, digest: draft?.digest ?? digest }),
    drop: () => keepDraft(key, null),
    /** Go on with what was typed, for the file as it is now. */
    rebase: () => draft && keepDraft(key, { ...draft, digest }),
    save: () => {
      if (draft && !save.isPending)
        save.mutate({ path: { name }, query: { path }, body: { text: draft.text }, ifMatch: quoted(draft.digest) });
    },
  };
}

export type OpenFile = ReturnType<typeof useOpenFile>;

function quoted(digest: string): string {
  return `"${digest}"`;
}

const TABS_MAX = 12;

/** The files that are open, as this browser remembers them. */
export function useTabs(name: string, path: string): { tabs: readonly string[]; close: (path: string) => void } {
  const { space } = usePlace();
  const key = `tabs.${space}/${name}`;
  const [tabs, setTabs] = useState<readonly string[]>([]);
  useEffect(() => setTabs(kept(key).split("\n").filter(Boolean)), [key]);
  useEffect(() => {
    if (path) setTabs((known) => (known.includes(path) ? known : [...known, path].slice(-TABS_MAX)));
  }, [path]);
  useEffect(() => {
    if (tabs.length > 0) keep(key, tabs.join("\n"));
  }, [key, tabs]);
  return { tabs, close: (one) => setTabs((known) => known.filter((other) => other !== one)) };
}
