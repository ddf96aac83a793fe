// Motion is short and says what caused what; whoever does not want any gets none.
import { check, here, signIn, story, until } from "./browsing.mjs";

const MS_MAX = 200;
const PAGES = ["/", "/incidents", `/incidents/${here.incident}`, "/live", "/workspace", "/ask?text=redis", "/time", "/settings/sending", "/settings/people"];

/** Whatever would move longer than so many milliseconds: by its style, or right now. */
function moving(longest) {
  const ms = (times) => Math.max(...times.split(",").map((one) => Number.parseFloat(one) * (one.trim().endsWith("ms") ? 1 : 1000)));
  const found = new Set();
  for (const one of document.querySelectorAll("*")) {
    // Where one types, a caret blinks as carets do.
    if (one.matches(".cm-cursorLayer")) continue;
    for (const part of [undefined, "::before", "::after"]) {
      const style = getComputedStyle(one, part);
      const name = `${one.tagName}.${String(one.className.baseVal ?? one.className).slice(0, 60)}${part ?? ""}`;
      if (style.transitionProperty !== "none" && ms(style.transitionDuration) > longest) found.add(`${name} changes over ${style.transitionDuration}`);
      if (style.animationName !== "none" && ms(style.animationDuration) > longest) found.add(`${name} moves for ${style.animationDuration}`);
      if (style.animationName !== "none" && style.animationIterationCount !== "1") found.add(`${name} moves ${style.animationIterationCount} times`);
      if (style.scrollBehavior === "smooth") found.add(`${name} scrolls smoothly`);
    }
  }
  for (const one of document.getAnimations()) {
    const { duration, iterations } = one.effect.getTiming();
    if (!/^cm-blink/.test(one.animationName ?? "") && (Number(duration) > longest || iterations > 1)) found.add(`${one.animationName ?? one.transitionProperty} runs for ${duration} ms, ${iterations} times`);
  }
  return [...found];
}

await story(async ({ page }) => {
  const still = async (name, longest) => {
    const found = await page.evaluate(moving, longest);
    check(found.length === 0, `${name} moves at most ${longest} ms: ${found.slice(0, 5).join(" | ")}`);
  };
  await signIn(page, here.admin);
  for (const [reducedMotion, longest] of [["reduce", 1], ["no-preference", MS_MAX]]) {
    await page.emulateMedia({ reducedMotion });
    for (const path of PAGES) {
      await page.goto(path);
      await page.locator("#content h1").first().waitFor();
      await still(`${path} on its way`, longest);
      await until(async () => (await page.locator(".skeleton:visible").count()) === 0, `${path} has come`);
      await still(path, longest);
    }
    // What opens, tells and is let go.
    await page.goto(`/incidents/${here.incident}`);
    await page.getByRole("heading", { name: /Your team hit this/ }).waitFor();
    for (const [key, name] of [["?", "the keys"], ["Control+k", "the palette"], ["Shift+R", "a dialog"], ["Enter", "a sheet"]]) {
      await page.keyboard.press(key);
      await page.getByRole("dialog").waitFor();
      await still(name, longest);
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "detached" });
      await still(`after ${name}`, longest);
    }
    await page.keyboard.press("y");
    await page.getByText("It counts as right from now on.").waitFor();
    await still("what was just done", longest);
  }
});
