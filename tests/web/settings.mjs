// What an admin looks after: a test that goes all the way, a last error, what is kept, a line that is tried, a record that
// is erased for good, the trail of it all; and a viewer, who sees it and changes none of it.
import { axe, browser, check, fits, here, open, signIn, until } from "./browsing.mjs";

const SECRET = "hunter2-of-the-story";

async function admin({ page, allow }) {
  await signIn(page, here.admin, "/settings/integrations");
  await page.getByRole("heading", { level: 1, name: "Integrations" }).waitFor();

  // A sender that is refused is told of on its row, without a reload, with the reason and what to do.
  const row = page.getByRole("listitem").filter({ hasText: "Grafana alerting" });
  await row.getByText("Nothing has come yet").waitFor();
  const refused = await fetch(`${here.url}/webhooks/grafana`, {
    method: "POST",
    headers: { "X-Hindcast-Key": here.key, "Content-Type": "application/json" },
    body: '{"alerts": [{"startsAt": "2026-11-16T02:00:00Z", "status": "<b>burning</b>"}]}',
  });
  check(refused.status === 400, `a wrong status is refused: ${refused.status}`);
  await row.getByText("Last error").waitFor();
  check((await row.textContent()).includes("<b>burning</b>"), "what somebody sent is text");
  check((await row.textContent()).includes("Send firing or resolved"), "the error says what to do");

  // A test, by keyboard: it goes through the sender's own way in and is seen in the store.
  await row.getByRole("button", { name: "Send test: Grafana alerting" }).focus();
  await page.keyboard.press("Enter");
  await row.getByText(/Taken: 1 alert, seen .* later\./).waitFor();
  await row.getByRole("button", { name: /^Grafana alerting/ }).focus();
  await page.keyboard.press("Enter");
  await row.getByText("Contact points").waitFor();
  check((await row.locator("pre").textContent()).includes("/webhooks/grafana"), "where to send is told");
  await axe(page, "integrations with a result and an error");
  const lines = page.getByRole("listitem").filter({ hasText: "Loki push" });
  await lines.getByRole("button", { name: "Send test: Loki push" }).click();
  await lines.getByRole("link", { name: "Look at the line" }).click();
  await page.waitForURL(/\/live\?/);
  await page.getByText(/This is a test of Hindcast/).first().waitFor();
  const under = await (await page.request.get("/api/v1/incidents?service=hindcast-test")).json();
  check(under.items.length === 0, "a test opens no incident");
  // Syslog is on where the stage listens for it; a row that opened by its address is shared by its address.
  await page.goto("/settings/integrations?open=github");
  await page.getByText("No secret is set").waitFor();

  await page.goto("/settings/retention");
  await page.getByText("HINDCAST_TELEMETRY_DAYS=30").waitFor();
  const kept = page.getByRole("list", { name: "What is kept" }).getByRole("listitem");
  check(/for ever/.test(await kept.filter({ hasText: /^Memory/ }).textContent()), "memory has no end");
  check(/30 days.*oldest/.test(await kept.filter({ hasText: "Log lines" }).textContent()), "lines say how old the oldest is");

  await page.goto("/settings/privacy");
  await page.getByLabel("Try a line").fill(`<i>ana@example.org</i> signs in with password=${SECRET}`);
  await page.getByRole("button", { name: "See what would be kept" }).click();
  await page.getByText("2 parts would be taken out").waitFor();
  const shown = await page.locator("pre").textContent();
  check(shown === "<i>[redacted:email]</i> signs in with password=[redacted:password]", `what would be kept: ${shown}`);
  check((await page.locator("mark").count()) === 2, "what was taken out is marked");
  await axe(page, "privacy with a line tried");

  // Erasing: found, confirmed by typing, gone.
  await page.getByLabel("Find a record").fill("quokka");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Erase notes/personal" }).click();
  const dialog = page.getByRole("dialog");
  const button = dialog.getByRole("button", { name: /^Erase/ });
  check((await button.getAttribute("aria-disabled")) === "true", "nothing is erased by a slip");
  await dialog.getByLabel("Why").fill("asked for by the person");
  await dialog.getByLabel("Type the address to erase it").fill("notes/persona");
  check((await button.getAttribute("title"))?.includes("Type its address"), "half an address is not enough");
  await axe(page, "the question before erasing");
  await dialog.getByLabel("Type the address to erase it").fill("notes/personal");
  await page.keyboard.press("Enter");
  await page.getByText("1 version of notes/personal erased.").waitFor();
  const gone = await page.request.get("/api/v1/memory/records/notes/personal");
  check(!(await gone.text()).includes("quokka"), "it is gone");
  await until(async () => (await page.getByRole("button", { name: "Erase notes/personal" }).count()) === 0, "the list is up to date");

  // The trail knows of it, what is looked for stands in the address, and the whole of it can be checked.
  await page.goto("/settings/audit");
  await page.getByLabel("What", { exact: true }).fill("erase");
  await page.keyboard.press("Enter");
  await page.waitForURL(/what=erase/);
  const entries = page.getByRole("list", { name: /Entries/ }).getByRole("listitem");
  await until(async () => (await entries.count()) === 1, "one entry tells of it");
  check((await entries.first().textContent()).includes("POST /api/v1/memory/erase"), "who erased is on record");
  await page.getByRole("button", { name: "Verify" }).click();
  await page.getByText(/Sound: .* entries/).waitFor();
  const file = page.waitForEvent("download");
  await page.getByRole("button", { name: "Export CSV" }).click();
  check((await file).suggestedFilename() === "audit.csv", "the trail can be taken away");
  await axe(page, "audit, verified");
  allow(/status of 404/);
}

async function viewer({ page }) {
  await signIn(page, here.viewer, "/settings/integrations");
  const test = page.getByRole("button", { name: "Send test: Sentry" });
  await test.waitFor();
  check((await test.getAttribute("aria-disabled")) === "true", "a viewer sends no test");
  check((await test.getAttribute("title"))?.includes("role"), "and is told why");
  check((await page.getByText("Refused before it was known").count()) === 0, "what is nobody's is not for viewers");
  await page.goto("/settings/privacy");
  await page.getByLabel("Try a line").fill("password=abc");
  await page.getByRole("button", { name: "See what would be kept" }).click();
  await page.getByText("1 part would be taken out").waitFor();
  await page.getByLabel("Find a record").fill("redis");
  await page.keyboard.press("Enter");
  const erase = page.getByRole("button", { name: /^Erase cases/ }).first();
  await erase.waitFor();
  check((await erase.getAttribute("aria-disabled")) === "true", "a viewer erases nothing");
  await page.goto("/settings/audit");
  await page.getByText("Your role here does not allow it").waitFor();
  const session = await (await page.request.get("/api/v1/session")).json();
  const headers = { "X-Hindcast-CSRF": session.csrf, Origin: here.url };
  for (const [path, data] of [
    ["/api/v1/integrations/sentry/test", {}],
    ["/api/v1/memory/erase", { address: "notes/other", why: "no" }],
  ]) {
    const refused = await page.request.post(path, { headers, data });
    check(refused.status() === 403, `the service refuses ${path} as well: ${refused.status()}`);
  }
  await page.setViewportSize({ width: 390, height: 844 });
  for (const part of ["integrations", "retention", "privacy"]) {
    await page.goto(`/settings/${part}`);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await fits(page, `${part} on a phone`);
  }
}

const chrome = await browser();
try {
  for (const tell of [admin, viewer]) {
    const shown = await open(chrome);
    try {
      await tell(shown);
      shown.settled();
    } catch (error) {
      if (process.env.PICTURE) await shown.page.screenshot({ path: process.env.PICTURE });
      throw new Error(`${error.stack}\nat ${shown.page.url()}`);
    }
  }
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
} finally {
  await chrome.close();
}
