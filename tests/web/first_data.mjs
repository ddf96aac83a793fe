// A new admin follows a one-time link, makes a project and a key, sends OTLP, and sees the first data arrive.
import { axe, check, here, story } from "./browsing.mjs";

await story(async ({ page, allow }) => {
  // A password that is too short is refused on purpose.
  allow(/status of 400/);
  await page.goto(new URL(here.link).pathname);
  await page.getByLabel("Your name").fill("Nia <b>New</b>");
  await page.getByLabel("Password").fill("short");
  await page.getByRole("button", { name: "Join" }).click();
  await page.getByText(/A password has 12/).waitFor();
  await axe(page, "an invitation with a problem");
  await page.getByLabel("Password").fill("a sentence is a good one");
  await page.getByRole("button", { name: "Join" }).click();
  await page.waitForURL((url) => url.pathname === "/");

  await page.goto("/settings/projects");
  await page.getByLabel("A new project").fill("fresh");
  await page.getByRole("button", { name: "Create" }).click();
  await page.getByText(/fresh is there/).waitFor();
  await page.getByRole("button", { name: /Switch project/ }).click();
  await page.getByRole("menuitemradio", { name: "fresh" }).click();
  await page.getByText("No service has sent anything").waitFor();
  await page.getByRole("link", { name: "Connect a log source" }).click();
  await page.getByText("Nothing has arrived yet").waitFor();
  check(page.url().includes("space=fresh"), "the project is part of the address");

  await page.getByLabel("What it is for").fill("collector <script>");
  await page.getByRole("button", { name: "Make a key" }).click();
  await page.getByText("It is shown this once").waitFor();
  const key = (await page.locator("pre", { hasText: "hc_ingest_" }).first().innerText()).trim();
  await page.getByRole("radio", { name: "OpenTelemetry Collector" }).click();
  check((await page.getByText(`X-Hindcast-Key: ${key}`).count()) === 1, "the instructions hold the key");

  await page.getByRole("radio", { name: "One line, by hand" }).click();
  const command = await page.locator("pre", { hasText: "curl" }).innerText();
  const body = /-d '(.+)'$/s.exec(command)?.[1];
  const sent = await fetch(/https?:\S+/.exec(command)?.[0], {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-Hindcast-Key": key },
    body,
  });
  check(sent.ok, `the line that the page shows is taken: ${sent.status}`);
  await page.getByText("First data received").waitFor();
  await page.getByText("hello", { exact: true }).first().waitFor();

  await page.goto("/settings/keys?space=fresh");
  await page.getByText("collector <script>").first().waitFor();
  check((await page.getByText(key).count()) === 0, "the secret is shown once");
  await page.getByRole("button", { name: "Revoke collector" }).click();
  await axe(page, "a question before something irreversible");
  await page.getByLabel(/Type collector/).fill("collector <script>");
  await page.keyboard.press("Enter");
  await page.getByText("opens nothing any more").waitFor();
  await page.getByText("revoked").first().waitFor();
  const refused = await fetch(`${here.url}/v1/logs`, { method: "POST", headers: { "Content-Type": "application/json", "X-Hindcast-Key": key }, body });
  check(refused.status === 401, `a revoked key opens nothing: ${refused.status}`);
});
