// The workspace by keyboard alone: cards, a file by its name, blame, the whole diff, editing, a stale card, the light theme.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { axe, check, here, keyboard, ours, story, until } from "./browsing.mjs";

const LOOP = "payment/worker/loop.py";
const RELEASE = "ctx.redis.connection_pool.release(ctx.redis.connection)";
const onDisk = (path) => readFileSync(join(here.shop, path), "utf8");

await story(
  async ({ page }) => {
    await page.goto("/");
    await page.getByRole("link", { name: "Workspace" }).waitFor();
    await page.keyboard.press("g");
    await page.keyboard.press("w");
    const fixes = page.getByRole("region", { name: "Fixes", exact: true });
    const log = page.getByRole("region", { name: "Memory log" });
    const code = page.getByRole("textbox", { name: `${LOOP}, code` });
    await fixes.getByText("0 of 2 reviewed").waitFor();
    await fixes.getByRole("group", { name: `${LOOP}, after` }).getByText(RELEASE).waitFor();
    await axe(page, "the workspace, light");

    // Every key is told.
    await page.keyboard.press("?");
    const keys = page.getByRole("dialog", { name: "Keys" });
    for (const one of ["Accept the fix", "Reject the fix", "Modify the fix", "The whole diff", "Find a file", "Save the file"]) await keys.getByText(one).waitFor();
    await page.keyboard.press("Escape");
    await keys.waitFor({ state: "detached" });

    // Back and forth between cards: the file goes along.
    await page.keyboard.press("j");
    await page.waitForURL(/production\.toml/);
    await page.getByText("Fix 2 of 2").waitFor();
    await page.keyboard.press("k");
    await page.getByText("Fix 1 of 2").waitFor();
    await code.getByText("def teardown").waitFor();

    // The whole diff, and who touched which line.
    await page.keyboard.press("d");
    await page.getByRole("region", { name: "The whole change" }).getByText("unchanged lines").first().waitFor();
    await axe(page, "the whole diff");
    await page.keyboard.press("Escape");
    await page.getByRole("region", { name: "The whole change" }).waitFor({ state: "detached" });
    await page.keyboard.press("b");
    await page.getByText(/^sven, /).first().waitFor();
    await page.keyboard.press("b");

    // A file by its name, and back to the card.
    await page.keyboard.press("t");
    await until(async () => (await page.evaluate(() => document.activeElement?.getAttribute("aria-label") ?? "")).startsWith("Find a file"), "the box is ready");
    await page.keyboard.type("staging");
    await page.getByRole("list", { name: "Files that are called so" }).getByText("staging.toml").waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("textbox", { name: "config/staging.toml, code" }).waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("k");
    await code.getByText("def teardown").waitFor();

    // Searching within the file is fetched by the first who is in it; the key that asks for it waits for it.
    await keyboard(page).tabTo(/loop\.py, code$/);
    await page.keyboard.press("Control+f");
    const find = page.getByRole("textbox", { name: "Find" });
    await find.waitFor();
    await page.keyboard.type("teardown");
    await code.locator(".cm-searchMatch").first().waitFor();
    await axe(page, "searching within a file");
    await page.keyboard.press("Escape");
    await find.waitFor({ state: "detached" });
    await until(async () => (await page.evaluate(() => document.activeElement?.getAttribute("aria-label") ?? "")).endsWith("code"), "focus is back in the file");

    // A card can be decided about again once both it and its file are as they were.
    const ready = () => fixes.getByRole("button", { name: /^Accept/, disabled: false }).first().waitFor();

    // Accept, undo, modify and undo, reject and undo: a letter each.
    await page.keyboard.press("a");
    await log.getByRole("button", { name: /^Accepted: Release/ }).waitFor();
    check(onDisk(LOOP).includes(RELEASE), "what was accepted is in the file");
    await page.keyboard.press("u");
    await until(() => !onDisk(LOOP).includes(RELEASE), "undone by its key");
    await fixes.getByText("0 of 2 reviewed").waitFor();
    await ready();
    await page.keyboard.press("e");
    await until(async () => (await page.evaluate(() => document.activeElement?.getAttribute("aria-label") ?? "")).endsWith("after"), "the right side is ready to type into");
    await page.keyboard.press("Control+End");
    await page.keyboard.press("Control+Home");
    await page.keyboard.type("# looked at twice\n");
    await page.keyboard.press("Control+Enter");
    await log.getByRole("button", { name: /^Accepted with changes/ }).waitFor();
    check(onDisk(LOOP).includes("        # looked at twice\n"), "my version is in the file");
    await page.keyboard.press("u");
    await until(() => !onDisk(LOOP).includes("looked at twice"), "undone by its key");
    await fixes.getByText("0 of 2 reviewed").waitFor();
    await ready();
    await page.keyboard.press("r");
    await page.keyboard.type("not now");
    await page.keyboard.press("Enter");
    await log.getByText("not now").waitFor();
    await page.keyboard.press("u");
    await fixes.getByText("0 of 2 reviewed").waitFor();

    // Edit, save, undo. What was taken back is what is looked at again.
    await code.getByText("def teardown").waitFor();
    await page.keyboard.press("i");
    await until(async () => (await page.evaluate(() => document.activeElement?.isContentEditable)) === true, "the file can be typed into");
    await page.keyboard.press("Control+Home");
    await page.keyboard.type("# a note\n");
    await page.getByText("Not saved", { exact: true }).waitFor();
    await page.keyboard.press("Control+s");
    await page.getByText(`${LOOP} is saved.`).waitFor();
    check(onDisk(LOOP).startsWith("# a note\n"), "what was saved is on disk");
    await page.keyboard.press("Escape");
    await page.keyboard.press("u");
    await until(() => !onDisk(LOOP).startsWith("# a note"), "saving is undone, too");

    // Somebody else changes the file while the new deck is still on its way: the card says so, and waits.
    await page.getByText("Taken back: the file is as it was.").waitFor();
    await fixes.getByRole("group", { name: `${LOOP}, after` }).getByText(RELEASE).waitFor();
    let arrive;
    const arriving = new Promise((resolve) => {
      arrive = resolve;
    });
    await page.route("**/api/v1/incidents/*/cards*", async (route) => {
      await arriving;
      await route.continue();
    });
    const known = await (await page.request.get(`/api/v1/workspaces/shop/file?path=${LOOP}`)).json();
    const changed = await page.request.put(`/api/v1/workspaces/shop/file?path=${LOOP}`, {
      headers: { "If-Match": `"${known.digest}"`, ...(await ours(page)) },
      data: { text: `# somebody else was here\n${known.text}` },
    });
    check(changed.ok(), `somebody else changes it: ${await changed.text()}`);
    await fixes.getByText("The file has changed since this was made.").waitFor();
    check((await fixes.getByRole("button", { name: /^Accept/ }).first().getAttribute("aria-disabled")) === "true", "nobody accepts what does not fit");
    await page.keyboard.press("a");
    await axe(page, "a card that is stale");
    check(!onDisk(LOOP).includes(RELEASE), "its key does nothing either");
    await keyboard(page).tabTo(/^Check again/);
    await page.keyboard.press("Enter");
    await page.getByText("Checked again").waitFor();
    arrive();
    await fixes.getByText("The file has changed since this was made.").waitFor({ state: "detached" });
    await page.keyboard.press("a");
    await until(() => onDisk(LOOP).includes(RELEASE), "made for the file as it is now, it is accepted");
    check(onDisk(LOOP).startsWith("# somebody else was here"), "and what somebody else did stays");

    // Nothing is decided about, for whoever comes next.
    await log.getByRole("button", { name: /^Accepted: Release/ }).first().waitFor();
    await fixes.getByText("1 of 2 reviewed").waitFor();
    await page.keyboard.press("u");
    await until(() => !onDisk(LOOP).includes(RELEASE), "undone by its key");
    await fixes.getByText("0 of 2 reviewed").waitFor();
  },
  { colorScheme: "light" },
);
