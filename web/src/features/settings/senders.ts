/** How each kind of sender is told where to send. Pure, so that a test can hold every address to what is served. */

export interface Target {
  /** Where Hindcast is, as the browser reached it. */
  origin: string;
  /** A key that may send into one project; empty where none is needed. */
  key: string;
  /** The project, if it is another than the one that a sender reaches without saying; a key says it by itself. */
  space: string;
}

export interface Sender {
  id: string;
  label: string;
  /** What it is for, in a sentence. */
  what: string;
  text: string;
}

function headers({ key, space }: Target): [string, string][] {
  return [
    ...(key ? [["X-Hindcast-Key", key] as [string, string]] : []),
    ...(space && !key ? [["X-Hindcast-Space", space] as [string, string]] : []),
  ];
}

/** An address for whoever can be told nothing else. */
function address({ origin, key }: Target, path: string): string {
  return key ? `${origin}/k/${key}${path}` : `${origin}${path}`;
}

export function sendersOf(target: Target): readonly Sender[] {
  const { origin, key } = target;
  const told = headers(target);
  const host = new URL(origin);
  const port = host.port || (host.protocol === "https:" ? "443" : "80");
  return [
    {
      id: "otel",
      label: "OpenTelemetry SDK",
      what: "Logs, metrics and traces of a service that exports OpenTelemetry: set its environment.",
      text: [
        `export OTEL_EXPORTER_OTLP_ENDPOINT=${origin}`,
        "export OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf",
        ...(told.length > 0
          ? [`export OTEL_EXPORTER_OTLP_HEADERS="${told.map(([name, value]) => `${name}=${value}`).join(",")}"`]
          : []),
      ].join("\n"),
    },
    {
      id: "collector",
      label: "OpenTelemetry Collector",
      what: "One more exporter in the Collector that you run already.",
      text: [
        "exporters:",
        "  otlphttp/hindcast:",
        `    endpoint: ${origin}`,
        ...(told.length > 0 ? ["    headers:", ...told.map(([name, value]) => `      ${name}: ${value}`)] : []),
      ].join("\n"),
    },
    {
      id: "filebeat",
      label: "Filebeat, Logstash, Fluent Bit",
      what: "Shippers that write to Elasticsearch.",
      text: [
        "output.elasticsearch:",
        `  hosts: ["${host.protocol}//${host.hostname}:${port}"]`,
        ...(key
          ? ["  username: hindcast", `  password: ${key}`]
          : told.length > 0
            ? ["  headers:", ...told.map(([name, value]) => `    ${name}: ${value}`)]
            : []),
      ].join("\n"),
    },
    {
      id: "loki",
      label: "Promtail, Grafana Alloy",
      what: "Shippers that push to Loki.",
      text: [
        "clients:",
        `  - url: ${origin}/loki/api/v1/push`,
        ...(key
          ? ["    basic_auth:", "      username: hindcast", `      password: ${key}`]
          : target.space
            ? [`    tenant_id: ${target.space}`]
            : []),
      ].join("\n"),
    },
    {
      id: "alertmanager",
      label: "Prometheus Alertmanager",
      what: "Alerts, so that they stand on the timeline of their incident.",
      text: [
        "receivers:",
        "  - name: hindcast",
        "    webhook_configs:",
        `      - url: ${address(target, "/webhooks/alertmanager")}`,
        "        send_resolved: true",
      ].join("\n"),
    },
    {
      id: "github",
      label: "GitHub",
      what: "Deploys, releases and merges. A webhook with deployments, deployment statuses, pushes, pull requests, releases and workflow runs.",
      text: address(target, "/webhooks/github"),
    },
    {
      id: "curl",
      label: "One line, by hand",
      what: "To see that it arrives.",
      text: [
        `curl -X POST ${origin}/v1/logs \\`,
        "  -H 'Content-Type: application/json' \\",
        ...told.map(([name, value]) => `  -H '${name}: ${value}' \\`),
        `  -d '{"resourceLogs":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"hello"}}]},"scopeLogs":[{"logRecords":[{"severityText":"INFO","body":{"stringValue":"hello, Hindcast"}}]}]}]}'`,
      ].join("\n"),
    },
  ];
}
