import { Link } from "@tanstack/react-router";
import type { Schemas } from "@/api/client";
import { useRead } from "@/api/reading";
import { isElsewhere, usePlace } from "@/lib/place";
import { Card } from "@/ui/Card";
import { CASES_MIN } from "@/ui/Confidence";
import { Shown, Skeletons } from "@/ui/states";
import { Time } from "@/ui/Time";

type Learning = Schemas["LearningTold"];
type Level = Schemas["Reliability"];

/** How far memory can be relied on: how often it was right at each level of confidence, with the counts. */
export function LearningCard() {
  const found = useRead("/api/v1/learning");
  const isPast = isElsewhere(usePlace());
  return (
    <Card
      head="line"
      title="Recall accuracy"
      aside={isPast && <span className="text-small text-fg2">as it is now</span>}
      bodyClassName="px-4 py-3"
    >
      <Shown
        of={found}
        what="How far memory can be relied on"
        loading={<Skeletons rows={5} label="Counting on your own incidents" />}
      >
        {(told) => <Told told={told} />}
      </Shown>
    </Card>
  );
}

function Told({ told }: { told: Learning }) {
  return (
    <div className="flex flex-col gap-3">
      {told.confidence === null ? (
        <div className="text-fg2">
          <p>Too little to say yet.</p>
          <ul className="list-disc pl-4">
            {told.missing.map((one) => (
              <li key={one}>{one}</li>
            ))}
          </ul>
        </div>
      ) : (
        <p>
          The right incident ranked first in{" "}
          <strong className="font-semibold">
            {told.accuracy.part} of {told.accuracy.whole}
          </strong>{" "}
          recurrences.
        </p>
      )}
      {told.reliability.length > 0 && <Curve levels={told.reliability} />}
      <dl className="flex flex-col gap-1 text-small">
        <Share name="Recent incidents that memory can help with" one={told.coverage} />
        <Share name="Resolved incidents with cause and fix" one={told.completeness} />
      </dl>
      {told.incomplete.length > 0 && (
        <p className="text-small text-fg2">
          <Link
            to="/incidents/$incident"
            params={{ incident: told.incomplete[0] ?? "" }}
            className="text-moon hover:underline"
          >
            Add cause and fix to the newest incomplete incident
          </Link>
        </p>
      )}
      <p className="text-meta text-fg3">
        Counted <Time at={told.counted_at} /> on your own incidents of the last {told.days} days.
      </p>
    </div>
  );
}

function Share({ name, one }: { name: string; one: Schemas["CountedTold"] }) {
  return (
    <div className="flex gap-3">
      <dt className="min-w-0 flex-1 text-fg2">{name}</dt>
      <dd className="shrink-0">{one.whole === 0 ? "–" : `${one.part} of ${one.whole}`}</dd>
    </div>
  );
}

const SIZE = 132;
const LEFT = 30;
const BOTTOM = 20;

/** Said confidence against how often it was right. On the line, a number means what it says. */
export function Curve({ levels }: { levels: readonly Level[] }) {
  const width = 300;
  const x = (value: number) => LEFT + value * (width - LEFT - 8);
  const y = (value: number) => 6 + (1 - value) * (SIZE - BOTTOM - 6);
  const points = levels.map((one) => ({
    at: (one.confidence_min + one.confidence_max) / 2,
    share: one.right / one.asked,
    ...one,
  }));
  // Of two points that are close, the lower one has its count below it.
  const isLow = points.map((one) =>
    points.some((other) => other !== one && Math.abs(x(other.at) - x(one.at)) < 40 && other.share > one.share),
  );
  const solid = points.filter((one) => one.asked >= CASES_MIN);
  const words = levels.map(
    (one) =>
      `at ${Math.round(one.confidence_min * 100)} to ${Math.round(one.confidence_max * 100)} percent right ${one.right} of ${one.asked} times`,
  );
  return (
    <figure>
      <svg
        role="img"
        aria-label={`How often memory was right: ${words.join("; ")}.`}
        viewBox={`0 0 ${width} ${SIZE}`}
        className="block w-full text-[10px]"
      >
        {[0, 0.5, 1].map((part) => (
          <g key={part}>
            <line x1={LEFT} x2={width - 8} y1={y(part)} y2={y(part)} className="stroke-line" />
            <text x={LEFT - 5} y={y(part) + 3} textAnchor="end" className="fill-fg3">
              {part * 100}%
            </text>
          </g>
        ))}
        <line x1={x(0)} y1={y(0)} x2={x(1)} y2={y(1)} className="stroke-line2" strokeDasharray="3 3" />
        <polyline
          points={solid.map((one) => `${x(one.at)},${y(one.share)}`).join(" ")}
          fill="none"
          className="stroke-moon"
          strokeWidth="1.6"
        />
        {points.map((one, place) => (
          <g key={one.confidence_min}>
            <circle
              cx={x(one.at)}
              cy={y(one.share)}
              r={one.asked >= CASES_MIN ? 3.4 : 2.6}
              className={one.asked >= CASES_MIN ? "fill-moon" : "fill-s1 stroke-fg3"}
            />
            <text x={x(one.at)} y={y(one.share) + (isLow[place] ? 16 : -8)} textAnchor="middle" className="fill-fg2">
              {one.right}/{one.asked}
            </text>
          </g>
        ))}
        <text x={x(0.5)} y={SIZE - 4} textAnchor="middle" className="fill-fg3">
          how sure it was
        </text>
      </svg>
      <figcaption className="text-meta text-fg3">Hollow: fewer than {CASES_MIN} samples</figcaption>
    </figure>
  );
}
