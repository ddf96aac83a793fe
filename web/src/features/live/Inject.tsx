import { FlaskConical } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { useRead } from "@/api/reading";
import { useWhyNot } from "@/api/session";
import { useKeys } from "@/lib/keys";
import { Button } from "@/ui/Button";

const InjectDialog = lazy(() => import("./InjectDialog"));

/** In demo mode, and only there: let something go wrong, through the same way in as everything else. */
export function Inject() {
  const status = useRead("/api/v1/status");
  return status.data?.mode === "demo" ? <InjectButton /> : null;
}

function InjectButton() {
  const [isOpen, setOpen] = useState(false);
  const whyNot = useWhyNot("respond");
  useKeys([{ keys: "i", label: "Inject a failure (demo)", run: () => setOpen(true), isOff: whyNot !== "" }]);
  return (
    <>
      <Button
        size="small"
        keys="i"
        icon={<FlaskConical className="size-3.5" />}
        whyNot={whyNot}
        onClick={() => setOpen(true)}
      >
        Inject a failure
      </Button>
      {isOpen && (
        <Suspense>
          <InjectDialog close={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
