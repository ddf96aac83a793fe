// Drives the Live page in Chromium while lines come at a given pace; prints what the main thread had to do for it.
import { createServer, request } from "node:http";
import { createRequire } from "node:module";

const require = createRequire(new URL("../web/package.json", import.meta.url));
const { chromium } = require("playwright-core");
const hindcast = new URL(process.argv[2]);
const seconds = Number(process.argv[3]);
const token = process.argv[4];
const PACES = [50, 500, 2_000];
const ROWS = 10_000;
const EVENTS_PER_SECOND = 4;
const SERVICES = ["api-gateway", "auth", "database", "payment", "notification", "user", "analytics"];

// Lines are made here, since Hindcast itself tells a page no more than 800 a second; everything else is Hindcast's answer.
const listeners = new Set();
let written = 0;

function lines(count) {
  return Array.from({ length: count }, () => {
    written += 1;
    return {
      time: new Date().toISOString(),
      service: SERVICES[written % SERVICES.length],
      level: written % 50 === 0 ? 17 : 9,
      message: `Order ord-${written} created by usr_${written % 977} total=${written % 311}.90 EUR items=${written % 9}`,
      is_cut: false,
      has_stack: false,
      trace: "",
      template: String(written),
      fingerprint: "0",
    };
  });
}

function tell(count) {
  const data = JSON.stringify({ lines: lines(count), matched: count, dropped: 0, unseen: 0 });
  for (const one of listeners) one.write(`event: line\ndata: ${data}\n\n`);
}

const proxy = createServer((asked, answer) => {
  if (asked.url.startsWith("/api/v1/live") && asked.url.includes("line")) {
    answer.writeHead(200, { "Content-Type": "text/event-stream" });
    answer.write("retry: 1000\n\n");
    listeners.add(answer);
    answer.on("close", () => listeners.delete(answer));
    return;
  }
  const passed = request(
    { host: hindcast.hostname, port: hindcast.port, path: asked.url, method: asked.method, headers: asked.headers },
    (given) => {
      answer.writeHead(given.statusCode, given.headers);
      given.pipe(answer);
    },
  );
  passed.on("error", () => answer.destroy());
  answer.on("close", () => passed.destroy());
  asked.pipe(passed);
});
await new Promise((resolve) => proxy.listen(0, "127.0.0.1", resolve));

const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const args = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
const chrome = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args });
try {
  const page = await chrome.newPage({ viewport: { width: 1280, height: 720 } });
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Performance.enable");
  const measured = async () => {
    const { metrics } = await devtools.send("Performance.getMetrics");
    const named = Object.fromEntries(metrics.map((one) => [one.name, one.value]));
    return { task: named.TaskDuration, heap: named.JSHeapUsedSize, at: performance.now() };
  };
  await page.goto(`http://127.0.0.1:${proxy.address().port}/local?next=/live&token=${token}`);
  while (listeners.size === 0) await wait(20);
  tell(1);
  await page.getByRole("log").waitFor();
  await wait(1_000);

  const before = await measured();
  tell(ROWS);
  await page.getByText(`${(ROWS + 1).toLocaleString("en")} lines`).waitFor();
  const after = await measured();
  const drawn = await page.getByRole("log").getByRole("button").count();
  console.log(`${ROWS.toLocaleString("en")} rows at once: ${((after.task - before.task) * 1000).toFixed(0)} ms of the main thread, ${drawn} rows drawn`);

  for (const pace of PACES) {
    const begun = await measured();
    const end = performance.now() + seconds * 1000;
    while (performance.now() < end) {
      const next = performance.now() + 1000 / EVENTS_PER_SECOND;
      tell(pace / EVENTS_PER_SECOND);
      await wait(Math.max(0, next - performance.now()));
    }
    const ended = await measured();
    const share = (ended.task - begun.task) / ((ended.at - begun.at) / 1000);
    console.log(`${pace.toLocaleString("en")} rows/s with ${ROWS.toLocaleString("en")} kept: ${(share * 100).toFixed(1)} % of the main thread, heap ${(ended.heap / 1e6).toFixed(0)} MB`);
  }

  await page.keyboard.press("Space");
  const frames = await page.getByRole("log").evaluate(async (box) => {
    const took = [];
    for (let frame = 0; frame < 60; frame += 1) {
      box.scrollTop -= 1_500;
      const begun = performance.now();
      await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
      took.push(performance.now() - begun);
    }
    return took.toSorted((one, other) => one - other);
  });
  console.log(`fast scroll: ${frames[30].toFixed(1)} ms a frame (median), ${frames[56].toFixed(1)} ms (95 %)`);
} finally {
  await chrome.close();
  proxy.close();
  proxy.closeAllConnections();
}
