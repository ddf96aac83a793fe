import type { Schemas } from "@/api/client";
import { absoluteUtc } from "@/lib/time";
import { percent, trackRecord } from "@/ui/Confidence";
import { suspectOf } from "./timeline";

type Incident = Schemas["IncidentTold"];
type Answer = Schemas["AnswerTold"];

/** Somebody who could take it over, and why it would be them. */
export interface Knower {
  name: string;
  why: string;
}

/** Whom to ask: who dealt with it before comes before whose code it is. Nobody is named twice. */
export function knowersOf(answer: Answer | undefined, owned: { path: string; owners: readonly string[] } | null) {
  const found = new Map<string, Knower>();
  const add = (name: string, why: string) => {
    // An owner is written as a handle, and is the same person.
    const key = name.replace(/^@/, "").toLowerCase();
    const known = found.get(key);
    if (known) known.why = [known.why, why].filter(Boolean).join(", ");
    else if (key) found.set(key, { name, why });
  };
  for (const one of answer?.diagnosis.people ?? []) {
    const [name = "", ...what] = one.text.split(": ");
    add(name, what.join(": "));
  }
  for (const name of owned?.owners ?? []) add(name, `owns ${owned?.path}`);
  return [...found.values()];
}

/** One line, whatever somebody typed: a heading or a list must not begin within it. */
function flat(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

const STANDING: Record<Schemas["Standing"], string> = {
  open: "open",
  awaiting: "recovered, please confirm",
  resolved: "resolved",
  dismissed: "dismissed",
  joined: "part of another",
};

const TRIED: Record<Schemas["Outcome"], string> = {
  unknown: "not known yet",
  worked: "worked",
  "no effect": "no effect",
  "made worse": "made it worse",
};

/** What somebody has to know who was not there, as Markdown: it is pasted into whatever the team talks in. */
export function handover(incident: Incident, answer: Answer | undefined, link: string, asked: string): string {
  const parts = [
    [
      `# ${flat(incident.title)}`,
      "",
      `${incident.severity}, ${STANDING[incident.state]}, began ${absoluteUtc(incident.onset_at)}: ${incident.services.join(", ")}`,
      link,
    ],
    asked.trim() ? ["**Asked of you**", "", asked.trim()] : [],
    remembered(answer),
    tried(incident),
  ];
  const suspect = suspectOf(incident);
  if (suspect) parts.push([`Changed just before: ${suspect.kind} ${suspect.ref.slice(0, 12)} of ${suspect.service}.`]);
  return `${parts
    .filter((part) => part.length > 0)
    .map((part) => part.join("\n"))
    .join("\n\n")}\n`;
}

function remembered(answer: Answer | undefined): readonly string[] {
  if (!answer) return [];
  const { diagnosis } = answer;
  if (diagnosis.familiarity === "not seen before" || !diagnosis.case)
    return ["## What memory says", "", "Nothing like this was seen before."];
  const sure = `${percent(diagnosis.confidence)} the same, ${trackRecord(diagnosis.reliability)}`;
  return [
    "## What memory says",
    "",
    `${flat(diagnosis.headline)} (${sure}; ${diagnosis.case})`,
    "",
    ...(diagnosis.cause ? [`- Cause: ${flat(diagnosis.cause.text)}`] : []),
    ...(diagnosis.fixes ?? []).slice(0, 2).map((one) => `- Fix that worked${from(one)}: ${flat(one.action)}`),
    ...(diagnosis.avoid ?? []).slice(0, 4).map((one) => {
      const [what = ""] = one.happened;
      return `- Don't try${from(one)}: ${flat(one.action)}${what ? ` (${flat(what)})` : ""}`;
    }),
  ];
}

/** Which incident an advice is told from: each has its own. */
function from(one: Schemas["Advice"]): string {
  const [record] = one.evidence ?? [];
  return record ? ` in ${record.split("@")[0]}` : "";
}

function tried(incident: Incident): readonly string[] {
  const attempts = incident.case?.attempts ?? [];
  if (attempts.length === 0) return ["Nobody has recorded an attempt yet."];
  return ["## Tried so far", "", ...attempts.map((one) => `- ${flat(one.action)}: ${TRIED[one.outcome]} (${one.by})`)];
}

/** What is kept of it with the incident. */
export function escalation(who: string, asked: string): string {
  return `Escalated to ${flat(who)}${asked.trim() ? `: ${flat(asked)}` : "."}`;
}
