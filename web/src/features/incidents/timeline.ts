import type { Schemas } from "@/api/client";

type Incident = Schemas["IncidentTold"];
type Case = Schemas["CaseTold"];

export type RowKind = "signal" | "people" | "memory";
export type RowIcon = "change" | "signal" | "alert" | "memory" | "cascade" | "person" | "quiet" | "over" | "next";

/** One thing that happened, now or the last time, at its distance from the first signal. */
export interface Row {
  key: string;
  seconds: number;
  kind: RowKind;
  icon: RowIcon;
  title: string;
  detail: string;
  source: string;
  /** It happened the last time, not now. */
  isThen: boolean;
  /** The last time it happened later than it is now: what may come. */
  isNext: boolean;
  /** Somebody said so; what came of it follows a colon. */
  isTold?: boolean;
  tone?: "good" | "bad";
}

function distance(at: string, zero: string): number {
  return (Date.parse(at) - Date.parse(zero)) / 1000;
}

interface Recalled {
  ready_at?: string | null | undefined;
  case: string;
}

type Change = Schemas["DetectionTold"]["changes"][number];

/** The change just before it that somebody may have taken back: the last one of a service that is in it. */
export function suspectOf(incident: Incident): Change | null {
  if (incident.state !== "open" && incident.state !== "awaiting") return null;
  const found = (incident.detection?.changes ?? []).filter(
    (one) => one.ref && incident.services.includes(one.service) && Date.parse(one.at) <= Date.parse(incident.onset_at),
  );
  return found.toSorted((one, other) => Date.parse(one.at) - Date.parse(other.at)).at(-1) ?? null;
}

/** What noticed it, in words: the name of a rule alone can be read as something that happened. */
const NOTICED: Record<Schemas["Rule"], string> = {
  fixed: "error count",
  adaptive: "error rate",
  silent: "silence",
  deaf: "silence",
  metric: "metric",
  alert: "alert",
};

function detected(incident: Incident): Row[] {
  const seen = incident.detection;
  if (!seen) return [];
  const zero = seen.onset_at;
  const row = (key: string, at: string, rest: Pick<Row, "icon" | "title" | "detail" | "source">): Row => ({
    key,
    seconds: distance(at, zero),
    kind: "signal",
    isThen: false,
    isNext: false,
    ...rest,
  });
  return [
    ...seen.changes.map((one) =>
      row(`change ${one.key}`, one.at, {
        icon: "change",
        title: [
          one.kind === "other" ? "Change" : one.kind.charAt(0).toUpperCase() + one.kind.slice(1),
          one.ref.slice(0, 7),
          one.service && `of ${one.service}`,
        ]
          .filter(Boolean)
          .join(" "),
        detail: one.title,
        source: one.actor || one.source,
      }),
    ),
    row("first", zero, {
      icon: "signal",
      title: "First signal",
      detail: seen.trigger.why,
      source: NOTICED[seen.trigger.rule],
    }),
    ...seen.affected
      .filter((one) => one.service !== seen.origin && distance(one.onset_at, zero) > 0)
      .map((one) =>
        row(`reached ${one.service}`, one.onset_at, {
          icon: "cascade",
          title: `Spread to ${one.service}`,
          detail: `${one.errors.toLocaleString("en")} errors so far`,
          source: "cascade",
        }),
      ),
    ...seen.alerts.map((one) =>
      row(`alert ${one.source} ${one.key}`, one.started_at, {
        icon: "alert",
        title: "Alert",
        detail: one.title,
        source: one.source,
      }),
    ),
    row("opened", seen.opened_at, { icon: "alert", title: "Incident opened", detail: "", source: "detection" }),
    ...(seen.quiet_since
      ? [
          row("quiet", seen.quiet_since, {
            icon: "quiet",
            title: "Quiet",
            detail: "no trouble since",
            source: "detection",
          }),
        ]
      : []),
    ...(seen.closed_at
      ? [row("closed", seen.closed_at, { icon: "over", title: "Closed", detail: "", source: seen.closed_by })]
      : []),
  ];
}

const OUTCOMES: Record<Schemas["Outcome"], string> = {
  worked: "it worked",
  "no effect": "no effect",
  "made worse": "it made it worse",
  unknown: "",
};

function told(known: Case, zero: string, isThen: boolean): Row[] {
  const row = (
    key: string,
    at: string,
    rest: Pick<Row, "icon" | "title" | "detail" | "source"> & { tone?: "good" | "bad" },
  ): Row => ({
    key: `${isThen ? "then " : ""}${key}`,
    seconds: distance(at, zero),
    kind: "people",
    isThen,
    isNext: false,
    isTold: true,
    ...rest,
  });
  const attempts = known.attempts.flatMap((one) =>
    one.at
      ? [
          row(`attempt ${one.id}`, one.at, {
            icon: "person",
            title: one.action,
            detail: OUTCOMES[one.outcome],
            source: one.by,
            ...(one.outcome === "worked"
              ? { tone: "good" as const }
              : one.outcome === "made worse"
                ? { tone: "bad" as const }
                : {}),
          }),
        ]
      : [],
  );
  const notes = isThen
    ? []
    : known.notes.map((one) =>
        row(`note ${one.id}`, one.at, { icon: "person", title: "Note", detail: one.text, source: one.by }),
      );
  const end = isThen || known.state === "resolved" ? (known.resolution?.at ?? known.resolved_at) : null;
  const over = end
    ? [
        row("over", end, {
          icon: "over",
          title: "Resolved",
          detail: isThen ? "" : (known.resolution?.text ?? ""),
          source: known.resolution?.by ?? "",
          tone: "good",
        }),
      ]
    : [];
  return [...attempts, ...notes, ...over];
}

/** Everything that happened, in order, beside what happened the last time; the last rows are what came next then. */
export function timelineOf(incident: Incident, recalled: Recalled | null, then: Case | null, now: Date): Row[] {
  const zero = incident.onset_at;
  const elapsed = distance(incident.resolved_at ?? now.toISOString(), zero);
  // Of a change just before it detection leaves a note as well; it is told once.
  const changes = new Set((incident.detection?.changes ?? []).map((one) => Date.parse(one.at)));
  const mine = incident.case && {
    ...incident.case,
    notes: incident.case.notes.filter(
      (one) => !(one.text.startsWith("Before it: ") && changes.has(Date.parse(one.at))),
    ),
  };
  const rows = [...detected(incident), ...(mine ? told(mine, zero, false) : [])];
  const opened = incident.detection?.opened_at;
  if (recalled?.case && recalled.ready_at && opened) {
    const took = Math.max(0, distance(recalled.ready_at, opened));
    rows.push({
      key: "recalled",
      seconds: distance(recalled.ready_at, zero),
      kind: "memory",
      icon: "memory",
      title: `Recalled ${recalled.case}`,
      // It is brought up to date while the incident lasts; only the first time says how quick it was.
      detail: took < 60 ? `${took.toFixed(1)} s after it was opened` : "brought up to date",
      source: "memory",
      isThen: false,
      isNext: false,
    });
  }
  const before = then ? told(then, then.occurred_at, true) : [];
  // What has gone quiet does not go on like the last time.
  const isOver = incident.state !== "open";
  const past = before.map((one) => ({
    ...one,
    kind: "memory" as const,
    isNext: !isOver && one.seconds > elapsed,
    icon: !isOver && one.seconds > elapsed ? ("next" as const) : one.icon,
  }));
  return [...rows, ...past].sort((one, other) => one.seconds - other.seconds);
}
