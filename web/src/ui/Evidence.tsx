import { Link } from "@tanstack/react-router";

/** A record that something rests on, as in `cases/inc-20260930-0203-payment@412`. */
export function caseOf(evidence: string): string | null {
  const found = /^cases\/(.+?)(?:@\d+)?$/.exec(evidence);
  return found?.[1] ?? null;
}

export function EvidenceLinks({ evidence }: { evidence: readonly string[] }) {
  return (
    <span className="inline-flex flex-wrap gap-x-2">
      {evidence.map((one) => {
        const incident = caseOf(one);
        return incident ? (
          <Link
            key={one}
            to="/incidents/$incident"
            params={{ incident }}
            className="inline-flex min-h-6 items-center font-mono text-meta text-moon underline decoration-moon/40 underline-offset-2 hover:decoration-moon"
          >
            {incident}
          </Link>
        ) : (
          <code key={one} className="text-meta text-fg3">
            {one}
          </code>
        );
      })}
    </span>
  );
}
