// The night shift on a phone, by touch: from the overview to the end of an incident, a fix accepted, lines, yesterday and back.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { axe, check, fits, here, signIn, story, until } from "./browsing.mjs";

const RELEASE = "ctx.redis.connection_pool.release(ctx.redis.connection)";
const TARGET_PX_MIN = 24;
const ROOM_PX_MIN = 100;
const LARGE = { width: 640, height: 360 };

/** What is too small for a finger. Links within a sentence are as high as its line. */
function small(least) {
  const all = 'a[href], button, input, select, textarea, summary, [role="radio"], [role="option"], [role="slider"], [role="switch"], [role="checkbox"]';
  const found = [];
  for (const one of document.querySelectorAll(all)) {
    const style = getComputedStyle(one);
    const { width, height, right, bottom } = one.getBoundingClientRect();
    const isHidden = style.visibility === "hidden" || width < 2 || height < 2 || right < 0 || bottom < 0 || one.closest("[aria-hidden=true], .sr-only, .cm-editor");
    // A link may be as large as what is around it, by what lies over it.
    const over = getComputedStyle(one, "::after");
    const isLarge = over.position === "absolute" && over.content !== "none";
    const isWord = style.display === "inline" && one.tagName === "A";
    if (!isHidden && !isLarge && !isWord && Math.min(width, height) < least) found.push(`${one.tagName} "${(one.ariaLabel ?? one.innerText ?? "").slice(0, 24)}" ${Math.round(width)}×${Math.round(height)}`);
  }
  return found;
}

/** How high the largest part is that can be scrolled. */
function room() {
  const parts = [...document.querySelectorAll("#content *")].filter((one) => /auto|scroll/.test(getComputedStyle(one).overflowY));
  return Math.max(0, ...parts.map((one) => one.clientHeight));
}

await story(
  async ({ page }) => {
    const usable = async (name) => {
      await fits(page, name);
      const found = await page.evaluate(small, TARGET_PX_MIN);
      check(found.length === 0, `a finger finds everything on ${name}: ${found.slice(0, 6).join(" | ")}`);
    };
    const go = async (label) => {
      await page.getByRole("button", { name: "Navigation" }).tap();
      const menu = page.getByRole("dialog", { name: "Hindcast" });
      await menu.getByRole("link", { name: label }).waitFor();
      await usable("the navigation");
      await menu.getByRole("link", { name: label }).tap();
      await menu.waitFor({ state: "detached" });
    };
    await signIn(page, here.admin);

    // From the overview to the incident; what is remembered is read before anything else.
    const named = page.getByRole("link", { name: /^payment: redis/ }).first();
    await named.waitFor();
    await usable("the overview");
    const counted = page.getByRole("term").first();
    check((await named.boundingBox()).y < (await counted.boundingBox()).y, "what is open comes before what is counted");
    await named.tap();
    const recall = page.getByRole("heading", { name: /Your team hit this/ });
    await recall.waitFor();
    const { width } = await recall.boundingBox();
    check(width > 200, `what memory says has room: ${width} px`);
    const fix = page.getByRole("heading", { name: "The fix that worked" });
    const harm = page.getByRole("heading", { name: "Don't try" });
    const evidence = page.getByRole("button", { name: /^The same fingerprint/ });
    const [top, warned, below] = await Promise.all([fix, harm, evidence].map(async (one) => (await one.boundingBox()).y));
    check(top < 844, `the fix is on the first screen: it begins at ${top} px`);
    check(top < warned && warned < below, `fix, warning and evidence in this order: ${top}, ${warned}, ${below} px`);
    await usable("the incident");
    check((await page.getByText("⇧R", { exact: true }).filter({ visible: true }).count()) === 0, "fingers are told of no keys");
    await axe(page, "the incident on a phone");
    await page.getByRole("button", { name: /^The same fingerprint/ }).tap();
    await page.getByRole("dialog").getByText("Trace then").waitFor();
    await usable("the evidence");
    await page.getByRole("dialog").getByRole("button", { name: "Close" }).tap();

    // What was tried, in a line.
    const line = page.getByRole("textbox", { name: /tried|try|attempt/i }).first();
    await line.tap();
    await line.fill("restarted the workers");
    await page.keyboard.press("Enter");
    await page.getByText("The attempt is recorded.").waitFor();

    // A fix, read and accepted; the parts of the workspace are tabs.
    await page.getByRole("button", { name: "Review the fix" }).tap();
    await page.getByRole("dialog").getByRole("link", { name: /^Release the redis/ }).tap();
    const card = page.getByRole("article", { name: /^Release the redis connection/ });
    const part = (name) => page.getByRole("radio", { name: new RegExp(`^${name}`) }).first();
    for (const name of ["Files", "Code", "Log", "Fixes"]) {
      await part(name).tap();
      await usable(`${name} of the workspace`);
    }
    await card.getByText("release(ctx.redis.connection)").first().waitFor();
    check(!(await page.getByRole("textbox", { name: /loop\.py, code$/ }).isVisible()), "one part at a time");
    await axe(page, "a fix on a phone");
    await card.getByRole("button", { name: "Accept", exact: true }).tap();
    await page.getByText(/1 of 2 reviewed/).waitFor();
    check(readFileSync(join(here.shop, "payment/worker/loop.py"), "utf8").includes(RELEASE), "what was accepted is in the file");

    // What ended it.
    await page.goto(`/incidents/${here.incident}`);
    await page.getByRole("button", { name: /^Resolve/ }).tap();
    const dialog = page.getByRole("dialog", { name: "Resolve incident" });
    await dialog.getByLabel("Why it happened").fill("connections were not given back");
    await dialog.getByLabel("What ended it").fill("released them");
    await usable("resolving");
    await dialog.getByRole("button", { name: "Save" }).tap();
    await dialog.waitFor({ state: "detached" });
    await page.getByText("connections were not given back").first().waitFor();

    // Lines as they come: three panes become one and its tabs.
    await go("Live");
    const first = page.getByRole("log", { name: "Log lines" }).getByRole("button").first();
    const message = await first.locator(":scope > span").last().boundingBox();
    check(message.width > 300, `a line has the width of the phone and is wrapped: ${message.width} px`);
    await first.tap();
    await page.getByRole("region", { name: "Details" }).waitFor();
    await usable("a line");
    await page.getByRole("radio", { name: "Services" }).tap();
    await page.getByRole("list", { name: "Services" }).waitFor();
    await usable("services");

    // Yesterday, and back.
    await go("Time machine");
    await page.getByLabel(/^Go to:/).fill("yesterday");
    await page.keyboard.press("Enter");
    await usable("the time machine");
    const out = page.getByRole("button", { name: "Check out" });
    await until(async () => (await out.getAttribute("aria-disabled")) !== "true", "yesterday can be looked at");
    await out.tap();
    await page.getByText("Nothing can be changed here").waitFor();
    await go("Incidents");
    await page.getByRole("heading", { name: "Incidents", level: 1 }).waitFor();
    await usable("the incidents of yesterday");
    await page.getByRole("button", { name: "Back to now" }).tap();
    await page.getByText("Nothing can be changed here").waitFor({ state: "detached" });

    // Twice as large: nothing is lost, and nothing has to be pushed sideways.
    await page.setViewportSize(LARGE);
    for (const path of ["/", "/incidents", `/incidents/${here.incident}`, "/live", "/workspace", "/ask?text=redis", "/time", "/settings/people"]) {
      await page.goto(path);
      await page.locator("#content h1").first().waitFor();
      await fits(page, `${path} twice as large`);
      await until(async () => (await page.evaluate(room)) >= ROOM_PX_MIN, `${path} leaves room to read in, twice as large`);
    }
    await page.goto(`/incidents/${here.incident}`);
    await page.getByRole("button", { name: /^(?:Resolve|Complete)/ }).tap();
    const keep = page.getByRole("dialog").getByRole("button", { name: "Save" });
    await keep.scrollIntoViewIfNeeded();
    const { y, height } = await keep.boundingBox();
    check(y >= 0 && y + height <= LARGE.height, "a dialog can be ended, twice as large");
  },
  { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2, colorScheme: "light" },
);
