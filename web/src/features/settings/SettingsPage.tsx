import { Link, useParams } from "@tanstack/react-router";
import { Archive, Boxes, EyeOff, KeyRound, Plug, ScrollText, Send, ServerCog, User, Users } from "lucide-react";
import { lazy, Suspense } from "react";
import { useSession } from "@/api/session";
import { cn } from "@/lib/cn";
import { Page } from "@/ui/Page";
import { Empty, Skeletons } from "@/ui/states";

const Sending = lazy(() => import("./Sending"));
const Integrations = lazy(() => import("./Integrations"));
const Projects = lazy(() => import("./Projects"));
const People = lazy(() => import("./People"));
const Keys = lazy(() => import("./Keys"));
const Retention = lazy(() => import("./Retention"));
const Privacy = lazy(() => import("./Privacy"));
const Audit = lazy(() => import("./Audit"));
const Account = lazy(() => import("./Account"));
const Installation = lazy(() => import("./Installation"));

const PARTS = [
  { id: "sending", label: "Send data", icon: Send, show: Sending },
  { id: "integrations", label: "Integrations", icon: Plug, show: Integrations },
  { id: "projects", label: "Projects", icon: Boxes, show: Projects },
  { id: "people", label: "People", icon: Users, show: People },
  { id: "keys", label: "Keys", icon: KeyRound, show: Keys },
  { id: "retention", label: "Retention", icon: Archive, show: Retention },
  { id: "privacy", label: "Privacy", icon: EyeOff, show: Privacy },
  { id: "audit", label: "Audit", icon: ScrollText, show: Audit },
  { id: "account", label: "You", icon: User, show: Account },
  { id: "installation", label: "This installation", icon: ServerCog, show: Installation },
] as const;

export function SettingsPage() {
  const { part = "sending" } = useParams({ strict: false });
  const session = useSession();
  const shown = PARTS.find((one) => one.id === part);
  return (
    <Page
      title={shown ? `${shown.label}, settings` : "Settings"}
      crumbs={[{ label: "Settings", to: "/settings" }, { label: shown?.label ?? part }]}
    >
      <div className="grid grid-cols-[180px_minmax(0,720px)] gap-8 max-narrow:grid-cols-1 max-narrow:gap-4">
        <nav aria-label="Settings" className="flex flex-col gap-0.5 max-narrow:flex-row max-narrow:overflow-x-auto">
          {PARTS.map((one) => (
            <Link
              key={one.id}
              to="/settings/$part"
              params={{ part: one.id }}
              aria-current={one.id === part ? "page" : undefined}
              className={cn(
                "flex h-8 shrink-0 items-center gap-2.5 rounded-[7px] px-2.5 whitespace-nowrap text-fg2 hover:bg-s2 hover:text-fg pointer-coarse:h-10",
                one.id === part && "bg-s3 text-fg",
              )}
            >
              <one.icon className="size-4" aria-hidden="true" />
              {one.label}
            </Link>
          ))}
        </nav>
        <div className="flex min-w-0 flex-col gap-5">
          <Suspense fallback={<Skeletons rows={4} />}>
            {session.data && (shown ? <shown.show /> : <NoSuchPart part={part} />)}
          </Suspense>
        </div>
      </div>
    </Page>
  );
}

function NoSuchPart({ part }: { part: string }) {
  return (
    <>
      <h1 className="text-title font-semibold">Settings</h1>
      <Empty why={`There are no settings called ${part}.`} />
    </>
  );
}
