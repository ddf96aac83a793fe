// A viewer sees everything and changes nothing: what they may not do is shown, says why, and is refused. A responder may.
import { asking, axe, check, here, open, signIn, story, until } from "./browsing.mjs";

/** What a responder may do and a viewer may not, as the service is asked for it. */
const deeds = ([card, other], incident = here.incident) => [
  ["POST", `/api/v1/incidents/${incident}/notes`, { text: "seen" }],
  ["POST", `/api/v1/incidents/${incident}/attempts`, { action: "restarted" }],
  ["POST", `/api/v1/incidents/past-unclear-segfault/verdicts`, { judgement: "wrong", incident }],
  ["POST", `/api/v1/incidents/${incident}/resolution`, { fix: "renewed" }],
  ["POST", `/api/v1/incidents/${incident}/decision`, { verb: "reopen" }],
  ["POST", `/api/v1/cards/${card}/accept`, {}],
  ["POST", `/api/v1/cards/${card}/undo`, {}],
  ["POST", `/api/v1/cards/${other}/reject`, { reason: "no" }],
  ["POST", "/api/v1/simulator", { scenario: "memory-leak", service: "analytics", errors: 1 }],
];
/** What changes memory or the installation itself: neither may. */
const more = [
  ["POST", "/api/v1/memory/branches", { name: "theirs" }],
  ["POST", "/api/v1/memory/snapshots", { name: "theirs" }],
  ["POST", "/api/v1/memory/merge", { source: "main" }],
  ["POST", "/api/v1/keys", { name: "theirs", power: "read" }],
  ["POST", "/api/v1/members", { email: "x@shop.example", role: "admin" }],
];

await story(async ({ page, context, allow }) => {
  const refuses = async (names, reason = "role", part = page) => {
    for (const name of names) {
      const button = part.getByRole("button", { name }).first();
      await button.waitFor();
      check((await button.getAttribute("aria-disabled")) === "true", `${name} cannot be pressed`);
      check((await button.getAttribute("title"))?.includes(reason), `${name} says why`);
    }
  };
  await signIn(page, here.viewer, `/incidents/${here.incident}`);
  check(new URL(page.url()).pathname === `/incidents/${here.incident}`, "who signs in comes to where they wanted to be");
  await page.getByRole("heading", { name: /Your team hit this/ }).waitFor();
  await refuses([/^Resolve/, /^Yes/, /^No/, /^Record/, /^Note/, /^I rolled back/]);
  await page.keyboard.press("Shift+R");
  check((await page.getByRole("dialog").count()) === 0, "the key does nothing either");
  await page.getByRole("button", { name: "More to decide" }).click();
  const menu = page.getByRole("menu");
  await menu.getByText("Your role here does not allow it").waitFor();
  for (const one of await menu.getByRole("menuitem").all()) check((await one.getAttribute("aria-disabled")) === "true", "nothing in the menu can be chosen");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: /^Review the fix/ }).click();
  await refuses([/^Mark as applied/]);
  const inCode = page.getByRole("dialog").getByRole("link", { name: /Release the redis connection/ });
  await inCode.waitFor();
  await axe(page, "the fix, for a viewer");
  await inCode.click();

  await page.waitForURL(/\/workspace/);
  const card = page.getByRole("article", { name: /^Release the redis connection/ });
  await refuses([/^Accept/, /^Modify/, /^Reject/, "Accept on a branch of its own"], "role", card);
  await refuses(["Upload files"]);
  await page.keyboard.press("a");
  await card.getByRole("group", { name: /, after$/ }).waitFor();
  check((await card.getByText("Accepted").count()) === 0, "the key does nothing either");
  await axe(page, "the workspace, for a viewer");

  await page.goto("/time");
  await refuses([/^Branch/, /^Snapshot/]);
  await page.goto("/time?view=merge");
  await refuses([/^(Merge|Branch)/], "role", page.getByRole("main"));
  await page.goto("/live");
  await refuses([/^Inject a failure/]);
  for (const part of ["keys", "people", "installation"]) {
    await page.goto(`/settings/${part}`);
    await page.getByText("Your role here does not allow it").first().waitFor();
  }
  await page.goto("/settings/projects");
  await refuses(["Create"]);

  // The service refuses every one of them as well, also what a page of somebody else's would send.
  const ask = await asking(page);
  const deck = await (await page.request.get(`/api/v1/incidents/${here.incident}/cards?workspace=shop`)).json();
  const cards = deck.cards.map((one) => one.id);
  for (const [verb, path, data] of [...deeds(cards), ...more]) {
    const refused = await ask(verb, path, data);
    check(refused.status() === 403, `a viewer is refused ${path}: ${refused.status()}`);
  }
  const forged = await page.request.post(`/api/v1/incidents/${here.incident}/notes`, { headers: { Origin: here.url }, data: { text: "no" } });
  check(forged.status() === 403, `a cookie alone changes nothing: ${forged.status()}`);

  // A responder may do all of the first, and none of the second.
  const other = await open(context.browser());
  await signIn(other.page, here.responder, `/incidents/${here.incident}`);
  await other.page.getByRole("heading", { name: /Your team hit this/ }).waitFor();
  for (const name of [/^Resolve/, /^Yes/, /^Record/])
    check((await other.page.getByRole("button", { name }).first().getAttribute("aria-disabled")) === null, `a responder may press ${name}`);
  const responder = await asking(other.page);
  // An incident of their own: the others are for other stories, and go quiet by the clock.
  const broken = await responder("POST", "/api/v1/simulator", { scenario: "bad-deploy", service: "user", errors: 150 });
  check(broken.ok(), `a responder may let something fail: ${await broken.text()}`);
  const begun = async () => (await (await other.page.request.get("/api/v1/incidents?state=open&service=user")).json()).items.at(0)?.id;
  await until(begun, "the incident of a responder is there");
  for (const [verb, path, data] of deeds(cards, await begun())) {
    const done = await responder(verb, path, data);
    check(done.ok(), `a responder may: ${path}: ${done.status()} ${await done.text()}`);
  }
  for (const [verb, path, data] of more) {
    const refused = await responder(verb, path, data);
    check(refused.status() === 403, `a responder is refused ${path}: ${refused.status()}`);
  }
  await other.page.goto("/time");
  const branch = other.page.getByRole("button", { name: /^Branch/ });
  await branch.waitFor();
  check((await branch.getAttribute("title"))?.includes("maintain"), "what it would need is said");
  other.settled();

  // Signing out ends it, and an address of somebody else's is not followed afterwards.
  allow(/status of 401/);
  await page.goto("/");
  await page.getByRole("button", { name: /Switch project/ }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await page.waitForURL(/\/sign-in/);
  await signIn(page, here.viewer, "//elsewhere.example/");
  check(new URL(page.url()).origin === here.url, "nobody is led elsewhere");
});
