// Pictures of the workspace: as it is, and with a fix being modified.
import { join } from "node:path";
import { browser, here, open } from "./browsing.mjs";

const chrome = await browser();
try {
  for (const theme of ["dark", "light"]) {
    const { page, context } = await open(chrome, { viewport: { width: 1440, height: 900 }, colorScheme: theme });
    await page.goto(`/workspace?incident=${here.incident}`);
    await page.getByText(/^Broke .* before/).first().waitFor();
    const after = page.getByRole("group", { name: "payment/worker/loop.py, after" });
    await after.getByText("ctx.redis").first().waitFor();
    await page.evaluate(() => document.fonts.ready);
    await page.screenshot({ path: join(here.pictures, `workspace-${theme}.png`) });
    await page.keyboard.press("e");
    await page.getByText("Accept my version").waitFor();
    await page.getByRole("textbox", { name: "payment/worker/loop.py, after" }).getByText("ctx.redis").first().waitFor();
    await page.screenshot({ path: join(here.pictures, `workspace-modify-${theme}.png`) });
    await context.close();
  }
} finally {
  await chrome.close();
}
