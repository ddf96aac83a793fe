// Every state that a page can be in, made for real: on its way, failed, old, cut off, empty, and on paper.
import { check, fits, here, signIn, story, until } from "./browsing.mjs";

const SLOW_MS = 600;
const DOWN = { type: "/problems/internal", title: "Internal", status: 500, detail: "Something broke in here.", remedy: "Try again." };
const ID = "00c0ffee00c0ffee";
// Where a page says by itself that it failed: at a path of the API, with what it calls the part.
const PAGES = [
  { path: "/", parts: ["The counts", "The open incidents", "The services", "How far memory can be relied on"] },
  { path: "/incidents", parts: ["The list"] },
  { path: `/incidents/${here.incident}`, parts: [`Incident ${here.incident}`] },
  { path: "/live", parts: [] },
  { path: "/workspace", parts: [] },
  { path: "/ask?text=redis", parts: [] },
  { path: "/time", parts: [] },
  { path: "/settings/people", parts: [] },
  { path: "/settings/keys", parts: [] },
  { path: "/settings/account", parts: [] },
];
const API = (url) => url.pathname.startsWith("/api/v1/") && !/\/api\/v1\/(?:session|live|spaces)$/.test(url.pathname);

/** How visible the placeholders are: none, or the least of them. */
function placeholders() {
  const found = [...document.querySelectorAll(".skeleton")].filter((one) => one.getClientRects().length > 0);
  return { many: found.length, faint: Math.min(1, ...found.map((one) => Number(getComputedStyle(one).opacity))) };
}

await story(async ({ page, context, allow }) => {
  // Every failure here is made on purpose; a project in which nothing was ever remembered has no memory to find.
  allow(/status of (?:500|503)|net::ERR_|Failure: Hindcast does not answer/);
  allow(/status of 404.*\/api\/v1\/memory\//);
  const fail = (route) => route.fulfill({ status: 500, headers: { "X-Request-Id": ID, "Content-Type": "application/problem+json" }, body: JSON.stringify(DOWN) });
  await signIn(page, here.admin);
  await page.getByRole("heading", { name: "Services" }).waitFor();

  // On its way: the place of what comes, not a wheel that turns; never for good.
  const slow = async (route) => {
    await new Promise((resolve) => setTimeout(resolve, SLOW_MS));
    await route.continue().catch(() => undefined);
  };
  await page.route(API, slow);
  for (const { path } of PAGES) {
    await page.goto(path, { waitUntil: "commit" });
    await page.locator(".skeleton").first().waitFor({ state: "attached" });
    await until(async () => {
      const { many, faint } = await page.evaluate(placeholders);
      return many > 0 && faint === 1;
    }, `${path} shows what is on its way`);
    check((await page.locator("main, [role=status]").count()) > 0, `${path} says that it loads`);
    await until(async () => (await page.evaluate(placeholders)).many === 0, `${path} has come`);
  }
  await page.unroute(API, slow);

  // Failed: what, what still works, again, and what to tell whoever runs it. No part waits for ever.
  await page.route(API, fail);
  for (const { path, parts } of PAGES) {
    await page.goto(path);
    const alerts = page.getByRole("alert");
    await alerts.first().waitFor();
    for (const part of parts) await alerts.filter({ hasText: `${part} could not be shown` }).waitFor();
    await until(async () => (await page.evaluate(placeholders)).many === 0, `${path}: nothing waits for what has failed`);
    const first = alerts.first();
    await first.getByText(DOWN.detail).waitFor();
    await first.getByText(ID).waitFor();
    await first.getByRole("button", { name: "Copy request id" }).waitFor();
    await first.getByRole("button", { name: "Retry" }).waitFor();
    check((await page.getByRole("navigation", { name: "Respond" }).count()) === 1, `${path} leaves the way to other pages`);
    check((await page.locator("h1").count()) === 1 && (await page.locator("h1").innerText()).trim() !== "", `${path} still has its heading`);
  }
  await page.unroute(API, fail);

  // One part failed: the others stand, and trying again mends it.
  const recall = /\/recall/;
  await page.route(recall, fail);
  await page.goto(`/incidents/${here.incident}`);
  const silent = page.getByRole("alert").filter({ hasText: "What memory says could not be shown" });
  await silent.getByText("Everything detection saw is below.").waitFor();
  await page.getByRole("heading", { name: "Timeline" }).waitFor();
  await page.unroute(recall, fail);
  await silent.getByRole("button", { name: "Retry" }).click();
  await page.getByRole("heading", { name: /Your team hit this/ }).waitFor();
  await silent.waitFor({ state: "detached" });

  // Old: what was there stays, and says how old it is.
  await page.clock.install();
  await page.goto("/");
  await page.getByRole("link", { name: /^payment: redis/ }).waitFor();
  await page.route(API, (route) => route.abort());
  await page.clock.fastForward(90_000);
  await page.getByText(/^As of (?:\d|1) min(?:utes?)? ago: Hindcast does not answer/).first().waitFor();
  check(await page.getByRole("link", { name: /^payment: redis/ }).isVisible(), "old data is kept");
  check((await page.getByRole("alert").count()) === 0, "nothing that is there is called failed");
  await page.unrouteAll({ behavior: "ignoreErrors" });
  await page.clock.fastForward(90_000);
  await page.getByText(/^As of/).first().waitFor({ state: "detached" });

  // Cut off: an amber word at the top, on a phone as well; it goes when the line is back.
  const pill = page.getByRole("status").filter({ hasText: "Connection lost, retrying" });
  await context.setOffline(true);
  await page.clock.fastForward(40_000);
  await pill.waitFor();
  for (const width of [390, 1280]) {
    await page.setViewportSize({ width, height: 720 });
    check(await pill.isVisible(), `the line is said to be lost at ${width}`);
    await fits(page, `a lost line at ${width}`);
  }
  check(await page.getByRole("link", { name: /^payment: redis/ }).isVisible(), "without a line data is kept");
  const away = page.getByRole("alert").filter({ hasText: "Hindcast does not answer" });
  await page.route(/WorkspacePage/, (route) => route.abort());
  await page.getByRole("link", { name: "Workspace" }).click();
  await away.filter({ hasText: "This page could not be shown" }).waitFor();
  await page.getByRole("link", { name: "Overview", exact: true }).click();
  await page.getByRole("link", { name: /^payment: redis/ }).waitFor();
  await page.getByRole("link", { name: /^Incidents/ }).click();
  await away.first().waitFor();
  await context.setOffline(false);
  await page.unrouteAll({ behavior: "ignoreErrors" });
  await page.clock.fastForward(20_000);
  await pill.waitFor({ state: "detached" });
  await page.getByRole("listitem").filter({ hasText: /payment: redis/ }).first().waitFor();

  // Empty: one line why, and the one thing that fills it.
  const session = await (await page.request.get("/api/v1/session")).json();
  const made = await page.request.post("/api/v1/spaces", { headers: { "X-Hindcast-CSRF": session.csrf, Origin: here.url }, data: { project: "blank" } });
  check(made.ok() || made.status() === 409, `a project without anything is there: ${made.status()}`);
  for (const [path, why, action] of [
    ["/", "No service has sent anything", "Connect a log source"],
    ["/incidents", "No incident has happened yet", "Connect a log source"],
    ["/incidents?text=nothing", "No incident is like that", "Show all"],
    ["/live", "No service has sent anything", "Connect a log source"],
    ["/workspace", "No code is here yet", "Add a workspace"],
    ["/time", "Nothing has been remembered", ""],
  ]) {
    await page.goto(`${path}${path.includes("?") ? "&" : "?"}space=blank`);
    await page.getByText(why).first().waitFor();
    const way = page.getByRole("link", { name: action }).or(page.getByRole("button", { name: action }));
    check(!action || (await way.count()) > 0, `${path} says how it is filled: ${action}`);
  }

  // Of another time: what is not of that time says so.
  await page.goto("/?at=yesterday");
  await page.getByText("as they are now").waitFor();
  await page.getByText("as it is now").waitFor();
  await page.goto("/live?at=yesterday");
  await page.getByText("Services and lines are those of now").waitFor();
  await page.goto("/incidents/past-redis-worker-pool?at=yesterday");
  const file = page.waitForEvent("download");
  await page.getByRole("link", { name: "Markdown" }).click();
  check(/[?&]at=yesterday/.test((await file).url()), "what is taken away is of that time as well");
  check((await file).suggestedFilename() === "past-redis-worker-pool.md", "and has the name of the incident");

  // On paper: the incident from its first word to its last, dark on white, without what only a screen needs.
  await page.goto(`/incidents/${here.incident}`);
  await page.getByRole("heading", { name: /Your team hit this/ }).waitFor();
  await page.emulateMedia({ media: "print" });
  check(!(await page.getByRole("navigation").first().isVisible()), "paper has no navigation");
  const doing = page.getByRole("button", { name: /^(?:Resolve|Confirm|Review|Yes|No|Copy|Share|Record)/ });
  check((await doing.count()) === 0, `nothing can be done on paper: ${await doing.allInnerTexts()}`);
  const pale = await page.evaluate(() => {
    const light = (colour) => {
      const [r, g, b, a = 1] = colour.match(/[\d.]+/g).map(Number);
      const part = (value) => (value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4);
      return a === 0 ? 1 : 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
    };
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const found = [];
    while (texts.nextNode()) {
      const { data, parentElement: around } = texts.currentNode;
      if (!data.trim() || around.getClientRects().length === 0 || around.closest(".sr-only, svg")) continue;
      if (1.05 / (light(getComputedStyle(around).color) + 0.05) < 4.5) found.push(data.slice(0, 30));
    }
    return found;
  });
  check(pale.length === 0, `what is printed is dark on white: ${pale.join(" | ")}`);
  const cut = await page.evaluate(() => [...document.querySelectorAll("main, [data-scroll]")].filter((one) => one.scrollHeight > one.clientHeight + 1).length);
  check(cut === 0, "nothing is cut off at the end of a screen");
  const sheets = (await page.pdf({ format: "A4" })).toString("latin1").match(/\/Type\s*\/Page\b/g)?.length ?? 0;
  check(sheets >= 2, `the whole incident is printed: ${sheets} sheets`);
});
