// The same by keyboard alone, in the light theme: yesterday, search, difference, bisection, branch, merge with a conflict, undo.
import { axe, check, ours, story, until } from "./browsing.mjs";

const POOL = "settings/payment";

await story(
  async ({ page }) => {
    const put = async (address, body, why, branch = "main") => {
      const said = await page.request.put(`/api/v1/memory/records/${address}`, { headers: await ours(page), data: { body, why, branch } });
      check(said.ok(), `${why}: ${await said.text()}`);
    };
    const owner = async () => (await (await page.request.get(`/api/v1/memory/records/${POOL}`)).json()).body.owner;
    const moment = () => page.getByRole("slider").getAttribute("aria-valuetext");
    const press = (...keys) => keys.reduce((before, key) => before.then(() => page.keyboard.press(key)), Promise.resolve());

    await page.goto("/");
    await page.getByText("Connect a log source").waitFor();
    await press("g", "t");
    await page.getByText(/^Note 279/).first().waitFor();
    const now = await moment();
    await press("ArrowLeft");
    await until(async () => (await moment()) !== now, "an arrow steps back");
    await press("ArrowRight");
    await until(async () => (await moment()) === now, "and on again");
    await press("Shift+ArrowLeft");
    await until(async () => /Note 2[35]\d/.test(await moment()), "shift and an arrow go a day");

    await press("t");
    await page.keyboard.type("yesterday");
    await press("Enter");
    await until(() => page.evaluate(() => document.activeElement?.tagName !== "INPUT"), "the box is left");
    check(/Note 25\d/.test(await moment()), "the slider stands at yesterday");
    await press("c");
    await page.getByText("Nothing can be changed here").waitFor();
    await press("Shift+N");
    await page.getByText("Nothing can be changed here").waitFor({ state: "detached" });

    await press("/");
    await until(() => page.evaluate(() => document.activeElement?.getAttribute("aria-label")?.startsWith("Search as of then")), "the box is reached");
    await page.keyboard.type("Note 279");
    await page.getByText(/as of then\.$/).waitFor();
    await press("Escape", "d");
    await page.getByRole("region", { name: "Learned" }).waitFor();
    await axe(page, "a difference, light");
    const before = await page.getByLabel("From").inputValue();
    await press("w");
    await until(async () => (await page.getByLabel("From").inputValue()) !== before, "the two moments are swapped");
    await press("d", "n", "f");
    await until(() => page.evaluate(() => document.activeElement?.tagName === "INPUT"), "the question is reached");
    await page.keyboard.press("Control+a");
    await page.keyboard.type("the pool of payment");
    await press("Enter");
    await page.getByRole("region", { name: "Found" }).waitFor();
    await axe(page, "a bisection, light");
    await press("Escape");

    await press("b");
    await page.getByRole("dialog", { name: "Branch from here" }).waitFor();
    await axe(page, "branching, light");
    await page.keyboard.type("by-keys");
    await press("Enter");
    await page.getByText("Branch by-keys begins here.").waitFor();
    await put(POOL, { pool: 60, owner: "hana" }, "Hana takes it", "by-keys");
    await put(POOL, { pool: 60, owner: "jonas" }, "Jonas takes it");
    await press("m");
    await page.getByRole("button", { name: "Merge by-keys into main" }).waitFor();
    await press("Control+Enter");
    await page.getByRole("region", { name: `Conflict: ${POOL}` }).waitFor();
    await axe(page, "a conflict, light");
    await press("1", "2", "Control+Enter");
    await page.getByText(/^Merged: /).waitFor();
    check((await owner()) === "hana", "the second choice is the one that counts");
    await press("u");
    await page.getByText("The merge is taken back.").waitFor();
    check((await owner()) === "jonas", "a key takes it back");
    await press("l");
    await until(async () => (await page.getByRole("slider").getAttribute("aria-label")) !== "Moment on main", "another branch is walked");
    await press("n", "?");
    await page.getByRole("dialog", { name: "Keys" }).getByText("A day back").waitFor();
  },
  { colorScheme: "light" },
);
