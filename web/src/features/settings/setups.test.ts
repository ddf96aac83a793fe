import { expect, test } from "vitest";
import { cameInWords, countsInWords, pieces, setupOf, signatureInWords, type Trial, trialInWords } from "./setups";

const TARGET = { origin: "https://hindcast.example.com", key: "hc_ingest_x", space: "acme/shop" };
const NAMES = [
  "otlp",
  "elastic",
  "loki",
  "lines",
  "alertmanager",
  "grafana",
  "pagerduty",
  "pagerduty-events",
  "sentry",
  "github",
];
const TRIAL: Trial = {
  name: "sentry",
  at: "2026-11-16T12:00:00Z",
  by: "ana",
  mark: "0123",
  is_taken: true,
  taken: { alerts: 1 },
  seen: { alerts: 1 },
  seconds: 0.23,
  status: 200,
  problem: "",
  remedy: "",
};

test("every integration is told where to send, with a key in the way that it can send one", () => {
  for (const name of NAMES) {
    const { how, text } = setupOf(name, 0, TARGET);
    expect(how, name).not.toBe("");
    expect(text, name).toContain("hc_ingest_x");
    expect(text, name).toContain("hindcast.example.com");
  }
});

test("syslog has a host and a port, and no key", () => {
  expect(setupOf("syslog", 5514, TARGET).text).toBe("*.* @@hindcast.example.com:5514");
});

test("where no key is needed none is shown", () => {
  for (const name of NAMES) {
    const { text } = setupOf(name, 0, { origin: "http://127.0.0.1:4318", key: "", space: "" });
    expect(text, name).not.toContain("hc_");
    expect(text, name).not.toContain("/k/");
  }
});

test("counts are told in words, one as one", () => {
  expect(countsInWords({ lines: 1, spans: 2_000 })).toBe("1 line, 2,000 spans");
  expect(countsInWords({})).toBe("");
});

test("what came of a test is one sentence", () => {
  expect(trialInWords(TRIAL)).toBe("Taken: 1 alert, seen 0.2 s later.");
  const refused = { ...TRIAL, is_taken: false, status: 403, taken: {}, problem: "It is archived.", remedy: "Read it." };
  expect(trialInWords(refused)).toBe("Refused (403): It is archived. Read it.");
  expect(trialInWords({ ...refused, status: 0 })).toBe("Refused: It is archived. Read it.");
  expect(trialInWords({ ...TRIAL, seen: {}, problem: "It is not in the store yet." })).toBe(
    "Taken: 1 alert. It is not in the store yet.",
  );
});

test("whether a sender signs is told, and never with what", () => {
  expect(signatureInWords({ secret_variable: "", is_secret_set: false })).toBe("");
  expect(signatureInWords({ secret_variable: "HINDCAST_X", is_secret_set: true })).toContain("is set");
  expect(signatureInWords({ secret_variable: "HINDCAST_X", is_secret_set: false })).toContain("No secret");
});

test("what came is told with what was refused and left out", () => {
  const came = {
    last_at: null,
    taken: { lines: 12 },
    taken_lately: 3,
    refused_lately: 1,
    left_out_lately: 0,
    last_error: null,
    last_left_out: null,
  };
  expect(cameInWords(came)).toBe("12 lines since the start, 3 in the last day; 1 refused in the last day");
  expect(cameInWords({ ...came, taken: {}, refused_lately: 0 })).toBe("");
});

test("what was taken out of a text can be told from what is kept", () => {
  expect(pieces("a [redacted:e-mail] b")).toEqual([
    { text: "a ", kind: "" },
    { text: "[redacted:e-mail]", kind: "e-mail" },
    { text: " b", kind: "" },
  ]);
  expect(pieces("[redacted:<b>]")).toEqual([{ text: "[redacted:<b>]", kind: "" }]);
});
