import { useQuery } from "@tanstack/react-query";
import { useEffect, useReducer } from "react";
import { type AskEvent, askAloud } from "@/api/asking";
import { answered, client, type Schemas } from "@/api/client";
import { Failure } from "@/api/failure";
import { read } from "@/api/reading";
import { usePlace } from "@/lib/place";
import { band, type LiveLine } from "./rows";

/** What memory is asked about: words that were logged, where, and the incident they belong to if there is one. */
export interface Subject {
  title: string;
  text: string;
  services: readonly string[];
  incident: string;
}

const ERRORS_MINUTES = 15;
const ERRORS_LOOKED_AT = 200;
const DISTINCT_MAX = 12;
const STACKS_MAX = 3;
const TEXT_CHARS_MAX = 20_000;

/** Different lines as one text, as somebody would paste them: each once, the first few with their traces. */
export function pasted(lines: readonly { message: string; stack?: string; template: string }[]): string {
  const seen = new Map<string, { message: string; stack?: string }>();
  for (const one of lines) {
    const key = one.template !== "0" ? one.template : one.message;
    const known = seen.get(key);
    if (!known || (!known.stack && one.stack)) seen.set(key, one);
  }
  const told = [...seen.values()].slice(0, DISTINCT_MAX);
  const texts = told.map((one, place) =>
    one.stack && place < STACKS_MAX ? `${one.message}\n${one.stack}` : one.message,
  );
  return texts.join("\n").slice(0, TEXT_CHARS_MAX);
}

/** Lines that were chosen in the stream. The trace of a line is fetched, for it says the most. */
export function subjectOfLines(lines: readonly LiveLine[], whole: Schemas["LineTold"] | undefined): Subject {
  const services = [...new Set(lines.map((one) => one.service))];
  const told = lines.map((one) =>
    whole && one.time === whole.time && one.service === whole.service ? { ...one, ...whole } : one,
  );
  const [first] = lines;
  const title = lines.length === 1 && first ? `${first.service}: ${first.message}` : `${lines.length} chosen lines`;
  return { title, text: pasted(told), services, incident: "" };
}

/**
 * What goes wrong in a service. Of one that is in an incident, the incident is asked about: among the newest errors there
 * is always something else as well, and an answer to that would contradict what memory says to the incident.
 */
export function subjectOfService(
  service: string,
  incident: string,
  errors: readonly { message: string; stack?: string; template: string }[],
): Subject {
  const text = incident ? `Have we seen ${incident} before, and what ended it?` : pasted(errors);
  return { title: service, text, services: [service], incident };
}

/** What goes wrong in a service: its incident under way, or its errors of the last minutes. */
export function useServiceSubject(service: string) {
  const { space } = usePlace();
  return useQuery<Subject, Failure>({
    queryKey: [space, "what goes wrong", service],
    enabled: service !== "",
    queryFn: async ({ signal }) => {
      const here = { space, at: "", branch: "" };
      const since = new Date(Date.now() - ERRORS_MINUTES * 60_000).toISOString();
      const wanted = { since, service: [service], level_min: 17, newest_first: true, limit: ERRORS_LOOKED_AT };
      const [lines, services] = await Promise.all([
        read(here, "/api/v1/logs", { query: wanted }, signal),
        read(here, "/api/v1/services", { query: { limit: 200 } }, signal),
      ]);
      const incident = services.items.find((one) => one.name === service)?.incident ?? "";
      const errors = lines.items.filter((one) => /error|fatal/.test(band(one.level)));
      return subjectOfService(service, incident, errors);
    },
    staleTime: 30_000,
  });
}

export interface Recollected {
  diagnosis: Schemas["Diagnosis"];
  /** The incident under way that it belongs to; empty: none. */
  incident: string;
}

/** What memory says to it, within a moment: the incident it knows, with everything that goes with it. */
export function useRecalled(subject: Subject) {
  const place = usePlace();
  const { text, services, incident } = subject;
  return useQuery<Recollected, Failure>({
    queryKey: [place.space, "/api/v1/recall", text, services, incident, place.at, place.branch],
    enabled: text !== "" || incident !== "",
    queryFn: async ({ signal }) => {
      const before = async (id: string): Promise<Recollected> => {
        const path = "/api/v1/incidents/{incident_id}/recall";
        const { diagnosis } = await read(place, path, { path: { incident_id: id } }, signal);
        return { diagnosis, incident: id };
      };
      if (incident) return before(incident);
      const moment = place.at ? { at: place.at } : {};
      const body = { text, services: [...services], branch: place.branch || "main", explain: false, ...moment };
      const headers = place.space ? { "X-Hindcast-Space": place.space } : {};
      const asked = answered<Schemas["AnswerTold"]>(client.POST("/api/v1/recall", { body, headers, signal }));
      const known = read({ ...place, at: "", branch: "" }, "/api/v1/services", { query: { limit: 200 } }, signal);
      const [{ diagnosis }, { items }] = await Promise.all([asked, known]);
      // What goes on right now is no memory of it: what was known before it began is.
      const isNow = !place.at && items.some((one) => one.incident !== "" && one.incident === diagnosis.case);
      return isNow ? before(diagnosis.case) : { diagnosis, incident: "" };
    },
    staleTime: 30_000,
  });
}

export interface Step {
  text: string;
  state: "under way" | "done" | "failed";
  evidence: readonly string[];
}

export interface Reasoning {
  steps: readonly Step[];
  sentences: readonly Schemas["SentenceTold"][];
  done: Schemas["AskTold"] | null;
  failure: string;
}

const BEGUN: Reasoning = { steps: [], sentences: [], done: null, failure: "" };

/** The reasoning so far, and what happened next. */
export function reasoned(now: Reasoning, event: AskEvent | null): Reasoning {
  if (event === null) return BEGUN;
  switch (event.kind) {
    case "understood":
      return {
        ...now,
        steps: [...now.steps, { text: `Understood: ${event.data.reading}`, state: "done", evidence: [] }],
      };
    case "called":
      return { ...now, steps: [...now.steps, { text: toolWords(event.data.tool), state: "under way", evidence: [] }] };
    case "found": {
      const { tool, summary, evidence, is_error } = event.data;
      const place = now.steps.findLastIndex((one) => one.state === "under way" && one.text === toolWords(tool));
      // What a summary rests on stands behind it as links.
      const words = summary.replace(/\s*\[[^\]]*\]/g, "");
      const step: Step = { text: `${toolWords(tool)}: ${words}`, state: is_error ? "failed" : "done", evidence };
      return { ...now, steps: place < 0 ? [...now.steps, step] : now.steps.with(place, step) };
    }
    case "said":
      return { ...now, sentences: [...now.sentences, event.data] };
    case "done":
      return { ...now, sentences: event.data.sentences, done: event.data };
    case "failed":
      return { ...now, failure: `${event.data.detail} ${event.data.remedy}`.trim() };
  }
}

function toolWords(tool: string): string {
  const words = tool.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The reasoning as it is made. It begins when `isOn`, so that what memory knows comes first. */
export function useReasoning(text: string, isOn: boolean): Reasoning {
  const { space, at, branch } = usePlace();
  const [reasoning, happen] = useReducer(reasoned, BEGUN);
  useEffect(() => {
    if (!isOn || !text) return;
    const leaving = new AbortController();
    happen(null);
    askAloud({ space, at, branch }, text, happen, leaving.signal).catch((error: unknown) => {
      if (leaving.signal.aborted) return;
      const told = error instanceof Failure ? { detail: error.detail, remedy: error.remedy } : null;
      happen({ kind: "failed", data: told ?? { detail: "The answer broke off.", remedy: "Ask again." } });
    });
    return () => leaving.abort();
  }, [text, isOn, space, at, branch]);
  return reasoning;
}
