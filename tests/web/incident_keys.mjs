// The same by keyboard alone, in the light theme: nothing is clicked, filled or focused but by keys.
import { asking, axe, check, here, keyboard, story, until } from "./browsing.mjs";

const HOLD_MS_MAX = 180_000;

await story(
  async ({ page }) => {
    const { press, type, focused, tabTo, arrowTo, signIn } = keyboard(page);
    const told = (text) => page.getByRole("status").getByText(text).first();
    const dialog = (name) => page.getByRole("dialog", { name });
    await signIn(here.admin);
    await page.getByRole("heading", { level: 1 }).waitFor();
    const broken = await (await asking(page))("POST", "/api/v1/simulator", { scenario: "dependency-outage", service: "auth", errors: 150 });
    check(broken.ok(), `the outage is made: ${await broken.text()}`);

    // To the newest incident, by the list.
    await press("g", "i");
    await page.getByRole("heading", { name: "Incidents", level: 1 }).waitFor();
    await page.locator('a[href*="/incidents/inc-"][href*="-auth"]').first().waitFor();
    await press("j", "Enter");
    await page.waitForURL(/\/incidents\/inc-.*auth/);
    await page.getByRole("heading", { name: "Timeline" }).waitFor();

    // Every key is told.
    await press("?");
    for (const one of ["Escalate: whom to ask, and what they have to know", "Say what ended it", "Record an attempt", "Undo what was just done"]) await dialog("Keys").getByText(one, { exact: true }).waitFor();
    await axe(page, "the keys, light");
    await press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });

    // An attempt in one line; Escape leaves the box, and a key takes back what was said.
    await press("a");
    check((await focused()) === "What was tried", "a key leads to the line");
    await type("restarted auth");
    await press("Enter");
    await told("The attempt is recorded.").waitFor();
    await press("Escape");
    check((await focused()) === "", "letters are keys again");
    await press("u");
    await told("Taken back.").waitFor();
    await press("a");
    await type("rolled auth back");
    await press("Enter");
    await page.getByText("rolled auth back").first().waitFor();
    await tabTo(/^made it worse/, "Shift+Tab");
    await press("Enter");
    await told(/^a1: made it worse/).waitFor();
    await until(async () => /^a1/.test(await focused()), "focus stays at the attempt that was judged");

    // Joined with another, and the other split off again.
    await tabTo(/^More to decide/, "Shift+Tab");
    await press("Enter");
    await page.getByRole("menu").waitFor();
    await axe(page, "what else can be decided, light");
    await arrowTo(/^Join with another/);
    await press("Enter");
    await dialog("Join").getByLabel("The other incident").waitFor();
    await tabTo(/^The other incident/);
    await type("notification exits");
    await press("Enter");
    await tabTo(/^Join$/);
    await press("Enter");
    await dialog("Join").waitFor({ state: "detached" });
    await told(/is part of this one now/).waitFor();
    await until(async () => (await focused()) === "More to decide", "focus is back at what opened it");
    await page.getByText("errors a minute, 2 services").first().waitFor();
    await press("Enter");
    await arrowTo(/^Split services off/);
    await press("Enter");
    await dialog("Split").waitFor();
    await tabTo(/^notification/);
    await press("Space");
    await tabTo(/^Split$/);
    await axe(page, "splitting, light");
    await press("Enter");
    await page.waitForURL(/auth-notification$/);
    await page.getByRole("heading", { level: 1, name: /^notification: / }).waitFor();
    await press("u");
    await told("Taken back.").waitFor();
    await page.waitForURL(/auth$/);
    await page.getByRole("heading", { level: 1, name: /^auth: / }).waitFor();

    // What ended it, with notes, and back again.
    await press("Shift+R");
    await dialog("Resolve incident").waitFor();
    await until(async () => (await focused()) === "Why it happened", "whoever is asked can type at once");
    await type("the release broke the token check");
    await tabTo(/^What ended it/);
    await type("rolled back");
    await axe(page, "resolving, light");
    await tabTo(/^Save/);
    await press("Enter");
    await dialog("Resolve incident").waitFor({ state: "detached" });
    await told("It is over.").waitFor();
    await page.getByRole("region", { name: "What is known" }).getByText("the release broke the token check").waitFor();
    await press("u");
    await told("It is open again.").waitFor();

    // The one that memory knows, by the filter of the list.
    await press("g", "i");
    await page.getByRole("heading", { name: "Incidents", level: 1 }).waitFor();
    await press("/");
    await type("settle_charge payment");
    await page.waitForURL(/text=settle_charge/);
    await press("Escape");
    await tabTo(/payment: redis/);
    await press("Enter");
    await page.waitForURL(new RegExp(here.incident));
    const memory = page.getByRole("region", { name: /Your team hit this/ });
    await memory.waitFor();
    await tabTo(/^The same fingerprint/);
    await press("Enter");
    await page.getByRole("dialog").getByText("Trace then").waitFor();
    await axe(page, "evidence, light");
    await press("Escape");
    await until(async () => (await focused()).startsWith("The same fingerprint"), "focus returns to the chip");
    await tabTo(/^All$/);
    await arrowTo(/^Memory/, "ArrowRight");
    await press("Space");
    await page.getByRole("cell", { name: /released the connection explicitly.*it worked/ }).first().waitFor();

    // It may be over by now.
    if ((await page.getByRole("button", { name: "Reopen" }).count()) > 0) {
      await tabTo(/^Reopen/, "Shift+Tab");
      await press("Enter");
      await told("It is open again.").waitFor();
    }

    // Handing over begins with a key; nobody is recorded as asked before somebody is named.
    await page.getByRole("button", { name: /^Escalate/ }).waitFor();
    await press("e");
    await dialog("Escalate").waitFor();
    await axe(page, "handing over, light");
    await tabTo(/^Log this escalation/);
    await press("Enter");
    await tabTo(/^Contact/, "Shift+Tab");
    await type("@payments");
    await press("Enter");
    await dialog("Escalate").waitFor({ state: "detached" });
    await told("It is kept with the incident that @payments was asked.").waitFor();
    await press("u");
    await told("Taken back.").waitFor();
    await page.getByText(/^Escalated to @payments/).first().waitFor({ state: "detached" });

    // The change just before it, taken back by somebody: one key says so, another takes the word back.
    await page.getByRole("button", { name: /^I rolled back/ }).waitFor();
    await press("b");
    await told("The attempt is recorded.").waitFor();
    await page.getByText(/^rolled payment back, deploy 8f3c2e1/).first().waitFor();
    await press("u");
    await told("Taken back.").waitFor();
    await page.getByText(/^rolled payment back/).first().waitFor({ state: "detached" });

    // What is told next must not be taken for this.
    await told("Taken back.").waitFor({ state: "detached" });
    await press("n");
    await told("It counts as wrong from now on.").waitFor();
    await memory.waitFor({ state: "detached" });
    await press("u");
    await told("Taken back.").waitFor();
    await memory.getByText("Is this the same problem?").waitFor();
    await press("y");
    await told("It counts as right from now on.").waitFor();
    await memory.getByText("You said: right").waitFor();
    await tabTo(/^Review the fix/);
    await press("Enter");
    await dialog("Previous fixes").waitFor();
    await axe(page, "the fix, light");
    await tabTo(/^Mark as applied/);
    await press("Enter");
    await told("The attempt is recorded.").waitFor();
    await dialog("Previous fixes").waitFor({ state: "detached" });
    await tabTo(/READONLY/);
    await press("Enter");
    await page.waitForURL(/past-/);
    await page.getByText("Resolved").first().waitFor();

    // Another one has gone quiet; it is confirmed by its key.
    await press("g", "i");
    await page.getByRole("heading", { name: "Incidents", level: 1 }).waitFor();
    await page.getByRole("listitem").filter({ hasText: "waiting for confirmation" }).filter({ hasText: "analytics" }).waitFor({ timeout: HOLD_MS_MAX });
    await tabTo(/analytics: /);
    await press("Enter");
    await page.getByRole("button", { name: /^Confirm recovery/ }).waitFor();
    await press("Shift+C");
    await told("It is over.").waitFor();
    await page.getByRole("button", { name: "Reopen" }).waitFor();

    // The palette: jump and ask.
    await press("Control+k");
    await page.getByPlaceholder(/Paste an error/).waitFor();
    await axe(page, "the palette, light");
    await type("redis worker");
    await page.getByRole("option", { name: /Payment workers lose redis/ }).waitFor();
    await press("Enter");
    await page.waitForURL(/\/ask\?text=redis/);
    await page.getByText("In words").waitFor();
  },
  { colorScheme: "light" },
);
