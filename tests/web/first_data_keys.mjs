// The same by keyboard alone, in the light theme: a one-time link, a project, a key, the first data, and the key revoked.
import { axe, check, here, keyboard, story, until } from "./browsing.mjs";

await story(
  async ({ page, allow }) => {
    const { press, type, focused, tabTo, arrowTo } = keyboard(page);
    allow(/status of 400/);
    await page.goto(new URL(here.other_link).pathname);
    await page.getByLabel("Your name").waitFor();
    await tabTo(/^Your name/);
    await type("Kit <i>Keys</i>");
    await press("Tab");
    await type("short");
    await press("Enter");
    await page.getByText(/A password has 12/).waitFor();
    check((await focused()) === "Password", `what has to be typed again has the focus: ${await focused()}`);
    await axe(page, "an invitation with a problem, light");
    await press("Control+a");
    await type("a sentence is a good one");
    await press("Enter");
    await page.waitForURL((url) => url.pathname === "/");
    await page.getByRole("heading", { level: 1 }).waitFor();

    await press("g", "s");
    await page.waitForURL(/\/settings/);
    await tabTo(/^Projects/);
    await press("Enter");
    await page.getByLabel("A new project").waitFor();
    await tabTo(/^A new project/);
    await type("by-keys");
    await press("Enter");
    await page.getByText(/by-keys is there/).waitFor();
    await page.reload();
    await page.getByLabel("A new project").waitFor();
    await tabTo(/Switch project/);
    await press("Enter");
    await arrowTo(/^by-keys/);
    await press("Enter");
    await page.getByText("No service has sent anything").waitFor();
    await tabTo(/^Connect a log source/);
    await press("Enter");
    await page.getByText("Nothing has arrived yet").waitFor();
    check(page.url().includes("space=by-keys"), "the project is part of the address");

    await tabTo(/^What it is for/);
    await type("collector");
    await press("Enter");
    await page.getByText("It is shown this once").waitFor();
    await axe(page, "a key that is shown once, light");
    const key = (await page.locator("pre", { hasText: "hc_ingest_" }).first().innerText()).trim();
    const chosen = await page.getByRole("radio", { checked: true }).innerText();
    await tabTo(new RegExp(`^${chosen}`));
    await arrowTo(/^One line, by hand/, "ArrowRight");
    await press("Space");
    const command = await page.locator("pre", { hasText: "curl" }).innerText();
    const sent = await fetch(/https?:\S+/.exec(command)?.[0], {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-Hindcast-Key": key },
      body: /-d '(.+)'$/s.exec(command)?.[1],
    });
    check(sent.ok, `the line that the page shows is taken: ${sent.status}`);
    await page.getByText("First data received").waitFor();
    await axe(page, "first data, light");

    await tabTo(/^Keys$/);
    await press("Enter");
    await page.getByText("collector").first().waitFor();
    await tabTo(/^Revoke collector/);
    await press("Enter");
    await page.getByRole("dialog").waitFor();
    await tabTo(/^Type collector/);
    await type("collector");
    await press("Enter");
    await page.getByText("opens nothing any more").waitFor();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await until(async () => (await focused()) !== "", "whoever closed the question is somewhere");
  },
  { colorScheme: "light" },
);
