// What telemetry and people said about an incident is text: on the overview, the lists, the incident, its sheets, and live.
import { check, here, signIn } from "./browsing.mjs";
import { LAPTOP, probing, SAID, SPACE } from "./sounding.mjs";

await probing(async ({ page, sound, goTo, shut }) => {
  // Links that would run are no way in.
  await signIn(page, here.admin, "javascript:hit()");
  await page.waitForURL((url) => url.pathname === "/");
  await sound("where a hostile link leads");
  await page.goto(`/invitation/${SAID}`);
  await page.getByText(/link/i).first().waitFor();
  await sound("an invitation that is none");

  // What telemetry, people and memory said, on each page.
  await goTo(`/?${SPACE}`);
  await sound("the overview", ["other", "service", "fix"]);
  await goTo(`/incidents?${SPACE}`);
  await sound("the list of incidents", ["other", "service"]);

  await goTo(`/incidents/${here.again}?${SPACE}`);
  await page.getByRole("heading", { name: /Your team hit this/ }).waitFor();
  await page.getByRole("button", { name: /more$/ }).click();
  await sound("the incident", ["other", "cause", "fix", "attempt", "outcome", "change", "alert", "body", "login"]);
  check((await page.getByText("by<img src=x onerror=hit()>").count()) > 0, "who knows it is named");
  const reasons = page.locator("button", { hasText: /^(?:The same|Nearly|nearly|Other|It )/ });
  for (let place = 0; place < (await reasons.count()); place += 1) {
    await reasons.nth(place).click();
    await page.getByRole("dialog").waitFor();
    await sound(`evidence ${place}`, [], [LAPTOP]);
    await shut();
  }
  await page.getByRole("button", { name: "Review the fix" }).click();
  await page.getByRole("dialog").waitFor();
  await sound("what ended it before", ["fix", "command", "config", "diff"]);
  await shut();
  await page.getByRole("button", { name: "Resolve" }).click();
  await page.getByRole("dialog").waitFor();
  await sound("resolving");
  await shut();
  for (const one of await page.getByText("Trace", { exact: true }).all()) await one.click();
  await sound("a trace", ["thrown"]);
  await goTo(`/incidents/${here.first}?${SPACE}`);
  await sound("the incident that was resolved", ["note", "attempt", "outcome", "cause", "fix"]);

  await goTo(`/live?${SPACE}`);
  await sound("live", ["other", "service", "body"]);
  await page.getByRole("log").getByRole("button").first().click();
  const details = page.getByRole("region", { name: "Details" });
  await details.getByText("key", { exact: false }).first().waitFor();
  await details.getByRole("button", { name: "Lines around it" }).click();
  await details.getByRole("region", { name: "Context" }).locator("[aria-current=true]").waitFor();
  await sound("a line", ["body", "key", "value", "thrown"]);
  await page.getByRole("button", { name: "Analyse the line" }).click();
  await page.getByRole("region", { name: "What memory says" }).getByRole("heading").first().waitFor();
  await sound("what memory says to a line", ["cause"]);
});
