import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useRef, useState } from "react";
import { useAct } from "@/api/acting";
import type { Schemas } from "@/api/client";
import type { Failure } from "@/api/failure";
import { useWhyNot } from "@/api/session";
import { upload } from "@/api/uploading";
import { usePlace } from "@/lib/place";
import { tell } from "@/lib/toasts";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { TextField } from "@/ui/Field";
import { Tabs } from "@/ui/Tabs";
import { type Arriving, chosenFiles, isArchive, UPLOAD_BYTES_MAX, workspaceName } from "./arriving";

type Way = "upload" | "folder" | "clone";

interface AddDialogProps {
  /** What was dropped already. */
  dropped: readonly Arriving[];
  /** Workspaces that an upload may replace: those that were uploaded. */
  uploaded: readonly string[];
  close: () => void;
  added: (name: string) => void;
}

/** Code to look at and to propose changes for: uploaded, a folder of the server, or a repository. */
export default function AddDialog({ dropped, uploaded, close, added }: AddDialogProps) {
  const [way, setWay] = useState<Way>("upload");
  const [files, setFiles] = useState(dropped);
  const [name, setName] = useState(dropped[0] ? workspaceName(dropped[0].path.split("/")[0] ?? "") : "");
  const [from, setFrom] = useState("");
  const whyNot = useWhyNot("maintain");
  const sending = useUpload(added);
  const add = useAct("post", "/api/v1/workspaces", {
    done: (made) => `${made.name} is there.`,
    after: (made) => added(made.name),
    isQuiet: true,
  });
  const failure = way === "upload" ? sending.failure : add.error;
  const bytes = files.reduce((sum, one) => sum + one.file.size, 0);
  const tooLarge = way === "upload" && bytes > UPLOAD_BYTES_MAX ? "More than 100 MB is not taken at once." : "";
  const replaced = way === "upload" && uploaded.includes(name);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (whyNot || tooLarge || !name) return;
    if (way === "upload") void sending.start(name, files);
    else add.mutate({ body: { name, path: way === "folder" ? from : "", url: way === "clone" ? from : "" } });
  };
  const isReady = way === "upload" ? files.length > 0 : from !== "";
  return (
    <Dialog isOpen close={close} title="Add a workspace" about="Code that fixes are proposed for.">
      <form onSubmit={submit} className="flex flex-col gap-3">
        <Tabs
          label="Where the code comes from"
          value={way}
          choose={setWay}
          options={[
            { value: "upload", label: "Upload" },
            { value: "folder", label: "A folder of the server" },
            { value: "clone", label: "A repository" },
          ]}
        />
        {way === "upload" && (
          <Chosen
            files={files}
            choose={(some) => {
              setFiles(some);
              if (!name && some[0]) setName(workspaceName(some[0].path.split("/")[0] ?? ""));
            }}
          />
        )}
        {way !== "upload" && (
          <TextField
            label={way === "folder" ? "Its path on the server" : "Its https address"}
            hint={
              way === "folder"
                ? "Below a folder that the setting workspace_roots lists."
                : "Where the setting workspace_clones is on."
            }
            value={from}
            onChange={(event) => setFrom(event.target.value)}
          />
        )}
        <TextField
          label="Name"
          value={name}
          maxLength={100}
          onChange={(event) => setName(event.target.value)}
          hint={replaced ? `All files of ${name} are replaced; they stay in its history.` : "As it is called here."}
        />
        {sending.share !== null && (
          <progress aria-label="Sent so far" value={sending.share} max={1} className="w-full accent-(--moon)" />
        )}
        {(failure || tooLarge) && (
          <p role="alert" className="text-coral">
            {tooLarge || `${failure?.detail} ${failure?.remedy}`}
          </p>
        )}
        <div className="flex justify-end gap-2">
          <Button onClick={close}>Cancel</Button>
          <Button
            type="submit"
            look="primary"
            whyNot={whyNot || (isReady && name ? "" : "Say what to add, and its name.")}
            isBusy={sending.share !== null || add.isPending}
          >
            {replaced ? "Replace" : "Add"}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

function Chosen({ files, choose }: { files: readonly Arriving[]; choose: (files: readonly Arriving[]) => void }) {
  const [one, folder] = [useRef<HTMLInputElement>(null), useRef<HTMLInputElement>(null)];
  const picked = (list: FileList | null) => list && choose(chosenFiles(list));
  return (
    <div className="flex flex-wrap items-center gap-2">
      <input
        ref={one}
        type="file"
        multiple
        aria-label="Files or a .zip"
        className="hidden"
        onChange={(event) => picked(event.target.files)}
      />
      <input
        ref={folder}
        type="file"
        aria-label="A folder"
        className="hidden"
        {...{ webkitdirectory: "" }}
        onChange={(event) => picked(event.target.files)}
      />
      <Button onClick={() => one.current?.click()}>Files or a .zip</Button>
      <Button onClick={() => folder.current?.click()}>A folder</Button>
      <span role="status" className="min-w-0 truncate text-small text-fg2">
        {files.length === 0 ? "Nothing chosen yet" : files.length === 1 ? files[0]?.path : `${files.length} files`}
      </span>
    </div>
  );
}

function useUpload(added: (name: string) => void) {
  const { space } = usePlace();
  const queries = useQueryClient();
  const [share, setShare] = useState<number | null>(null);
  const [failure, setFailure] = useState<Failure | null>(null);
  const start = async (name: string, files: readonly Arriving[]) => {
    setFailure(null);
    setShare(0);
    const archive = files.length === 1 && files[0] && isArchive(files[0].file) ? files[0].file : null;
    const form = new FormData();
    if (!archive) for (const { path, file } of files) form.append("files", file, path);
    // Whatever is packed or dropped as one folder has that folder around it.
    const tops = new Set(files.map(({ path }) => (path.includes("/") ? path.split("/")[0] : "")));
    const hasTop = archive !== null || (tops.size === 1 && !tops.has(""));
    const path = `/api/v1/workspaces/${encodeURIComponent(name)}/upload`;
    const send = (query: string) =>
      upload<Schemas["UploadedTold"]>(`${path}${query}`, space, archive ?? form, setShare);
    try {
      const made = await (hasTop
        ? send("?drop_top=true").catch((error: Failure) =>
            // Only the service sees into an archive: this one has its files beside one another.
            error.field === "drop_top" ? send("") : Promise.reject(error),
          )
        : send(""));
      await queries.invalidateQueries();
      tell(`${made.workspace.name} has ${made.files} ${made.files === 1 ? "file" : "files"}.`, { tone: "good" });
      added(made.workspace.name);
    } catch (error) {
      setFailure(error as Failure);
    } finally {
      setShare(null);
    }
  };
  return { share, failure, start };
}
