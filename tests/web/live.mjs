// An outage is made and appears on Live without reload; memory is asked about it; the stream is read, folded, cut and filled.
import { connect, createServer } from "node:net";
import { axe, check, fits, here, signIn, story, until } from "./browsing.mjs";

const PROBE = "<img src=x onerror=\"document.title='broken in'\"> is only a line";

/** A wire between the browser and Hindcast that can be cut. */
async function wire(to) {
  const sockets = new Set();
  let isCut = false;
  const server = createServer((inner) => {
    if (isCut) return inner.destroy();
    const outer = connect(Number(to.port), to.hostname);
    for (const [one, other] of [[inner, outer], [outer, inner]]) {
      sockets.add(one);
      one.on("error", () => other.destroy());
      one.on("close", () => sockets.delete(one) && other.destroy());
      one.pipe(other);
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    cut: () => {
      isCut = true;
      for (const one of sockets) one.destroy();
    },
    mend: () => {
      isCut = false;
    },
    end: () => {
      for (const one of sockets) one.destroy();
      server.close();
    },
  };
}

const line = await wire(new URL(here.url));
await story(
  async ({ page, allow }) => {
    await signIn(page, here.admin, "/live");
    const session = await (await page.request.get("/api/v1/session")).json();
    const headers = { "X-Hindcast-CSRF": session.csrf, Origin: line.url };
    const told = await page.request.post("/api/v1/simulator", { headers, data: { rate_per_s: 40 } });
    check(told.ok(), `the services log: ${await told.text()}`);

    // Lines come, repeats of a pattern are one row, every service has its rate.
    const log = page.getByRole("log", { name: "Log lines" });
    await log.getByText(/^×\d+$/).first().waitFor();
    const services = page.getByRole("list", { name: "Services" });
    await services.getByRole("button", { name: /^payment/ }).getByText(/^[1-9][\d.]*\/s$/).waitFor();
    check((await log.getAttribute("aria-live")) === "off", "a stream is not read out line by line");

    // The newest are in sight, down to the last row and from the top of the pane.
    const isFull = () =>
      log.evaluate((box) => {
        const { left, top, bottom } = box.getBoundingClientRect();
        return [top + 4, bottom - 4].every((y) => document.elementFromPoint(left + 40, y)?.closest("button, p") !== null);
      });
    await until(isFull, "rows fill the pane");

    // What somebody logs is text.
    const sent = await page.request.post("/api/v1/lines?service=probe", { headers, data: JSON.stringify({ message: PROBE, level: "error" }) });
    check(sent.ok(), `the line is taken: ${await sent.text()}`);
    await log.getByText(PROBE).waitFor();
    check((await page.title()) !== "broken in", "a line is text");

    // The outage, by the button that only a demo has.
    await page.getByRole("button", { name: "Inject a failure" }).click();
    const dialog = page.getByRole("dialog", { name: "Inject a failure" });
    await dialog.getByLabel("Where").selectOption("notification");
    await axe(page, "what can fail");
    await dialog.getByRole("button", { name: /queue backlog$/ }).click();
    await dialog.waitFor({ state: "detached" });
    const incident = page.getByRole("list", { name: "Open incidents" }).getByRole("listitem").filter({ hasText: "notification" });
    await incident.first().waitFor();

    // Memory is asked about the service: what it knows comes first, how it was found out follows.
    await services.getByRole("button", { name: /^notification/ }).click();
    await page.waitForURL(/service=notification/);
    await page.getByRole("button", { name: "Analyse notification" }).click();
    const recalled = page.getByRole("region", { name: "What memory says" });
    await recalled.getByRole("heading", { name: /Your team hit this/ }).waitFor();
    const reasoning = page.getByRole("region", { name: "Reasoning" });
    await reasoning.getByText(/Answered by the tools|tokens/).waitFor();
    const said = await reasoning.innerText();
    check(/what came before inc-\S*notification/.test(said) && !/not seen before/i.test(said), `what is reasoned is about the same incident: ${said}`);
    await axe(page, "the analysis");
    await page.getByRole("button", { name: "Close", exact: true }).click();

    // One line: all that was sent with it, what was logged around it, and what memory says to it.
    await page.getByRole("radio", { name: "Error" }).click();
    await page.waitForURL(/level=error/);
    // One of the outage's own: a service has errors of every day, too, to which memory has nothing to say.
    await log.getByRole("button", { name: /lost its lease/ }).first().click();
    const details = page.getByRole("region", { name: "Details" });
    await details.getByText("service.version").waitFor();
    await details.getByRole("button", { name: "Lines around it" }).click();
    await details.getByRole("region", { name: "Context" }).locator("[aria-current=true]").waitFor();
    await axe(page, "a line with its context");
    await page.getByRole("button", { name: "Analyse the line" }).click();
    await recalled.getByRole("heading", { name: /Your team hit this/ }).waitFor();
    // The address is all that a colleague needs.
    await page.reload();
    await recalled.getByRole("heading", { name: /Your team hit this/ }).waitFor();
    await page.goto("/live");

    // Scrolling up stops it and counts what comes; coming back goes on.
    await log.getByText(/^×\d+$/).first().waitFor();
    await log.hover();
    await until(async () => {
      await page.mouse.wheel(0, -400);
      return page.getByRole("button", { name: /^\+[\d,]+ new$/ }).isVisible();
    }, "what comes meanwhile is counted");
    await page.getByRole("button", { name: /^\+[\d,]+ new$/ }).click();
    await page.getByRole("button", { name: "Pause" }).waitFor();

    // Words that no line has: it says so, and one press shows all again.
    await page.getByLabel("Search logs").fill("nosuchword");
    await page.getByText("No line of the last 15 minutes matches.").waitFor();
    await page.getByRole("button", { name: "Show all lines" }).click();
    await log.getByText(/^×\d+$/).first().waitFor();

    // The wire is cut: what is shown stays. It is mended: what was missed is marked and fetched.
    await services.getByRole("button", { name: /^probe/ }).click();
    await page.waitForURL(/service=probe/);
    await log.getByText(PROBE).waitFor();
    allow(/ERR_/);
    line.cut();
    await page.getByText("Connection lost, retrying").first().waitFor();
    check(await log.getByText(PROBE).isVisible(), "what is shown stays");
    const meanwhile = await page.request.post(`${here.url}/api/v1/lines?service=probe`, {
      headers: { ...headers, Origin: here.url },
      data: JSON.stringify({ message: "written while nobody heard it" }),
    });
    check(meanwhile.ok(), `the line is taken: ${await meanwhile.text()}`);
    line.mend();
    await log.getByText(/^missed \d+ s, backfilled 1 line$/).waitFor();
    await log.getByText("written while nobody heard it").waitFor();

    await page.setViewportSize({ width: 390, height: 844 });
    await fits(page, "live on a phone");
    await axe(page, "live on a phone");
    await page.getByRole("radio", { name: "Services" }).click();
    await services.getByRole("button", { name: /^payment/ }).waitFor();
    await fits(page, "services on a phone");
  },
  { baseURL: line.url },
);
line.end();
