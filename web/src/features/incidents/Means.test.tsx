import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import { Means } from "./Means";

const COMMAND =
  "psql -c \"select pg_terminate_backend(pid) from pg_stat_activity where state = 'idle in transaction'\"";
const DIFF = "--- a/loop.py\n+++ b/loop.py\n@@ -1 +1,2 @@\n run(task)\n+release(connection)";

test("the command of a fix is there whole and is copied as it is", async () => {
  const person = userEvent.setup();
  render(<Means fix={{ command: COMMAND, config: "", diff: "" }} />);
  expect(screen.getByText(COMMAND).closest("details, [hidden]")).toBeNull();
  await person.click(screen.getByRole("button", { name: "Copy command" }));
  expect(await navigator.clipboard.readText()).toBe(COMMAND);
});

test("a setting and a diff are there whole and are copied as they are", async () => {
  const person = userEvent.setup();
  render(<Means fix={{ command: "", config: "POOL_SIZE=20", diff: DIFF }} />);
  expect(screen.getByText("+release(connection)")).toBeTruthy();
  await person.click(screen.getByRole("button", { name: "Copy setting" }));
  expect(await navigator.clipboard.readText()).toBe("POOL_SIZE=20");
  await person.click(screen.getByRole("button", { name: "Copy diff" }));
  expect(await navigator.clipboard.readText()).toBe(DIFF);
});

test("a fix that is words only has nothing to copy", () => {
  render(<Means fix={{ command: "", config: "", diff: "" }} />);
  expect(screen.queryByRole("button")).toBeNull();
});
