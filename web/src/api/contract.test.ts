import { readFileSync } from "node:fs";
import { join } from "node:path";
import openapiTS, { astToString, COMMENT_HEADER } from "openapi-typescript";
import { expect, test } from "vitest";
import { MOMENTARY } from "./reading";

const DOCUMENT = join(import.meta.dirname, "../../../docs/reference/openapi.json");
const document = JSON.parse(readFileSync(DOCUMENT, "utf8"));

test("the types are what the API's description says; `npm run gen:api` writes them", async () => {
  const made = COMMENT_HEADER + astToString(await openapiTS(document));
  expect(readFileSync(join(import.meta.dirname, "schema.d.ts"), "utf8") === made).toBe(true);
});

test("every read that can be of any moment gets the moment of the page", () => {
  type Operation = { get?: { parameters?: { name: string }[] } };
  const found = Object.entries(document.paths as Record<string, Operation>)
    // A file of a workspace has a revision of its own, which is no moment of memory: it knows no branch.
    .filter(([, item]) => {
      const names = item.get?.parameters?.map((one) => one.name) ?? [];
      return names.includes("at") && names.includes("branch");
    })
    .map(([path]) => path);
  expect(found.sort()).toEqual([...MOMENTARY].sort());
});
