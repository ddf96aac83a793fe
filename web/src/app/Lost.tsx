import { Link } from "@tanstack/react-router";
import { useEffect } from "react";
import { Failure } from "@/api/failure";
import { connection } from "@/api/live";
import { useStore } from "@/lib/store";
import { Page } from "@/ui/Page";
import { ErrorBox } from "@/ui/states";

export function NotFound() {
  return (
    <Page title="Page not found" crumbs={[{ label: "Page not found" }]}>
      <h1 className="text-title font-semibold">Page not found</h1>
      <p className="text-fg2">
        The address may be mistyped.{" "}
        <Link to="/" className="text-moon underline">
          Go to the overview
        </Link>
      </p>
    </Page>
  );
}

/** A page that failed in itself. The rest of the shell still works. */
export function Broken({ error, reset }: { error: unknown; reset: () => void }) {
  const isAway = error instanceof Failure && error.isOffline;
  const { line } = useStore(connection);
  useEffect(() => {
    if (isAway && line === "open") comeBack();
  }, [isAway, line]);
  return (
    <Page title="Broken" crumbs={[{ label: "This page is broken" }]}>
      <h1 className="sr-only">This page is broken</h1>
      <ErrorBox
        failure={error instanceof Error && !(error instanceof Failure) ? error.message : error}
        what="This page"
        {...(isAway ? {} : { still: "Every other page still works." })}
        retry={isAway ? comeBack : reset}
      />
    </Page>
  );
}

/** The code of the page is asked for again once there is somebody to ask. */
function comeBack(): void {
  fetch("/", { method: "HEAD" }).then(
    () => window.location.reload(),
    () => undefined,
  );
}
