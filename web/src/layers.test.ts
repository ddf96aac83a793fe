import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { expect, test } from "vitest";

// What each layer may import. A feature knows nothing of another feature: what two of them share belongs below.
const BELOW: Record<string, readonly string[]> = {
  lib: ["lib"],
  api: ["lib", "api"],
  ui: ["lib", "api", "ui"],
  features: ["lib", "api", "ui"],
  app: ["lib", "api", "ui", "features", "app"],
};
const SRC = join(import.meta.dirname);
const IMPORT = /(?:from\s+|import\s*\(?\s*)["'](@\/[^"']+|\.{1,2}\/[^"']+)["']/g;

function sources(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((one) =>
    one.isDirectory() ? sources(join(folder, one.name)) : /\.tsx?$/.test(one.name) ? [join(folder, one.name)] : [],
  );
}

/** What a module imports of ours, as paths below src. */
function imported(path: string, text: string): string[] {
  return [...text.matchAll(IMPORT)].map(([, place = ""]) =>
    place.startsWith("@/") ? place.slice(2) : relative(SRC, join(path, "..", place)),
  );
}

function offences(path: string, text: string): string[] {
  const here = relative(SRC, path).split("/");
  const allowed = BELOW[here[0] ?? ""];
  if (!allowed) return [];
  return imported(path, text)
    .map((place) => place.split("/"))
    .filter(([layer = "", part]) => {
      const isOwn = here[0] === "features" && layer === "features" && part === here[1];
      return layer in BELOW && !isOwn && !allowed.includes(layer);
    })
    .map((place) => `${here.join("/")} imports ${place.join("/")}`);
}

test("imports point downwards, and features do not know one another", () => {
  expect(sources(SRC).flatMap((path) => offences(path, readFileSync(path, "utf8")))).toEqual([]);
});

test("an import that points upwards is found", () => {
  expect(offences(join(SRC, "lib/x.ts"), 'import { a } from "@/ui/Button";')).toHaveLength(1);
  expect(offences(join(SRC, "features/live/x.ts"), 'import { a } from "../overview/y";')).toHaveLength(1);
  expect(offences(join(SRC, "features/live/x.ts"), 'import("./y"); import { a } from "@/ui/Button";')).toEqual([]);
});
