import { expect, test } from "vitest";
import { sendersOf } from "./senders";

const ORIGIN = "https://hindcast.example.com";

test("a key is told to every sender in the way that it can send one, and no project beside it", () => {
  const texts = sendersOf({ origin: ORIGIN, key: "hc_ingest_x", space: "acme/shop" }).map((one) => one.text);
  for (const text of texts) {
    expect(text).toContain("hc_ingest_x");
    expect(text).not.toContain("acme/shop");
  }
});

test("where no key is needed none is shown, and another project is named", () => {
  const by = Object.fromEntries(
    sendersOf({ origin: "http://127.0.0.1:4318", key: "", space: "shop" }).map((one) => [one.id, one.text]),
  );
  expect(by.otel).toContain("X-Hindcast-Space=shop");
  expect(by.loki).toContain("tenant_id: shop");
  expect(by.filebeat).toContain("http://127.0.0.1:4318");
  expect(Object.values(by).join()).not.toContain("hc_");
});

test("a port that the address leaves out is told to those who need one", () => {
  const [filebeat] = sendersOf({ origin: ORIGIN, key: "", space: "" }).filter((one) => one.id === "filebeat");
  expect(filebeat?.text).toContain("https://hindcast.example.com:443");
});
