/** How each integration is told where to send, and what is said about what came. Pure, so that tests can hold it. */
import type { Schemas } from "@/api/client";
import { sendersOf, type Target } from "./senders";

export type Integration = Schemas["IntegrationTold"];
export type Trial = Schemas["TrialTold"];

export interface Setup {
  /** Where in the sender it is put. */
  how: string;
  text: string;
}

/** An address for whoever can be told nothing else. */
function address({ origin, key }: Target, path: string): string {
  return key ? `${origin}/k/${key}${path}` : `${origin}${path}`;
}

/** Which of the ways to send data, told beside the key, an integration is. */
const TOLD: Record<string, readonly [string, string]> = {
  otlp: ["collector", "In the configuration of a Collector, or as environment of a service (see Send data)."],
  elastic: ["filebeat", "In filebeat.yml; Logstash and Fluent Bit have the same settings under other names."],
  loki: ["loki", "In the configuration of Promtail; Alloy calls it loki.write."],
  alertmanager: ["alertmanager", "In alertmanager.yml, as one more receiver."],
  github: [
    "github",
    "Settings, Webhooks, Add webhook: this is the payload URL, the content type is application/json. Choose deployments, deployment statuses, pushes, pull requests, releases and workflow runs.",
  ],
};

export function setupOf(name: string, port: number, target: Target): Setup {
  const told = TOLD[name];
  if (told) {
    const sender = sendersOf(target).find((one) => one.id === told[0]);
    return { how: told[1], text: sender?.text ?? "" };
  }
  const { origin, key, space } = target;
  switch (name) {
    case "lines":
      return {
        how: "In a script; what each line is, is recognised by itself.",
        text: [
          "tail -n 100 app.log | curl --data-binary @- \\",
          ...(key ? [`  -H 'X-Hindcast-Key: ${key}' \\`] : space ? [`  -H 'X-Hindcast-Space: ${space}' \\`] : []),
          `  '${origin}/api/v1/lines?service=app'`,
        ].join("\n"),
      };
    case "syslog":
      return {
        how: "In /etc/rsyslog.d/hindcast.conf: two signs for TCP, one for UDP.",
        text: `*.* @@${new URL(origin).hostname}:${port || 514}`,
      };
    case "grafana":
      return {
        how: "Alerting, Contact points, Add: the integration is Webhook, and this its URL.",
        text: address(target, "/webhooks/grafana"),
      };
    case "pagerduty":
      return {
        how: "Integrations, Generic Webhooks (v3), New Webhook: this is its URL. Choose the events of incidents.",
        text: address(target, "/webhooks/pagerduty"),
      };
    case "sentry":
      return {
        how: "Settings, Developer Settings, New Internal Integration: this is its webhook URL. Choose issue and error.",
        text: address(target, "/webhooks/sentry"),
      };
    default:
      return {
        how: "In whatever sends to events.pagerduty.com: its address is this one, and its routing key a key of Hindcast. In Alertmanager:",
        text: [
          "receivers:",
          "  - name: hindcast",
          "    pagerduty_configs:",
          `      - url: ${origin}/v2/enqueue`,
          `        routing_key: ${key || "hindcast"}`,
        ].join("\n"),
      };
  }
}

const SINGULAR: Record<string, string> = {
  lines: "line",
  metrics: "metric",
  spans: "span",
  alerts: "alert",
  changes: "change",
};

/** "1 line, 2 spans": what was taken, in words. */
export function countsInWords(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .map(([kind, count]) => `${count.toLocaleString("en")} ${count === 1 ? (SINGULAR[kind] ?? kind) : kind}`)
    .join(", ");
}

/** What came of a test, in a sentence. */
export function trialInWords(trial: Trial): string {
  if (!trial.is_taken) return `Refused${trial.status >= 400 ? ` (${trial.status})` : ""}: ${reason(trial)}`;
  const taken = countsInWords(trial.taken);
  if (trial.problem) return `Taken: ${taken}. ${reason(trial)}`;
  return `Taken: ${taken}, seen ${seconds(trial.seconds)} later.`;
}

function reason({ problem, remedy }: Trial): string {
  return [problem, remedy].filter(Boolean).join(" ");
}

/** A tenth of a second is as exact as anybody wants to know. */
function seconds(value: number): string {
  return value < 0.1 ? "less than 0.1 s" : `${value.toFixed(1)} s`;
}

/** Whether its sender signs, and whether here is known with what. */
export function signatureInWords(one: Pick<Integration, "secret_variable" | "is_secret_set">): string {
  if (!one.secret_variable) return "";
  return one.is_secret_set
    ? "A secret is set: what is not signed with it is refused."
    : "No secret is set: deliveries are taken without looking at their signature.";
}

/** What came lately: "12 lines since the start, 3 of them in the last day". */
export function cameInWords(came: Integration["came"]): string {
  const all = countsInWords(came.taken ?? {});
  const parts = [
    all ? `${all} since the start, ${came.taken_lately.toLocaleString("en")} in the last day` : "",
    came.refused_lately ? `${came.refused_lately.toLocaleString("en")} refused in the last day` : "",
    came.left_out_lately ? `${came.left_out_lately.toLocaleString("en")} left out` : "",
  ];
  return parts.filter(Boolean).join("; ");
}

export interface Piece {
  text: string;
  /** The kind of what was taken out here; empty for what is kept. */
  kind: string;
}

/** A text in which what was taken out can be told from what is kept. */
export function pieces(text: string): readonly Piece[] {
  return text
    .split(/(\[redacted:[a-z0-9-]+\])/)
    .filter(Boolean)
    .map((part) => ({ text: part, kind: /^\[redacted:([a-z0-9-]+)\]$/.exec(part)?.[1] ?? "" }));
}
