import type { Schemas } from "@/api/client";
import { useRead } from "@/api/reading";

/** Which services of an incident are not told of for a while, because somebody has called it over. */
export function Muted({ incident }: { incident: Schemas["IncidentTold"] }) {
  const services = useRead("/api/v1/services", { query: { limit: 200 } }, { everySeconds: 30 });
  const muted = services.data?.items.filter((one) => one.muted?.incident === incident.id) ?? [];
  if (muted.length === 0) return null;
  return (
    <ul aria-label="Muted" className="rounded-card border border-line bg-s1 px-5 py-3.5 text-small text-sand">
      {muted.map((one) => (
        <li key={one.name}>{one.muted?.why}</li>
      ))}
    </ul>
  );
}
