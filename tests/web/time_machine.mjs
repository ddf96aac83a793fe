// A week of memory: back to yesterday, what was known then, what differs, which commit did it, a branch, and its merge.
import { axe, check, fits, ours, story, until } from "./browsing.mjs";

const POOL = "settings/payment";

await story(async ({ page, allow }) => {
  const put = async (address, body, why, branch = "main") => {
    const said = await page.request.put(`/api/v1/memory/records/${address}`, { headers: await ours(page), data: { body, why, branch } });
    check(said.ok(), `${why}: ${await said.text()}`);
  };
  const pool = async () => (await (await page.request.get(`/api/v1/memory/records/${POOL}`)).json()).body.pool;
  const moment = () => page.getByRole("slider").getAttribute("aria-valuetext");
  const goTo = async (word) => {
    await page.getByLabel(/^Go to:/).fill(word);
    await page.keyboard.press("Enter");
  };
  const known = () => page.getByRole("list", { name: "Found" });

  await page.goto("/time");
  await page.getByRole("heading", { name: "Time machine" }).waitFor();
  await page.getByText(/^Note 279/).first().waitFor();
  await axe(page, "the rail");

  // Back to yesterday: what memory knew then, and not what it learned since.
  await goTo("before anything");
  await page.getByRole("alert").waitFor();
  allow(/status of (?:400|404|422)/);
  await goTo("yesterday");
  await until(async () => /Note 25\d/.test(await moment()), "the slider stands at yesterday");
  await page.getByRole("radio", { name: "What was known" }).click();
  await page.getByLabel(/^Search as of then/).fill("Note 279");
  await page.getByText(/as of then\.$/).waitFor();
  check((await known().getByText("notes/6-39", { exact: true }).count()) === 0, "yesterday did not know today's note");
  await page.keyboard.press("Escape");
  await page.keyboard.press("n");
  await known().getByText("notes/6-39", { exact: true }).waitFor();
  await known().getByText("notes/6-39", { exact: true }).click();
  await page.getByRole("dialog").getByText("Who said what").waitFor();
  await page.waitForURL(/record=/);
  await page.reload();
  await page.getByRole("dialog").getByText("Who said what").waitFor();
  await axe(page, "a record");
  await page.keyboard.press("Escape");

  // The whole app at that moment, and back.
  await goTo("yesterday");
  await until(async () => /Note 25\d/.test(await moment()), "the slider stands at yesterday again");
  await page.getByRole("button", { name: "Check out" }).click();
  await page.getByText("Nothing can be changed here").waitFor();
  await page.getByRole("link", { name: "Incidents" }).click();
  await page.getByRole("heading", { name: "Incidents", level: 1 }).waitFor();
  check(/[?&]at=/.test(page.url()), "the moment goes along");
  await page.getByRole("link", { name: "Time machine" }).click();
  await page.getByRole("button", { name: "Back to now" }).click();
  await page.getByText("Nothing can be changed here").waitFor({ state: "detached" });

  // What differs between six days ago and now, with what people typed as text.
  await page.goto("/time");
  await page.getByText(/^Note 279/).first().waitFor();
  await goTo("6 days ago");
  await until(async () => /Note (?:3|4)\d/.test(await moment()), "the slider stands six days ago");
  const isNamed = () =>
    page.getByRole("slider").evaluate((one) => {
      // The one that was found may be drawn anew this very moment; then the next look tells.
      const [label, rail] = [one.nextElementSibling, one.closest("[data-rail]")].map((part) => part?.getBoundingClientRect());
      return Boolean(label && rail) && label.left >= rail.left && label.right <= rail.right;
    });
  await until(isNamed, "its whole date is in sight");
  await page.getByRole("button", { name: "Compare" }).click();
  const changed = page.getByRole("region", { name: "Changed" });
  await changed.getByText(POOL).waitFor();
  check((await changed.innerText()).includes("200"), "the pool became 200");
  await page.getByRole("region", { name: "Forgotten" }).getByText("notes/0-03").waitFor();
  check(/^[1-9]\d\d$/.test(await page.getByRole("region", { name: "Learned" }).locator("h3 span").innerText()), "what was learned is counted");
  check((await page.getByText("<img src=x").count()) > 0 && (await page.title()) !== "broken in", "what somebody typed is text");
  await axe(page, "a difference");

  // Which commit raised it?
  await page.getByRole("radio", { name: "When did it change?" }).click();
  await page.getByRole("radio", { name: "What a record says" }).click();
  await page.getByLabel("Record").fill(POOL);
  await page.getByLabel("Field").fill("pool");
  await page.getByRole("button", { name: "Find the commit" }).click();
  await page.getByText("This commit changed the answer").waitFor();
  const found = page.getByRole("region", { name: "Found" });
  await found.getByText("Raised the pool of payment to 200").waitFor();
  await axe(page, "a bisection");
  await found.getByRole("button", { name: "Go to it" }).click();
  await until(async () => (await moment()).startsWith("Raised the pool"), "the slider stands at the commit that was found");

  // The slider stops at commits only, wherever it is let go.
  const thumb = await page.getByRole("slider").boundingBox();
  const at = Number(await page.getByRole("slider").getAttribute("aria-valuenow"));
  await page.mouse.move(thumb.x + 9, thumb.y + 9);
  await page.mouse.down();
  await page.mouse.move(thumb.x + 9 - 61, thumb.y + 9, { steps: 4 });
  await page.mouse.up();
  await until(async () => Number(await page.getByRole("slider").getAttribute("aria-valuenow")) === at - 4, "61 px are four commits");

  // A branch from there; the same record is changed on both sides.
  await page.getByRole("button", { name: "Branch" }).click();
  const dialog = page.getByRole("dialog", { name: "Branch from here" });
  await dialog.getByLabel("Name").fill("main");
  await page.keyboard.press("Enter");
  await dialog.getByRole("alert").waitFor();
  await axe(page, "branching with a problem");
  allow(/status of 403/);
  await dialog.getByLabel("Name").fill("forty");
  await page.keyboard.press("Enter");
  await page.getByText("Branch forty begins here.").waitFor();
  await put(POOL, { pool: 40, owner: "ada" }, "40 may be enough", "forty");
  await put("notes/measured", { title: "Measured with 40" }, "Measured it", "forty");
  await put(POOL, { pool: 60, owner: "ada" }, "60 for the sale");

  await page.goto("/time?view=merge&source=forty");
  await page.getByRole("button", { name: "Merge forty into main" }).click();
  const conflict = page.getByRole("region", { name: `Conflict: ${POOL}` });
  await conflict.waitFor();
  check((await pool()) === 60, "a conflict is an answer: nothing was written");
  await axe(page, "a conflict");
  check((await page.getByRole("button", { name: "Merge with these choices" }).getAttribute("aria-disabled")) === "true", "it waits for a choice");
  await page.setViewportSize({ width: 390, height: 844 });
  await fits(page, "a conflict on a phone");
  await page.setViewportSize({ width: 1280, height: 720 });
  await conflict.getByRole("button", { name: "Take this one of forty" }).click();
  await page.getByRole("button", { name: "Merge with these choices" }).click();
  await page.getByText(/^Merged: \d records? of forty/).waitFor();
  check((await pool()) === 40, "what was chosen is what counts");
  await until(async () => (await moment()).startsWith("merge forty into main"), "the merge is looked at");
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByText("The merge is taken back.").waitFor();
  check((await pool()) === 60, "a merge can be taken back");

  await page.getByRole("button", { name: "Snapshot" }).click();
  await page.getByRole("textbox", { name: "Name" }).fill("before-the-sale");
  await page.keyboard.press("Enter");
  await page.getByText("This moment is called before-the-sale from now on.").waitFor();
  await goTo("before-the-sale");
  await until(async () => (await moment()).startsWith("merge forty"), "a snapshot is a place to go to");

  // Only what is in sight is drawn, and all of it can be reached.
  await page.getByRole("slider").press("Home");
  await until(async () => (await page.locator("[data-rail] circle").count()) < 200, "of a long rail a part is drawn");
});
