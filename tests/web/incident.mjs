// An outage appears without reload; its incident is read, judged, worked on, joined, split, resolved, confirmed and taken back.
import { asking, axe, check, here, signIn, story, until } from "./browsing.mjs";

const PROBE = "<img src=x onerror=\"document.title='broken in'\"> restarted the workers";
const HOLD_MS_MAX = 180_000;

await story(async ({ page }) => {
  await signIn(page, here.admin);
  await page.getByRole("heading", { level: 1 }).waitFor();
  const told = (text) => page.getByRole("status").getByText(text).first();
  const undo = () => page.getByRole("status").getByRole("button", { name: "Undo" }).last().click();

  // Somebody's outage, through the real way in; the page is not touched.
  const ask = await asking(page);
  const broken = await ask("POST", "/api/v1/simulator", { scenario: "certificate-expiry", service: "notification", errors: 150 });
  check(broken.ok(), `the outage is made: ${await broken.text()}`);
  await page.getByRole("link", { name: /^notification: Error: certificate has expired/ }).click();
  await page.waitForURL(/\/incidents\/inc-.*notification/);
  const mine = new URL(page.url()).pathname;
  await page.getByRole("heading", { name: "Timeline" }).waitFor();

  // What was tried, and what came of it; a note; each can be taken back.
  await page.getByRole("textbox", { name: "What was tried" }).fill(PROBE);
  await page.getByRole("button", { name: "Record" }).click();
  await told("The attempt is recorded.").waitFor();
  await page.getByText(PROBE).first().waitFor();
  check((await page.title()) !== "broken in", "what somebody typed is text");
  await page.getByRole("button", { name: "no effect" }).click();
  await told("a1: no effect.").waitFor();
  await page.getByLabel("A note").fill("the provider was called");
  await page.getByRole("button", { name: "Note", exact: true }).click();
  await page.getByRole("list", { name: "Notes" }).getByText("the provider was called").waitFor();
  await undo();
  await page.getByText("the provider was called").first().waitFor({ state: "detached" });

  // Two that are one, and one that is two; that, too.
  const more = page.getByRole("button", { name: "More to decide" });
  await more.click();
  await page.getByRole("menuitem", { name: "Join with another" }).click();
  const joining = page.getByRole("dialog", { name: "Join" });
  await joining.getByLabel("The other incident").selectOption({ label: "0.2% of events missing in analytics" });
  await axe(page, "joining");
  await joining.getByRole("button", { name: "Join" }).click();
  await joining.waitFor({ state: "detached" });
  await told("past-unclear-lost-events is part of this one now.").waitFor();
  await more.click();
  await page.getByRole("menuitem", { name: "Split services off" }).click();
  const splitting = page.getByRole("dialog", { name: "Split" });
  await splitting.getByLabel("analytics").check();
  await axe(page, "splitting");
  await splitting.getByRole("button", { name: "Split" }).click();
  await page.waitForURL(/notification-analytics$/);
  await page.getByRole("heading", { level: 1, name: /^analytics: / }).waitFor();
  await undo();
  await told("Taken back.").waitFor();
  await page.waitForURL((url) => url.pathname === mine);
  await page.goto("/incidents/past-unclear-lost-events");
  await page.getByText("Part of").waitFor();
  await page.goto(mine);

  // What ended it; taken back, it is open again.
  await page.getByRole("button", { name: /^Resolve/ }).click();
  const dialog = page.getByRole("dialog", { name: "Resolve incident" });
  await axe(page, "resolving");
  await dialog.getByLabel("Why it happened").fill("the certificate of the provider had run out");
  await dialog.getByLabel("Which attempt it was").selectOption({ index: 0 });
  await dialog.getByLabel("What ended it").fill("renewed it");
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.waitFor({ state: "detached" });
  await told("It is over.").waitFor();
  const known = page.getByRole("region", { name: "What is known" });
  await known.getByText("the certificate of the provider had run out").waitFor();
  await undo();
  await told("It is open again.").waitFor();
  await page.getByText("Open for").waitFor();

  // The incident that memory knows: everything that it says is there, and what it rests on is a click away.
  await page.goto(`/incidents/${here.incident}`);
  const memory = page.getByRole("region", { name: /Your team hit this/ });
  await memory.getByRole("heading", { name: "Cause last time" }).waitFor();
  await memory.getByRole("heading", { name: "The fix that worked" }).waitFor();
  await memory.getByText("Raised the redis pool size").first().waitFor();
  await memory.getByText(/^What differs now: /).waitFor();
  await memory.getByRole("img", { name: /errors a minute: at most/ }).waitFor();
  await page.getByText("last time: fixed").last().waitFor();
  await page.getByRole("row", { name: /Deploy 8f3c2e1 of payment/ }).waitFor();
  await page.getByText("8f3c2e1", { exact: true }).waitFor();
  await memory.getByRole("button", { name: "I rolled back 8f3c2e1" }).click();
  await page.getByText(/^rolled payment back, deploy 8f3c2e1/).first().waitFor();
  await undo();
  await page.getByText(/^rolled payment back/).first().waitFor({ state: "detached" });
  await page.getByRole("link", { name: /READONLY/ }).waitFor();
  await page.getByText("fixed it and found the cause").first().waitFor();
  await page.getByRole("radio", { name: "Memory" }).click();
  await page.getByRole("cell", { name: /released the connection explicitly.*it worked/ }).first().waitFor();
  await page.waitForURL(/timeline=memory/);
  await memory.getByRole("button", { name: /^The same fingerprint/ }).click();
  await page.getByRole("dialog").getByText("Trace then").waitFor();
  await axe(page, "evidence");

  // What is looked at stands in the address: whoever is sent the link sees the same.
  await page.waitForURL(/evidence=the(?:\+|%20)same(?:\+|%20)fingerprint/);
  await page.reload();
  await page.getByRole("dialog").getByText("Trace then").waitFor();
  await page.keyboard.press("Escape");
  await page.waitForURL((url) => !url.searchParams.has("evidence"));
  check(await page.getByRole("radio", { name: "Memory" }).isChecked(), "the timeline is filtered as the address says");
  await page.getByRole("button", { name: /pieces? of evidence/ }).click();
  await page.getByRole("dialog", { name: "Why this is thought to be the cause" }).getByText("It rests on").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: /^Review the fix/ }).click();
  await page.getByRole("dialog", { name: "Previous fixes" }).getByText("Release the redis connection").first().waitFor();
  await axe(page, "the fix");
  await page.waitForURL(/show=fix/);
  await page.keyboard.press("Escape");

  // Handing over: who knows it, what they have to know, and one line of it is kept with the incident.
  await page.getByRole("button", { name: /^Escalate/ }).click();
  const escalating = page.getByRole("dialog", { name: "Escalate" });
  await escalating.getByText("does not page people").waitFor();
  await escalating.getByRole("button", { name: /^priya.*fixed it/ }).click();
  check((await escalating.getByLabel("Contact").inputValue()) === "priya", "who knows it is asked by one click");
  await escalating.getByLabel("What you need from them").fill("somebody who may restart redis");
  const brief = escalating.getByRole("region", { name: "What they have to know" });
  await brief.getByText(/Asked of you[^]*somebody who may restart redis[^]*## What memory says[^]*Don't try in [^:]*: raised the redis pool/).waitFor();
  check(!/show=/.test(await brief.innerText()), "the link in it leads to the incident, not to this sheet");
  await axe(page, "handing over");
  await escalating.getByRole("button", { name: "Log this escalation" }).click();
  await escalating.waitFor({ state: "detached" });
  await page.getByRole("list", { name: "Notes" }).getByText("Escalated to priya: somebody who may restart redis").waitFor();
  await undo();
  await page.getByText(/^Escalated to priya/).first().waitFor({ state: "detached" });

  // The one of back then: what is known of it comes first, then that it happened again; its course is drawn from memory.
  await page.goto("/incidents/past-redis-worker-pool");
  const again = page.getByRole("region", { name: /^It happened again/ });
  await again.waitFor();
  const outcome = page.getByRole("region", { name: "What is known" });
  check((await outcome.boundingBox()).y < (await again.boundingBox()).y, "what ended it is read before what came later");
  await again.getByRole("img", { name: /^payment errors a minute: at most [1-9]/ }).waitFor();
  check((await page.getByText(/lined up with/).count()) === 0, "nothing is lined up with what came later");
  check((await page.getByText("last time: fixed").count()) === 0, "what came later is no last time");
  await page.getByRole("columnheader", { name: "What happened" }).waitFor();
  await page.goto(`/incidents/${here.incident}`);

  // Wrong: the next one comes up, until it is taken back. Right: it counts.
  await memory.getByRole("button", { name: /^No/ }).click();
  await told("It counts as wrong from now on.").waitFor();
  await memory.waitFor({ state: "detached" });
  await page.getByRole("heading", { name: /has not seen this before|Maybe|Your team/ }).waitFor();
  await undo();
  await told("Taken back.").waitFor();
  await memory.getByText("Is this the same problem?").waitFor();
  await memory.getByRole("button", { name: /^Yes/ }).click();
  await told("It counts as right from now on.").waitFor();
  await memory.getByText("You said: right").waitFor();

  // It has gone quiet, and somebody confirms.
  const confirm = page.getByRole("button", { name: /^Confirm recovery/ });
  await confirm.click({ timeout: HOLD_MS_MAX });
  await told("It is over.").waitFor();
  await page.getByText(/^Resolved/).first().waitFor();
  await until(async () => (await confirm.count()) === 0, "what is over is not confirmed again");
  await page.getByRole("button", { name: "Reopen" }).waitFor();
});
