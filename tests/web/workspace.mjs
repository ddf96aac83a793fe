// Fixes are looked at and decided about: accept, undo, modify, reject with a reason; file, disk and log follow each time.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { axe, check, fits, here, story, until } from "./browsing.mjs";

const LOOP = "payment/worker/loop.py";
const RELEASE = "ctx.redis.connection_pool.release(ctx.redis.connection)";
const PROBE = "<img src=x onerror=\"document.title='broken in'\"> starves the settlement";
const onDisk = (path) => readFileSync(join(here.shop, path), "utf8");

await story(async ({ page, allow }) => {
  await page.goto("/");
  await page.getByRole("link", { name: "Workspace" }).click();
  const fixes = page.getByRole("region", { name: "Fixes", exact: true });
  const log = page.getByRole("region", { name: "Memory log" });
  const code = page.getByRole("textbox", { name: `${LOOP}, code` });
  const release = fixes.getByRole("article", { name: /^Release the redis connection/ });
  const cap = fixes.getByRole("article", { name: /pool_size/ });
  await fixes.getByText("0 of 2 reviewed").waitFor();
  check(page.url().includes(`incident=${here.incident}`), "the address says whose fixes these are");
  await code.getByText("def teardown").waitFor();
  await code.getByText(/^Broke .* before/).first().waitFor();
  await release.getByRole("group", { name: `${LOOP}, after` }).getByText(RELEASE).waitFor();
  await log.getByText("Nobody has decided about a fix here yet").waitFor();
  await axe(page, "the workspace");

  // Accept: the file changes before one's eyes, on disk, and the log knows.
  await release.getByRole("button", { name: "Accept", exact: true }).click();
  await code.getByText(RELEASE).waitFor();
  check(onDisk(LOOP).includes(RELEASE), "what was accepted is in the file");
  await log.getByRole("button", { name: /^Accepted: Release the redis/ }).waitFor();
  await fixes.getByText("1 of 2 reviewed").waitFor();
  await page.getByText("1 not committed").waitFor();

  // Undo, from what told of it.
  await page.getByRole("status").getByRole("button", { name: "Undo" }).first().click();
  await page.getByText("Taken back: everything is as it was.").waitFor();
  await until(() => !onDisk(LOOP).includes(RELEASE), "the file is as it was");
  await until(async () => (await code.innerText()).includes("def teardown") && !(await code.innerText()).includes(RELEASE), "the file on the page, too");
  await log.getByRole("button", { name: /^Taken back: Release the redis/ }).waitFor();

  // Modify: the right side is edited where it stands.
  await release.getByRole("button", { name: "Modify" }).click();
  await release.getByText("editing").waitFor();
  await axe(page, "a card that is modified");
  const after = release.getByRole("textbox", { name: `${LOOP}, after` });
  await after.getByText(RELEASE).click();
  await page.keyboard.press("Home");
  await page.keyboard.type("# given back by hand\n");
  await release.getByRole("button", { name: "Accept my version" }).click();
  await code.getByText("# given back by hand").waitFor();
  check(onDisk(LOOP).includes(`        # given back by hand\n        ${RELEASE}\n`), "my version is in the file, as deep as the rest");
  await log.getByRole("button", { name: /^Accepted with changes: Release/ }).waitFor();

  // Reject with a reason: it is gone from the deck, and others are warned.
  await cap.getByRole("button", { name: /pool_size/ }).click();
  await page.waitForURL(/production\.toml/);
  await cap.getByRole("button", { name: "Reject" }).click();
  await cap.getByLabel("Why not?").fill(PROBE);
  check(await cap.getByLabel("Tell others: don't try").isChecked(), "a reason is told to others");
  await axe(page, "a card that is rejected");
  await cap.getByRole("button", { name: "Reject" }).click();
  await cap.waitFor({ state: "detached" });
  await fixes.getByText("2 of 2 reviewed").waitFor();
  await log.getByText(PROBE).waitFor();
  check((await page.title()) !== "broken in", "what somebody typed is text");
  await fixes.getByText(/held back/).click();
  await fixes.getByText(/starves the settlement/).first().waitFor();
  check(onDisk("config/production.toml").includes("pool_size = 200"), "what was rejected changed nothing");

  // The log: filters with counts, in the address; one decision whole.
  await log.getByRole("radio", { name: /^Rejected 1/ }).click();
  await page.waitForURL(/log=rejected/);
  await until(async () => (await log.getByRole("listitem").count()) === 1, "only what was rejected is listed");
  await log.getByRole("button", { name: /^Rejected: / }).click();
  const sheet = page.getByRole("dialog");
  await sheet.getByText("pool_size = 20", { exact: false }).first().waitFor();
  await page.waitForURL(/entry=fix-/);
  await page.reload();
  await sheet.getByText("pool_size = 20", { exact: false }).first().waitFor();
  await axe(page, "a decision of the past");
  await sheet.getByRole("button", { name: "Take it back" }).click();
  await cap.waitFor();
  await log.getByText("Nothing was rejected.").waitFor();
  await log.getByRole("radio", { name: /^All/ }).click();

  // Files that are dropped: each says what became of it.
  const dropped = await page.evaluateHandle(() => {
    const transfer = new DataTransfer();
    transfer.items.add(new File(["02:13 reset by peer\n"], "outage.log"));
    transfer.items.add(new File(["another\n"], "README.md"));
    transfer.items.add(new File([new Uint8Array([0, 255, 254])], "core.bin"));
    return transfer;
  });
  await page.getByRole("region", { name: "Workspace shop" }).dispatchEvent("drop", { dataTransfer: dropped });
  allow(/status of 412/);
  const added = page.getByRole("region", { name: "Files that were added" });
  await added.getByText("1 of 3 added").waitFor();
  await added.getByText("It is there already").waitFor();
  await added.getByText("It is no text.").waitFor();
  check(onDisk("outage.log") === "02:13 reset by peer\n", "the log is there");
  await page.getByRole("button", { name: /^outage\.log/ }).click();
  await page.getByRole("textbox", { name: "outage.log, code" }).getByText("02:13 reset by peer").waitFor();

  // Everything as it was, for whoever comes next.
  await release.getByRole("button", { name: /^Release the redis/ }).click();
  await release.getByRole("button", { name: "Undo" }).click();
  await until(() => !onDisk(LOOP).includes(RELEASE), "my version is taken back");
  await fixes.getByText("0 of 2 reviewed").waitFor();

  // An archive becomes a workspace of its own; one that reaches outside is refused with the reason.
  allow(/status of 4(?:22|03)/);
  const zip = (name, bytes) => ({ name, mimeType: "application/zip", buffer: Buffer.from(bytes, "base64") });
  await page.getByLabel("Files to add").setInputFiles(zip("trap.zip", here.trap));
  const adding = page.getByRole("dialog", { name: "Add a workspace" });
  await adding.getByRole("button", { name: "Add" }).click();
  await adding.getByRole("alert").waitFor();
  check(/outside|\.\./.test(await adding.getByRole("alert").innerText()), "the refusal says why");
  await axe(page, "an upload that is refused");
  await page.keyboard.press("Escape");
  await page.getByLabel("Files to add").setInputFiles(zip("tools.zip", here.archive));
  await adding.getByRole("button", { name: "Add" }).click();
  await page.waitForURL(/name=tools/);
  await page.getByRole("button", { name: "run.py" }).click();
  await page.getByText("'<b>hello</b>'").waitFor();
  await page.getByRole("combobox", { name: "Workspace" }).selectOption("shop");
  await page.getByRole("list", { name: "Files", exact: true }).getByText("outage.log").waitFor();

  // On a phone: one part at a time, and it fits.
  await page.setViewportSize({ width: 390, height: 844 });
  for (const part of ["Files", "Fixes", "Log", "Code"]) {
    await page.getByRole("radio", { name: new RegExp(`^${part}`) }).first().click();
    await fits(page, `${part} on a phone`);
  }
});
