/** Files that somebody drops or chooses, with their paths below what was dropped. */
export interface Arriving {
  path: string;
  file: File;
}

/** A file of this size is refused by the service; said before it is sent. */
export const TEXT_BYTES_MAX = 4_000_000;
export const UPLOAD_BYTES_MAX = 100_000_000;
const FILES_MAX = 20_000;
// What nobody means to send along with a folder.
const LEFT_OUT = /(?:^|\/)(?:\.git|node_modules|\.venv|__pycache__)(?:\/|$)/;

export function isArchive(file: Pick<File, "name">): boolean {
  return /\.zip$/i.test(file.name);
}

/** A name for a workspace, made from the name of what was dropped. */
export function workspaceName(given: string): string {
  const name = given
    .replace(/\.zip$/i, "")
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, "-")
    .replace(/^[^a-z0-9]+|[^a-z0-9]+$/g, "");
  return name.slice(0, 60) || "code";
}

/** What a text file holds; null: it is no text. */
export async function textOf(file: Blob): Promise<string | null> {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer());
    return text.includes("\u0000") ? null : text.replaceAll("\r\n", "\n");
  } catch {
    return null;
  }
}

export function chosenFiles(files: Iterable<File>): Arriving[] {
  return [...files]
    .map((file) => ({ path: file.webkitRelativePath || file.name, file }))
    .filter(({ path }) => !LEFT_OUT.test(path));
}

/** What was dropped, folders with everything in them. Entries have to be taken before anything is awaited. */
export async function droppedFiles(transfer: DataTransfer): Promise<Arriving[]> {
  const entries = [...transfer.items].flatMap((item) => item.webkitGetAsEntry?.() ?? []);
  if (entries.length === 0) return chosenFiles(transfer.files);
  const found: Arriving[] = [];
  for (const entry of entries) await walk(entry, found);
  return found;
}

async function walk(entry: FileSystemEntry, found: Arriving[]): Promise<void> {
  const path = entry.fullPath.replace(/^\//, "");
  if (LEFT_OUT.test(path) || found.length >= FILES_MAX) return;
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject));
    found.push({ path, file });
    return;
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  for (;;) {
    // A browser tells a hundred at a time, and none at the end.
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) return;
    for (const one of some) await walk(one, found);
  }
}

/** The path of a file that is added to a folder of a workspace. */
export function below(folder: string, path: string): string {
  return folder ? `${folder}/${path}` : path;
}
