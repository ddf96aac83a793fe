// Panes are moved and stay so; what was mended before; a fix on a branch of its own; folders, archives and addresses that arrive.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { axe, check, fits, here, story, until } from "./browsing.mjs";

const LOOP = "payment/worker/loop.py";
const RELEASE = "ctx.redis.connection_pool.release(ctx.redis.connection)";
const onDisk = (path) => readFileSync(join(here.shop, path), "utf8");
const git = (...words) => execFileSync("git", ["-C", here.shop, ...words], { encoding: "utf8" });
const bag = mkdtempSync(join(tmpdir(), "hindcast-story-"));

await story(async ({ page, context, allow }) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.goto("/workspace");
  const fixes = page.getByRole("region", { name: "Fixes", exact: true });
  const log = page.getByRole("region", { name: "Memory log" });
  const files = page.getByRole("region", { name: "Files", exact: true });
  const edge = (name) => page.getByRole("separator", { name });
  const width = async (part) => Math.round((await part.boundingBox()).width);
  const height = async (part) => Math.round((await part.boundingBox()).height);
  await fixes.getByText("0 of 2 reviewed").waitFor();

  // Memory comes first: when it was mended, by whom, and until when that held.
  await fixes.getByText(/^Your team hit this 6 weeks ago.*Fixed on .* by priya.*, held until/).waitFor();
  await page.getByRole("textbox", { name: `${LOOP}, code` }).getByText("def teardown").waitFor();
  check(await fixes.getByText(/held until/).evaluate((one) => one.getBoundingClientRect().top > 30), "it is in sight");

  // Whatever is written above it: what can be decided about the chosen card is in sight, also while it is being modified.
  const inSight = (name) =>
    fixes.getByRole("button", { name }).first().evaluate((one) => {
      const { left, top, bottom } = one.getBoundingClientRect();
      return one.contains(document.elementFromPoint(left + 8, (top + bottom) / 2));
    });
  for (const size of [{ width: 1280, height: 720 }, { width: 1440, height: 900 }]) {
    await page.setViewportSize(size);
    for (const name of [/^Accept/, /^Modify/, /^Reject/]) await until(() => inSight(name), `${name} is in sight at ${size.width}`);
    await page.keyboard.press("e");
    for (const name of [/^Accept my version/, /^Cancel/]) await until(() => inSight(name), `${name} is in sight at ${size.width}`);
    await page.keyboard.press("Escape");
  }

  // As drawn: 208 for the files, 568 beside the code, six parts of ten of that for the fixes.
  check((await width(files)) === 208, `the files are 208 wide, not ${await width(files)}`);
  check((await width(fixes)) === 568, `the fixes are 568 wide, not ${await width(fixes)}`);
  const share = (await height(fixes)) / ((await height(fixes)) + (await height(log)));
  check(share > 0.57 && share < 0.63, `the fixes have six parts of ten, not ${share}`);

  // By keyboard: arrows move an edge.
  await edge("Width of the files").focus();
  await axe(page, "an edge that has the focus");
  await page.keyboard.press("ArrowRight");
  await until(async () => (await width(files)) > 230, "the files are wider");
  await edge("Height of the fixes").focus();
  await page.keyboard.press("ArrowUp");
  await until(async () => (await height(fixes)) / ((await height(fixes)) + (await height(log))) < share - 0.03, "the log is higher");

  // By pointer.
  const before = await width(fixes);
  const line = await edge("Width of the code").boundingBox();
  await page.mouse.move(line.x, line.y + 200);
  await page.mouse.down();
  await page.mouse.move(line.x - 60, line.y + 200, { steps: 4 });
  await page.mouse.up();
  await until(async () => Math.abs((await width(fixes)) - before - 60) <= 2, "the fixes are wider by what the edge was moved");

  // This browser remembers it; a double click forgets it.
  const left = { files: await width(files), fixes: await width(fixes), log: await height(log) };
  await page.reload();
  await fixes.getByText("0 of 2 reviewed").waitFor();
  const found = { files: await width(files), fixes: await width(fixes), log: await height(log) };
  for (const part of Object.keys(left)) check(Math.abs(left[part] - found[part]) <= 2, `${part} is as it was left: ${left[part]}, not ${found[part]}`);
  const moved = await edge("Width of the files").boundingBox();
  await page.mouse.dblclick(moved.x, moved.y + 200);
  await until(async () => (await width(files)) === 208, "the files are as they were drawn");

  // Accepted on a branch of its own: the files that are checked out stay as they are.
  const release = fixes.getByRole("article", { name: /^Release the redis connection/ });
  await release.getByRole("button", { name: "Accept on a branch of its own" }).click();
  const branch = release.getByRole("textbox", { name: /^Commit it on this branch/ });
  check((await branch.inputValue()) === `fix/${here.incident}`, "a name is proposed");
  await axe(page, "a card that is accepted on a branch");
  await branch.fill("fix/redis-release");
  await release.getByRole("button", { name: "Commit there" }).click();
  await page.getByText("It is on the branch fix/redis-release.").waitFor();
  check(!onDisk(LOOP).includes(RELEASE), "the file that is checked out is as it was");
  check(git("show", `fix/redis-release:${LOOP}`).includes(RELEASE), "the branch has the change");
  check(git("log", "-1", "--format=%B", "fix/redis-release").includes(`Fixes-Incident: ${here.incident}`), "its commit says which incident it is for");
  check(git("branch", "--show-current").trim() === "main", "nobody's branch was changed under their hands");
  await log.getByRole("button", { name: /^Accepted: Release the redis/ }).click();
  const sheet = page.getByRole("dialog");
  await sheet.getByText("On the branch fix/redis-release.").waitFor();
  await page.keyboard.press("Escape");
  await release.getByRole("button", { name: /^Release the redis/ }).click();
  await release.getByText("on fix/redis-release").waitFor();
  await release.getByRole("button", { name: "Undo" }).click();
  await page.getByText("Taken back: everything is as it was.").waitFor();
  await fixes.getByText("0 of 2 reviewed").waitFor();

  // A folder that is dropped comes with everything in it.
  mkdirSync(join(bag, "notes", "deep"), { recursive: true });
  writeFileSync(join(bag, "notes", "one.md"), "# One\n");
  writeFileSync(join(bag, "notes", "deep", "two.md"), "# Two\n");
  const dropped = await dropper(page, context);
  await dropped(join(bag, "notes"), page.getByRole("region", { name: "Workspace shop" }));
  const added = page.getByRole("region", { name: "Files that were added" });
  await added.getByText("2 of 2 added").waitFor();
  check(onDisk("notes/one.md") === "# One\n" && onDisk("notes/deep/two.md") === "# Two\n", "the folder is there, whole");
  rmSync(join(here.shop, "notes"), { recursive: true });

  // An archive that is dropped becomes a workspace; its name is proposed.
  writeFileSync(join(bag, "Spare Tools.zip"), Buffer.from(here.archive, "base64"));
  await dropped(join(bag, "Spare Tools.zip"), page.getByRole("region", { name: "Workspace shop" }));
  const adding = page.getByRole("dialog", { name: "Add a workspace" });
  check((await adding.getByLabel("Name").inputValue()) === "spare-tools", "its name is made from the file's");
  await adding.getByRole("button", { name: "Add" }).click();
  await page.waitForURL(/name=spare-tools/);
  await page.getByRole("button", { name: "run.py" }).waitFor();

  // A repository to clone, where that is not allowed: the refusal says how to allow it, and what else can be done.
  allow(/status of 403/);
  await page.getByRole("button", { name: "Add a workspace" }).click();
  await adding.getByRole("radio", { name: "A repository" }).click();
  await adding.getByLabel("Its https address").fill("https://git.shop.example/payment.git");
  await adding.getByLabel("Name").fill("payment");
  await adding.getByRole("button", { name: "Add" }).click();
  const refusal = adding.getByRole("alert");
  await refusal.waitFor();
  const said = await refusal.innerText();
  check(/not allowed/.test(said) && /workspace_clones = on/.test(said) && /upload/.test(said), `the refusal says how to allow it: ${said}`);
  await axe(page, "a repository that is refused");
  await page.keyboard.press("Escape");

  // Where there is room for one pane only, there is no edge to move.
  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByRole("radio", { name: /^Fixes/ }).first().click();
  await until(async () => (await page.getByRole("separator", { name: "Width of the files" }).count()) === 0, "no edge is left");
  await fits(page, "the workspace on a phone");
});
rmSync(bag, { recursive: true });

/** Drops what lies on the disk, as a person does from a file manager: folders are folders then. */
async function dropper(page, context) {
  const wire = await context.newCDPSession(page);
  return async (path, target) => {
    const box = await target.boundingBox();
    const at = { x: box.x + box.width / 3, y: box.y + box.height / 2 };
    const data = { items: [], files: [path], dragOperationsMask: 1 };
    for (const type of ["dragEnter", "dragOver", "drop"]) await wire.send("Input.dispatchDragEvent", { type, ...at, data });
  };
}
