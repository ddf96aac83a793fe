import { Activity, CodeXml, Gauge, History, type LucideIcon, Siren } from "lucide-react";

/** A page in the navigation. `g` and a letter go there, and the palette lists it. */
export interface NavPage {
  to: string;
  label: string;
  icon: LucideIcon;
  keys: string;
  group: "Respond" | "Learn";
}

export const PAGES: readonly NavPage[] = [
  { to: "/", label: "Overview", icon: Gauge, keys: "g o", group: "Respond" },
  { to: "/live", label: "Live monitor", icon: Activity, keys: "g l", group: "Respond" },
  { to: "/incidents", label: "Incidents", icon: Siren, keys: "g i", group: "Respond" },
  { to: "/workspace", label: "Workspace", icon: CodeXml, keys: "g w", group: "Respond" },
  { to: "/time", label: "Time machine", icon: History, keys: "g t", group: "Learn" },
];
