// Every page is opened in a browser that has seen nothing yet, and what it really fetches by itself is weighed.
import { browser, check, here, open, until } from "./browsing.mjs";

const LOOP = "payment/worker/loop.py";
/** What is on a page once it has fetched all that it fetches by itself. */
const SHOWN = {
  OverviewPage: { path: "/", there: (page) => [page.getByRole("region", { name: "Services" })] },
  IncidentsPage: { path: "/incidents", there: (page) => [page.getByRole("list", { name: "Incidents" }).getByRole("listitem").first()] },
  IncidentPage: {
    path: `/incidents/${here.incident}`,
    there: (page) => [page.getByText("Who knows this"), page.getByText("Top errors"), page.getByRole("button", { name: "More to decide" })],
  },
  LivePage: { path: "/live", there: (page) => [page.getByRole("log")] },
  AskPage: { path: "/ask", there: (page) => [page.getByRole("heading", { level: 1 })] },
  TimePage: { path: "/time", there: (page) => [page.getByRole("list", { name: /^Commits of/ }).getByRole("listitem").first()] },
  SettingsPage: { path: "/settings", there: (page) => [page.getByText("First data received").or(page.getByText("Waiting for")).first()] },
  WorkspacePage: {
    path: "/workspace",
    there: (page) => [
      // The card that it opens by itself, with colours on both sides; the file beside it; the log; what can be decided.
      page.getByRole("group", { name: `${LOOP}, after` }).locator(".code-call").first(),
      page.getByRole("textbox", { name: `${LOOP}, code` }).locator(".code-word").first(),
      page.getByText(/^Broke .* before/).first(),
      page.getByText("Nobody has decided about a fix here yet"),
      page.getByRole("toolbar", { name: "The fix that is looked at" }),
    ],
  },
};

/** Nothing is on its way any more, and nothing is left to be done. */
async function quiet(page) {
  await until(() => page.evaluate(() => document.querySelectorAll(".skeleton").length === 0), "everything is there");
  await page.evaluate(() => new Promise((resolve) => requestIdleCallback(() => requestIdleCallback(resolve))));
}

const files = (page) =>
  page.evaluate(() =>
    performance
      .getEntriesByType("resource")
      .map((one) => new URL(one.name).pathname.slice(1))
      .filter((name) => /^assets\/.*\.js$/.test(name)),
  );

const kb = (names) => names.reduce((sum, name) => sum + here.bytes[name], 0) / 1024;
const told = [];
const chrome = await browser();
try {
  for (const [name, { path, there }] of Object.entries(SHOWN)) {
    const { page, context, settled } = await open(chrome);
    await page.goto(path);
    for (const one of there(page)) await one.waitFor();
    await quiet(page);
    const fetched = new Set(await files(page));
    check(here.shell.every((one) => fetched.has(one)), `${name} has the shell around it`);
    const added = [...fetched].filter((one) => !here.shell.includes(one) && !here.languages.includes(one));
    const unsaid = added.filter((one) => !here.pages[name].files.includes(one));
    check(unsaid.length === 0, `${name} fetches at once only what it is said to: ${unsaid.join(", ")}`);
    const unfetched = here.pages[name].files.filter((one) => !fetched.has(one));
    check(unfetched.length === 0, `${name} fetches all that it is said to: ${unfetched.join(", ")}`);
    check(kb(added) <= here.pages[name].kbMax, `${name} adds ${kb(added).toFixed(1)} KB, of ${here.pages[name].kbMax}`);
    const grammar = [...fetched].filter((one) => here.languages.includes(one));
    check(kb(grammar) <= here.languageKbMax, `the language of ${name} weighs ${kb(grammar).toFixed(1)} KB`);
    check((grammar.length > 0) === (name === "WorkspacePage"), "a language is fetched where there is code, and nowhere else");
    told.push(`${name} ${kb(added).toFixed(1)}`);
    settled();
    await context.close();
  }
  console.log(told.join("\n"));
} catch (error) {
  console.error(error.stack);
  process.exitCode = 1;
} finally {
  await chrome.close();
}
