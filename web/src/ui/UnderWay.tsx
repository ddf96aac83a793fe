import type { Schemas } from "@/api/client";
import { EvidenceLinks } from "./Evidence";

/** The same failure at this moment, where detection has noticed it already: what is told is about the times before. */
export function UnderWay({
  underWay,
  lead,
}: {
  underWay: Schemas["Diagnosis"]["under_way"] | undefined;
  lead: string;
}) {
  return (underWay ?? []).map((one) => (
    <p key={one.text} className="pt-0.5 text-small break-words text-sand">
      {lead}: {one.text} <EvidenceLinks evidence={one.evidence} />
    </p>
  ));
}
