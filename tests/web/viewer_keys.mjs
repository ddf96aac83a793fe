// What a viewer may not do, by keyboard alone and in the light theme: it is reached, says why, and no key does it.
import { axe, check, here, keyboard, story } from "./browsing.mjs";

await story(
  async ({ page, allow }) => {
    const { press, tabTo, arrowTo, signIn } = keyboard(page);
    const nothing = async (what) => check((await page.getByRole("dialog").count()) === 0, what);
    /** A button that cannot be pressed is reached all the same, and tells its reason to whoever listens. */
    const refused = async (name, key) => {
      await tabTo(name, key);
      const said = await page.evaluate(() => {
        const one = document.activeElement;
        return `${one.getAttribute("aria-disabled")} ${document.getElementById(one.getAttribute("aria-describedby") ?? "")?.textContent}`;
      });
      check(/^true Your role here does not allow it/.test(said), `${name} says why: ${said}`);
      await press("Enter");
    };
    await signIn(here.viewer, `/incidents/${here.incident}`);
    await page.getByRole("heading", { name: /Your team hit this/ }).waitFor();
    await press("Shift+R", "Shift+C", "y", "n", "a");
    await nothing("no key of an incident does anything");
    check((await page.getByText("You said").count()) === 0, "nothing was judged");
    await refused(/^Resolve/);
    await nothing("Resolve opens nothing");
    await tabTo(/^More to decide/);
    await press("Enter");
    await page.getByRole("menu").getByText("Your role here does not allow it").waitFor();
    await axe(page, "a menu in which nothing can be chosen, light");
    await press("Escape");
    await refused(/^Yes/);
    await refused(/^Record/);
    await axe(page, "an incident, for a viewer, light");

    // What may be looked at is looked at.
    await tabTo(/^Review the fix/, "Shift+Tab");
    await press("Enter");
    await page.getByRole("dialog", { name: "Previous fixes" }).waitFor();
    await refused(/^Mark as applied/);
    await tabTo(/^Release the redis connection/);
    await press("Enter");
    await page.waitForURL(/\/workspace/);
    const card = page.getByRole("article", { name: /^Release the redis connection/ });
    await card.getByRole("button", { name: /^Accept/ }).first().waitFor();
    await press("a", "e", "r", "i");
    check((await card.getByText(/Accepted|editing|Why not/).count()) === 0, "no key of a card does anything");
    await refused(/^Accept/);
    await refused(/^Reject/);
    check((await card.getByText("Why not?").count()) === 0, "Reject asks for no reason");
    await axe(page, "the workspace, for a viewer, light");

    await press("g", "t");
    await page.getByRole("button", { name: /^Branch/ }).waitFor();
    await press("b", "s");
    await nothing("no key begins a branch or names a moment");
    await refused(/^Branch/);
    await refused(/^Snapshot/);
    await press("g", "l");
    await page.getByRole("button", { name: /^Inject a failure/ }).waitFor();
    await press("i");
    await nothing("nothing is let fail");
    await refused(/^Inject a failure/);
    await press("g", "s");
    await page.waitForURL(/\/settings/);
    await tabTo(/^Keys$/);
    await press("Enter");
    await page.getByText("Your role here does not allow it").first().waitFor();
    await tabTo(/^Projects$/, "Shift+Tab");
    await press("Enter");
    await refused(/^Create/);

    // Out again.
    allow(/status of 401/);
    await tabTo(/Switch project/, "Shift+Tab");
    await press("Enter");
    await page.getByRole("menu").waitFor();
    await arrowTo(/^Sign out/);
    await press("Enter");
    await page.waitForURL(/\/sign-in/);
  },
  { colorScheme: "light" },
);
