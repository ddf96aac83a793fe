interface SparklineProps {
  values: readonly number[];
  /** What it shows, for those who do not see it: "errors by hour, 12 at most". */
  label: string;
  kind?: "line" | "bars";
  className?: string;
  height?: number;
}

const WIDTH = 100;

/** A small picture of numbers over time, drawn as wide as its place. */
export function Sparkline({ values, label, kind = "line", className = "text-moon", height = 24 }: SparklineProps) {
  const most = Math.max(1, ...values);
  const step = WIDTH / Math.max(1, kind === "bars" ? values.length : values.length - 1);
  const y = (value: number) => height - 1 - (value / most) * (height - 3);
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${WIDTH} ${height}`}
      preserveAspectRatio="none"
      className={`block w-full ${className}`}
      style={{ height }}
    >
      {kind === "bars" ? (
        values.map((value, place) => (
          <rect
            key={place}
            x={place * step + step * 0.12}
            width={step * 0.76}
            y={value > 0 ? y(value) : height - 2}
            height={value > 0 ? height - y(value) : 1}
            className={value > 0 ? "fill-current" : "fill-line2"}
          />
        ))
      ) : (
        <polyline
          fill="none"
          stroke="currentColor"
          strokeWidth="1.5"
          vectorEffect="non-scaling-stroke"
          points={values.map((value, place) => `${place * step},${y(value)}`).join(" ")}
        />
      )}
    </svg>
  );
}
