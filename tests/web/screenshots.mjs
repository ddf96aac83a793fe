// Pictures of the pages, as the README shows them.
import { join } from "node:path";
import { browser, here, open, signIn, until } from "./browsing.mjs";

const PICTURES = [
  { name: "overview", path: "/", shows: "came to mind first" },
  { name: "incidents", path: "/incidents", shows: "Payment workers lose redis" },
  { name: "incident", path: `/incidents/${here.incident}`, shows: "Who knows this" },
  { name: "live", path: "/live?service=payment&analyse=service", shows: "Reasoning" },
  { name: "ask", path: "/ask?text=redis.exceptions.ConnectionError%3A%20Connection%20reset%20by%20peer", shows: "In words" },
  { name: "time", path: "/time", shows: "Check out" },
  { name: "settings", path: "/settings/sending", shows: "First data received" },
];

/** Let all services of the simulator log for a moment, so that there is something to see. */
async function lively(page) {
  const { csrf } = await (await page.request.get("/api/v1/session")).json();
  const headers = { "X-Hindcast-CSRF": csrf, Origin: here.url };
  const begun = await page.request.post("/api/v1/simulator", { headers, data: {} });
  if (!begun.ok()) throw new Error(await begun.text());
  await until(async () => (await (await page.request.get("/api/v1/services")).json()).items.length >= 7, "every service is heard");
}

const chrome = await browser();
try {
  for (const theme of ["dark", "light"]) {
    const { page, context } = await open(chrome, { viewport: { width: 1440, height: 900 }, colorScheme: theme });
    await signIn(page, here.admin);
    if (theme === "dark") await lively(page);
    for (const one of PICTURES) {
      await page.goto(one.path);
      await page.getByText(one.shows).first().waitFor();
      await page.waitForFunction(() => document.querySelectorAll(".skeleton").length === 0);
      await page.evaluate(() => document.fonts.ready);
      await page.screenshot({ path: join(here.pictures, `${one.name}-${theme}.png`) });
    }
    await context.close();
  }
} finally {
  await chrome.close();
}
