import { Link } from "@tanstack/react-router";
import { ChevronRight } from "lucide-react";
import { useEffect, useRef } from "react";
import type { Schemas } from "@/api/client";
import { cn } from "@/lib/cn";
import { minutes } from "@/lib/time";
import { Button } from "@/ui/Button";
import { Severity } from "@/ui/Severity";
import { Since, Time } from "@/ui/Time";
import { Acknowledge, Owner } from "./Acknowledge";
import type { Verb } from "./deciding";
import { MoreButton } from "./MoreButton";

type Incident = Schemas["IncidentTold"];
/** What can be read over the page; the address says which. */
export const SHEETS = ["fix", "escalate"] as const;
export type Open = "resolve" | "split" | "join" | (typeof SHEETS)[number] | null;

interface HeadProps {
  incident: Incident;
  open: (what: Open) => void;
  decide: (verb: Verb) => void;
  whyNot: string;
  cannotRecord: string;
}

export function Head({ incident, open, decide, whyNot, cannotRecord }: HeadProps) {
  const isUnderWay = incident.state === "open" || incident.state === "awaiting";
  const heading = useRef<HTMLHeadingElement>(null);
  // What decided is gone with the decision, and whoever is not seeing it would be nowhere.
  const said = useRef(false);
  const say = (verb: Verb) => {
    said.current = true;
    decide(verb);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is about the moment in which the state changes.
  useEffect(() => {
    if (said.current && document.activeElement === document.body) heading.current?.focus({ preventScroll: true });
    said.current = false;
  }, [incident.state]);
  return (
    <div className="flex flex-wrap items-end gap-x-4 gap-y-2">
      <div className="min-w-0 flex-1 basis-96">
        <p className="flex flex-wrap items-center gap-3 text-small">
          <Severity value={incident.severity} />
          <Standing incident={incident} />
          <Owner incident={incident} />
        </p>
        <h1 ref={heading} tabIndex={-1} className="pt-1 text-title font-semibold break-words">
          {incident.title}
        </h1>
        <Path incident={incident} />
      </div>
      <div className="flex flex-wrap gap-2" data-screen>
        {incident.state === "awaiting" && (
          <Button look="primary" keys="shift+c" whyNot={whyNot} onClick={() => say("confirm")}>
            Confirm recovery
          </Button>
        )}
        {!isUnderWay && incident.state !== "joined" && (
          <Button whyNot={whyNot} onClick={() => say("reopen")}>
            Reopen
          </Button>
        )}
        {isUnderWay && <Acknowledge incident={incident} whyNot={cannotRecord} />}
        {isUnderWay && (
          <Button keys="e" onClick={() => open("escalate")}>
            Escalate
          </Button>
        )}
        <Button keys="shift+r" whyNot={whyNot} onClick={() => open("resolve")}>
          {incident.state === "resolved" ? "Complete" : "Resolve"}
        </Button>
        {isUnderWay && <MoreButton open={open} decide={say} whyNot={whyNot} canSplit={incident.services.length > 1} />}
      </div>
    </div>
  );
}

function Standing({ incident }: { incident: Incident }) {
  const dot = (tone: string) => <span aria-hidden="true" className={cn("size-1.5 rounded-full", tone)} />;
  if (incident.state === "open") {
    return (
      <span className="flex items-center gap-1.5">
        {dot("bg-sand")} Open for <Since at={incident.onset_at} className="font-medium" />
      </span>
    );
  }
  if (incident.state === "awaiting") {
    return (
      <span className="flex items-center gap-1.5">
        {dot("bg-moon")}
        <span>
          Quiet
          {incident.detection?.quiet_since && (
            <>
              {" for "}
              <Since at={incident.detection.quiet_since} className="font-medium" />
            </>
          )}
          , waiting for somebody to confirm
        </span>
      </span>
    );
  }
  if (incident.joined_into) {
    return (
      <span>
        Part of{" "}
        <Link
          to="/incidents/$incident"
          params={{ incident: incident.joined_into }}
          className="font-mono text-moon hover:underline"
        >
          {incident.joined_into}
        </Link>
      </span>
    );
  }
  return (
    <span className="flex items-center gap-1.5">
      {dot(incident.state === "resolved" ? "bg-sage" : "bg-line2")}
      {incident.state === "resolved" ? "Resolved" : "Dismissed"} <Time at={incident.resolved_at ?? incident.onset_at} />
      {incident.minutes !== null && <span className="text-fg2">after {minutes(incident.minutes)}</span>}
    </span>
  );
}

/** Which services, in the order in which trouble reached them. */
function Path({ incident }: { incident: Incident }) {
  const seen = incident.detection;
  const order = seen
    ? [...seen.affected]
        .sort((one, other) => Date.parse(one.onset_at) - Date.parse(other.onset_at))
        .map((one) => one.service)
    : incident.services;
  return (
    <p className="flex flex-wrap items-center gap-x-1.5 pt-0.5 text-fg2">
      {order.map((service, place) => (
        <span key={service} className="flex items-center gap-1.5">
          {place > 0 && <ChevronRight aria-label="then" className="size-3 text-fg3" />}
          <code className={place === 0 ? "text-fg" : ""}>{service}</code>
        </span>
      ))}
      {seen?.origin && seen.origin_reasons.length > 0 && (
        <span title={seen.origin_reasons.join("; ")}>
          · most likely began in <code className="text-fg">{seen.origin}</code>
        </span>
      )}
    </p>
  );
}
