// Builds once more, elsewhere, and fails unless the committed bundle is byte for byte what its sources make.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { build } from "vite";
import { files, stamp } from "./pack.mjs";

const web = fileURLToPath(new URL("..", import.meta.url));
const kept = fileURLToPath(new URL("../../src/hindcast/static", import.meta.url));
const made = mkdtempSync(join(tmpdir(), "hindcast-web-"));
// How small a library makes a file differs between its versions; what comes out again does not.
const PACKED = { ".br": brotliDecompressSync, ".gz": gunzipSync };

function offences() {
  const names = (folder) => files(folder).map((path) => relative(folder, path));
  const wanted = new Set(names(made));
  const found = names(kept).filter((name) => name !== ".stamp" && !/\.(?:br|gz)$/.test(name));
  const wrong = [
    ...found.filter((name) => !wanted.has(name)).map((name) => `${name} is not made by these sources`),
    ...[...wanted].filter((name) => !found.includes(name)).map((name) => `${name} is missing`),
    ...found
      .filter((name) => wanted.has(name) && !readFileSync(join(kept, name)).equals(readFileSync(join(made, name))))
      .map((name) => `${name} differs`),
  ];
  for (const name of names(kept)) {
    const unpack = PACKED[name.slice(-3)];
    if (unpack && !unpack(readFileSync(join(kept, name))).equals(readFileSync(join(kept, name.slice(0, -3))))) {
      wrong.push(`${name} holds something else than ${name.slice(0, -3)}`);
    }
  }
  if (readFileSync(join(kept, ".stamp"), "utf8").trim() !== stamp()) wrong.push(".stamp is of other sources");
  return wrong;
}

try {
  await build({ root: web, logLevel: "error", build: { outDir: made, emptyOutDir: true } });
  const wrong = offences();
  if (wrong.length > 0) {
    console.error(`src/hindcast/static is not what web/ makes. Run make web and commit it.\n${wrong.join("\n")}`);
    process.exitCode = 1;
  }
} finally {
  rmSync(made, { recursive: true, force: true });
}
