// Live by keyboard alone, in the light theme: an outage, its incident, a service, lines, what memory says.
import { axe, check, here, keyboard, story, until } from "./browsing.mjs";

await story(
  async ({ page }) => {
    const { press, type, tabTo, arrowTo, signIn } = keyboard(page);
    await signIn(here.admin);
    await page.getByRole("heading", { level: 1 }).waitFor();

    await press("g", "l");
    await page.waitForURL(/\/live/);
    const log = page.getByRole("log", { name: "Log lines" });

    // Every key is told.
    await press("?");
    const keys = page.getByRole("dialog", { name: "Keys" });
    for (const one of ["Pause, or resume", "Next line", "Analyse the chosen lines, or the service", "Choose a service", "Inject a failure (demo)"])
      await keys.getByText(one, { exact: true }).waitFor();
    await press("Escape");
    await keys.waitFor({ state: "detached" });

    // The outage.
    await press("i");
    const dialog = page.getByRole("dialog", { name: "Inject a failure" });
    await dialog.getByLabel("Where").waitFor();
    await until(async () => {
      await press("Tab");
      return dialog.getByLabel("Where").evaluate((one) => one === document.activeElement);
    }, "Tab reaches where it fails");
    await type("Only user");
    await tabTo(/^Run: bad deploy/);
    await press("Enter");
    await dialog.waitFor({ state: "detached" });
    await page.getByRole("list", { name: "Open incidents" }).getByRole("listitem").filter({ hasText: "user" }).first().waitFor();

    // Its service, and what memory says.
    await press("f");
    await arrowTo(/^user/);
    await press("Enter");
    await page.waitForURL(/service=user/);
    await press("a");
    const recalled = page.getByRole("region", { name: "What memory says" });
    await recalled.getByRole("heading").first().waitFor();
    await axe(page, "the analysis, light");
    await press("Escape");
    await recalled.waitFor({ state: "detached" });

    // Line by line; the stream rests meanwhile.
    await log.getByRole("button").first().waitFor();
    await tabTo(/^Pause/);
    await press("k");
    await page.getByRole("button", { name: "Resume" }).waitFor();
    await press("Enter");
    const details = page.getByRole("region", { name: "Details" });
    await details.getByText("service.version").waitFor();
    await press("x");
    await details.getByRole("region", { name: "Context" }).locator("[aria-current=true]").waitFor();
    await press("Shift+K", "a");
    await page.getByRole("button", { name: "Analyse 2 lines" }).waitFor();
    await recalled.waitFor();
    await press("Escape", "n");
    await page.getByRole("button", { name: "Pause" }).waitFor();

    // Space stops it and goes on; words narrow it.
    await press("Space");
    await page.getByRole("button", { name: "Resume" }).waitFor();
    await press("Space");
    await page.getByRole("button", { name: "Pause" }).waitFor();
    await press("/");
    await type("profile");
    await page.waitForURL(/text=profile/);
    await press("Escape");
    await until(async () => (await log.getByRole("button").count()) > 0, "lines with the word are there");
    const texts = await log.getByRole("button").allTextContents();
    check(texts.every((one) => /profile|error/i.test(one)), `only lines with the word are shown: ${texts.slice(0, 3).join(" | ")}`);
  },
  { colorScheme: "light" },
);
