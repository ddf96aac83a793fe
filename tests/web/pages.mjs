// Every page, in both themes and at three sizes: accessible, within its window, without a complaint of the browser.
import { axe, browser, check, fits, here, open, signIn } from "./browsing.mjs";

export const PAGES = [
  { name: "overview", path: "/", shows: "Services" },
  { name: "incidents", path: "/incidents", shows: "Incidents" },
  { name: "incident", path: `/incidents/${here.incident}`, shows: "Timeline" },
  { name: "incident-of-the-past", path: "/incidents/past-redis-worker-pool", shows: "What was tried" },
  { name: "incident-missing", path: "/incidents/nosuch", shows: "Page not found" },
  { name: "live", path: "/live", shows: "All services" },
  { name: "workspace", path: "/workspace", shows: "No code is here yet" },
  { name: "ask", path: "/ask?text=ConnectionResetError%20redis%20worker", shows: "In words" },
  { name: "time-machine", path: "/time", shows: "Check out" },
  { name: "settings-sending", path: "/settings/sending", shows: "First data received" },
  { name: "settings-integrations", path: "/settings/integrations?open=github", shows: "Deploys and other changes" },
  { name: "settings-projects", path: "/settings/projects", shows: "A new project" },
  { name: "settings-people", path: "/settings/people", shows: "Invite" },
  { name: "settings-keys", path: "/settings/keys", shows: "Make a key" },
  { name: "settings-retention", path: "/settings/retention", shows: "How to change it" },
  { name: "settings-privacy", path: "/settings/privacy", shows: "What leaves this machine" },
  { name: "settings-audit", path: "/settings/audit", shows: "Verify integrity" },
  { name: "settings-account", path: "/settings/account", shows: "Where you are signed in" },
  { name: "settings-installation", path: "/settings/installation", shows: "telemetry_days" },
  { name: "nowhere", path: "/nosuch", shows: "Page not found" },
  { name: "the-past", path: "/incidents?at=yesterday", shows: "Nothing can be changed here" },
];
const SIZES = [
  { width: 1280, height: 720 },
  { width: 390, height: 844 },
];

if (process.argv[1]?.endsWith("pages.mjs")) {
  const chrome = await browser();
  const shown = await open(chrome);
  // What is not there is asked for on purpose.
  shown.allow(/status of 404/);
  const { page } = shown;
  try {
    for (const theme of ["dark", "light"]) {
      await page.emulateMedia({ colorScheme: theme, reducedMotion: "reduce" });
      await page.goto("/sign-in");
      await page.getByLabel("Email").waitFor();
      await axe(page, `sign-in, ${theme}`);
      if (theme === "dark") await signIn(page, here.admin);
      for (const one of PAGES) {
        await page.goto(one.path);
        await page.getByText(one.shows).first().waitFor();
        check((await page.locator("h1").count()) === 1, `${one.name} has one heading`);
        check((await page.evaluate(() => document.documentElement.dataset.theme)) === theme, `${one.name} is ${theme}`);
        await axe(page, `${one.name}, ${theme}`);
        for (const size of theme === "dark" ? SIZES : []) {
          await page.setViewportSize(size);
          await fits(page, `${one.name} at ${size.width}`);
        }
        await page.setViewportSize(SIZES[0]);
      }
    }
    shown.settled();
  } catch (error) {
    if (process.env.PICTURE) await page.screenshot({ path: process.env.PICTURE });
    console.error(`${error.stack}\nat ${page.url()}`);
    process.exitCode = 1;
  } finally {
    await chrome.close();
  }
}
