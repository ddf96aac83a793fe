// After `vite build`: compresses what was built, and writes down which sources it was built from.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const web = fileURLToPath(new URL("..", import.meta.url));
const built = fileURLToPath(new URL("../../src/hindcast/static", import.meta.url));
// Fonts and pictures are compressed already.
const COMPRESSED = /\.(?:js|css|html|svg|json)$/;
const SMALLEST_BYTES = 512;

export function files(folder) {
  return readdirSync(folder, { withFileTypes: true })
    .flatMap((one) => (one.isDirectory() ? files(join(folder, one.name)) : [join(folder, one.name)]))
    .sort();
}

/** What the bundle is made from: changing any of it changes the stamp. Types and tests leave no trace in it. */
export function stamp() {
  const sources = [
    ...["index.html", "package.json", "package-lock.json", "tsconfig.json", "vite.config.ts"].map((name) =>
      join(web, name),
    ),
    ...["src", "public", "scripts"].flatMap((name) => files(join(web, name))),
  ].filter((path) => !/\.(?:test\.tsx?|d\.ts)$/.test(path));
  const hash = createHash("sha256");
  for (const path of sources.sort()) {
    hash.update(`${relative(web, path)}\0`);
    hash.update(createHash("sha256").update(readFileSync(path)).digest());
  }
  return hash.digest("hex");
}

function pack() {
  for (const path of files(built)) {
    if (!COMPRESSED.test(path) || path.includes("/.vite/") || statSync(path).size < SMALLEST_BYTES) continue;
    const content = readFileSync(path);
    const brotli = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: content.length };
    writeFileSync(`${path}.br`, brotliCompressSync(content, { params: brotli }));
    const zipped = gzipSync(content, { level: 9 });
    // The ninth byte of the header says which system made it.
    zipped[9] = 255;
    writeFileSync(`${path}.gz`, zipped);
  }
  writeFileSync(join(built, ".stamp"), `${stamp()}\n`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) pack();
