// What stories of probes share: a page on which nothing runs and everything fits, with what somebody wrote in sight.
import { check, fits, here, signIn, story, until } from "./browsing.mjs";

/** Markup that wants out of where it stands; every field that takes it holds it after its own name. */
export const PROBE = "\"'><img src=x onerror=hit()><svg onload=hit()>";
export const SAID = encodeURIComponent(PROBE);
export const SPACE = "space=probed";
export const LAPTOP = { width: 1280, height: 720 };
const PHONE = { width: 390, height: 844 };

/** What is wrong with what is shown, as far as a page can tell by itself. */
function faults() {
  const found = [];
  if (globalThis.hits > 0) found.push(`${globalThis.hits} scripts ran`);
  const alive = 'img[src="x"], [onload], [onerror], a[href^="javascript:" i], script:not([src]), iframe, object';
  for (const one of document.querySelectorAll(alive)) found.push(`alive: ${one.outerHTML.slice(0, 120)}`);
  for (const one of document.querySelectorAll("*")) {
    const isScrolled = /auto|scroll/.test(getComputedStyle(one).overflowX) && one.scrollWidth > one.clientWidth + 1;
    // Code is as wide as it is written; tabs in a row may be pushed along.
    if (isScrolled && !one.closest("pre, .cm-editor, nav, .overflow-x-auto")) found.push(`${one.tagName} ${one.className} is ${one.scrollWidth - one.clientWidth} px too wide`);
  }
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const { data, parentElement: around } = texts.currentNode;
    if (!data.includes("\u202e") || around.closest(".cm-content, script, style")) continue;
    if (getComputedStyle(around).unicodeBidi === "normal") found.push(`${around.tagName} lets "${data.slice(0, 12)}" turn what is beside it`);
  }
  return found;
}

/** A story on the project of which every word is a probe. The policy that would stop what runs is set aside: the pages hold by themselves. */
export function probing(tell) {
  return story(
    async (shown) => {
      const { page, context, allow } = shown;
      // Much of what addresses ask for here is not there.
      allow(/status of 4(?:00|03|04|22)/);
      await context.addInitScript(() => {
        globalThis.hits = 0;
        globalThis.hit = () => {
          globalThis.hits += 1;
        };
      });
      const seen = new Set();
      /** Nothing runs and everything fits, with the words of these fields in sight. */
      const sound = async (name, fields = [], sizes = [PHONE, LAPTOP]) => {
        for (const field of fields) {
          const wanted = `${field}${PROBE}`.toLowerCase();
          await until(() => page.evaluate((text) => document.body.innerText.toLowerCase().includes(text), wanted), `${name} shows ${field} as it was written`);
          seen.add(field);
        }
        for (const size of sizes) {
          await page.setViewportSize(size);
          await fits(page, `${name} at ${size.width}`);
          const found = await page.evaluate(faults);
          check(found.length === 0, `${name} holds at ${size.width}: ${found.slice(0, 6).join(" | ")}`);
        }
      };
      const goTo = async (path) => {
        await page.goto(path);
        await page.locator("#content h1").first().waitFor();
      };
      const shut = async () => {
        await page.keyboard.press("Escape");
        await page.getByRole("dialog").waitFor({ state: "detached" });
      };
      await signIn(page, here.admin);
      await tell({ page, seen, sound, goTo, shut });
    },
    { bypassCSP: true },
  );
}
