// What every story in a browser shares: a page that must not complain, ways to find things as people do, and axe.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const require = createRequire(new URL("../../web/package.json", import.meta.url));
const { chromium } = require("playwright-core");
const AXE = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

/** Where Hindcast is and who there is, as the test that started this says. */
export const here = JSON.parse(process.env.STORY ?? "{}");
const WAIT_MS_MAX = 20_000;
const TABS_MAX = 120;

export function check(isSo, what) {
  if (!isSo) throw new Error(`It is not so: ${what}`);
}

/** Wait for something to become so; nothing sleeps. */
export async function until(condition, what) {
  const end = Date.now() + WAIT_MS_MAX;
  for (;;) {
    if (await condition()) return;
    if (Date.now() > end) throw new Error(`Waited in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

export async function browser() {
  // The sandbox needs rights that a container's root does not have.
  const args = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  return chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args });
}

/** A page in which anything that a browser complains about is a failure. */
export async function open(chrome, options = {}) {
  const context = await chrome.newContext({ viewport: { width: 1280, height: 720 }, colorScheme: "dark", reducedMotion: "reduce", baseURL: here.url, ...options });
  const page = await context.newPage();
  // Where nobody was invited, a browser is opened by the link that the server prints.
  if (here.local_link) await page.goto(here.local_link);
  page.setDefaultTimeout(WAIT_MS_MAX);
  const complaints = [];
  const allowed = [];
  page.on("console", (one) => one.type() === "error" && complaints.push(`${one.text()} ${one.location().url}`));
  page.on("pageerror", (error) => complaints.push(error.message));
  return {
    page,
    context,
    /** A refusal that the story asks for on purpose. */
    allow: (pattern) => allowed.push(pattern),
    settled: () => {
      const left = complaints.filter((one) => !allowed.some((pattern) => pattern.test(one)));
      check(left.length === 0, `the browser has nothing to complain about: ${left.join(" | ")}`);
    },
  };
}

export async function signIn(page, who, path = "/") {
  await page.goto(`/sign-in?next=${encodeURIComponent(path)}`);
  await page.getByLabel("Email").fill(who.email);
  await page.getByLabel("Password").fill(who.password);
  await page.keyboard.press("Enter");
  await page.waitForURL((url) => !url.pathname.startsWith("/sign-in"));
}

/**
 * Hands that have a keyboard and nothing else. What Tab reaches has to be seen to be reached, or nobody would know where
 * they are; `tabTo` says so when it is not.
 */
export function keyboard(page) {
  const press = async (...keys) => {
    for (const one of keys) await page.keyboard.press(one);
  };
  const type = (text) => page.keyboard.type(text);
  /** What has the focus, by the name that a screen reader would say. */
  const focused = () =>
    page.evaluate(() => {
      const one = document.activeElement;
      if (!one || one === document.body) return "";
      return (one.getAttribute("aria-label") ?? one.labels?.[0]?.textContent ?? one.textContent ?? "").trim();
    });
  const isSeen = () =>
    page.evaluate(() => {
      const one = document.activeElement;
      const style = getComputedStyle(one);
      const box = one.getBoundingClientRect();
      const isOutlined = one.matches(":focus-visible") && style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 1;
      return isOutlined && box.bottom > 0 && box.top < window.innerHeight && box.right > 0 && box.left < window.innerWidth;
    });
  const tabTo = async (name, key = "Tab") => {
    for (let times = 0; times < TABS_MAX; times += 1) {
      if (name.test(await focused())) {
        check(await isSeen(), `whoever reaches ${name} sees that it is reached`);
        return;
      }
      await press(key);
    }
    throw new Error(`${key} does not reach ${name}; it ends at ${await focused()}`);
  };
  /** By arrows, within a menu, a list or a group. */
  const arrowTo = async (name, key = "ArrowDown") => {
    await until(async () => {
      if (name.test(await focused())) return true;
      await press(key);
      return false;
    }, `${key} reaches ${name}`);
  };
  const signIn = async (who, path = "/") => {
    await page.goto(`/sign-in?next=${encodeURIComponent(path)}`);
    await until(async () => (await focused()) === "Email", "whoever signs in can type at once");
    await type(who.email);
    await press("Tab");
    await type(who.password);
    await press("Enter");
    await page.waitForURL((url) => !url.pathname.startsWith("/sign-in"));
  };
  return { press, type, focused, tabTo, arrowTo, signIn };
}

/** What a page of ours sends along with what changes something. */
export async function ours(page) {
  const { csrf } = await (await page.request.get("/api/v1/session")).json();
  return { "X-Hindcast-CSRF": csrf, Origin: here.url };
}

/** A page's cookies may ask the service as its scripts would; what it answers is what counts. */
export async function asking(page) {
  const headers = await ours(page);
  return async (verb, path, data = {}) => page.request.fetch(path, { method: verb, headers, data });
}

/** What axe finds wrong with what is shown (WCAG 2.0 to 2.2, A and AA, and best practice). */
export async function axe(page, name) {
  await page.evaluate(AXE);
  const look = () =>
    page.evaluate(() =>
      globalThis.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] }),
    );
  // It breaks off when something that it has seen is drawn anew before it has ended; then it has said nothing yet.
  const found = await look().catch((error) => {
    if (!/TypeError: Cannot read properties of (?:undefined|null)/.test(error.message)) throw error;
    return look();
  });
  const told = found.violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.target.join(" ")).slice(0, 3).join(", ")}`);
  check(told.length === 0, `${name} is accessible: ${told.join(" | ")}`);
}

/** Whether a page fits its window: nothing sticks out to the side. */
export async function fits(page, name) {
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  check(wide <= 0, `${name} fits its window, which it exceeds by ${wide} px`);
}

/** Run a story to its end; a picture of where it failed is left beside the report. */
export async function story(tell, options) {
  const chrome = await browser();
  const shown = await open(chrome, options);
  try {
    await tell(shown);
    shown.settled();
  } catch (error) {
    if (process.env.PICTURE) await shown.page.screenshot({ path: process.env.PICTURE });
    console.error(`${error.stack}\nat ${shown.page.url()}`);
    process.exitCode = 1;
  } finally {
    await chrome.close();
  }
}
