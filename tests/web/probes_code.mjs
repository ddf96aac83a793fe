// Code with its past, memory, settings, what is typed and what an address says: all of it is text.
import { check, here, until } from "./browsing.mjs";
import { LAPTOP, PROBE, probing, SAID, SPACE } from "./sounding.mjs";

// Looked at where incidents are.
const ELSEWHERE = ["service", "note", "attempt", "outcome"];

await probing(async ({ page, seen, sound, goTo, shut }) => {
  // Code, with its past: nothing of a file is more than its text.
  await goTo(`/workspace?${SPACE}&name=code&path=${encodeURIComponent(here.file)}&incident=${here.again}`);
  await page.getByRole("textbox", { name: `${here.file}, code` }).getByText("take").first().waitFor();
  await page.getByRole("button", { name: "Who touched which line" }).click();
  await page.getByText(/author\{\{7\*7\}\}/).first().waitFor();
  await sound("a file with its past", ["code"]);
  await page.getByRole("button", { name: /^Rejected: / }).click();
  await page.getByRole("dialog").waitFor();
  await sound("a decision of the past", ["fix", "reason", "diff"], [LAPTOP]);
  await page.getByRole("dialog").getByRole("button", { name: "Take it back" }).click();
  const card = page.getByRole("region", { name: "Fixes", exact: true }).getByRole("article").first();
  await card.getByRole("button", { name: "Accept", exact: true }).waitFor();
  await sound("a fix", ["fix", "diff"]);
  await page.getByRole("button", { name: "The whole file, before and after" }).click();
  await page.getByRole("region", { name: "The whole change" }).waitFor();
  await sound("a fix, whole", [], [LAPTOP]);
  await page.keyboard.press("d");
  await page.getByRole("combobox", { name: "Workspace" }).selectOption("notes");
  await page.getByRole("button", { name: /^upload/ }).click();
  // Its sender writes a quote in the name of a file as %22.
  await page.getByText(/^upload%22'><img src=x onerror=hit\(\)>/).first().waitFor();
  seen.add("upload");
  await sound("a file that was uploaded");

  await goTo(`/ask?${SPACE}&text=${encodeURIComponent(`asked${PROBE}`)}`);
  await page.getByText("In words").waitFor();
  await sound("an answer", ["cause"]);
  check((await page.getByRole("textbox").inputValue()) === `asked${PROBE}`, "a question of an address is asked as it stands");

  // Memory: why, records, their fields; what changed and when.
  await goTo(`/time?${SPACE}`);
  await sound("the time machine", ["why", "fix"]);
  await page.getByRole("radio", { name: "What was known" }).click();
  await page.getByLabel(/^Search as of then/).fill("address");
  await page.getByRole("list", { name: "Found" }).getByText("notes/address<img").first().click();
  await page.getByRole("dialog").getByText("Who said what").waitFor();
  await sound("a record", ["address", "field"]);
  await shut();
  await goTo(`/time?${SPACE}&view=compare&from=30%20days%20ago`);
  await sound("two moments");

  await goTo(`/settings?${SPACE}`);
  const shows = { sending: ["other"], people: ["person"], keys: ["label"] };
  const parts = page.getByRole("navigation", { name: "Settings" }).getByRole("link");
  await parts.first().waitFor();
  for (const one of await parts.all()) {
    await page.setViewportSize(LAPTOP);
    await one.click();
    const part = new URL(page.url()).pathname.split("/")[2] ?? "";
    await sound(`settings, ${part}`, shows[part]);
  }
  await goTo(`/settings/people?${SPACE}`);
  await page.getByText(`${here.fields.email}@example.com`).waitFor();
  seen.add("email");

  // What is typed, and what every address may say.
  await goTo(`/?${SPACE}`);
  await page.keyboard.press("Control+k");
  await page.getByPlaceholder(/Paste an error/).fill(`typed${PROBE}`);
  await page.getByRole("option", { name: /Ask memory: typed/ }).waitFor();
  await sound("the palette");
  await page.keyboard.press("Escape");
  const filled = (names) => names.map((name) => `${name}=${SAID}`).join("&");
  for (const path of [
    `/incidents?${SPACE}&${filled(["state", "severity", "service", "text"])}`,
    `/live?${SPACE}&${filled(["service", "level", "text", "fold", "line", "analyse", "context", "pane"])}`,
    `/workspace?${SPACE}&${filled(["name", "path", "ln", "incident", "card", "log", "pane"])}`,
    `/time?${SPACE}&${filled(["on", "line", "from", "view", "text", "namespace", "address", "field", "since", "source", "into"])}`,
    `/incidents?${SPACE}&${filled(["at", "branch"])}`,
    `/incidents/${SAID}?${SPACE}`,
    `/settings/${SAID}?${SPACE}`,
    `/${SAID}`,
    `/?space=${SAID}`,
  ]) {
    await goTo(path);
    await until(async () => (await page.locator(".skeleton:visible").count()) === 0, "it has come");
    await sound(decodeURIComponent(path).slice(0, 40));
  }
  const unseen = Object.keys(here.fields).filter((one) => !seen.has(one) && !ELSEWHERE.includes(one));
  check(unseen.length === 0, `every field was looked at, and not these: ${unseen.join(", ")}`);
});
