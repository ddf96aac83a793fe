import { CloudOff, RotateCw, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { Failure } from "@/api/failure";
import { cn } from "@/lib/cn";
import { Button } from "./Button";
import { CopyButton } from "./CopyButton";
import { Time } from "./Time";

/** The place of something that is still on its way. Nothing shows for the first 150 ms. */
export function Skeleton({ className }: { className?: string }) {
  return <span aria-hidden="true" className={cn("skeleton block h-4", className)} />;
}

/** Several of them, with one word for those who do not see them. */
export function Skeletons({
  rows = 3,
  className = "h-7",
  label = "Loading",
}: {
  rows?: number;
  className?: string;
  label?: string;
}) {
  return (
    <div role="status" className="flex flex-col gap-2 py-2">
      <span className="sr-only">{label}</span>
      {Array.from({ length: rows }, (_, place) => (
        <Skeleton key={place} className={className} />
      ))}
    </div>
  );
}

/** Why there is nothing, and the one thing that changes it. */
export function Empty({ why, children, className }: { why: ReactNode; children?: ReactNode; className?: string }) {
  return (
    <div className={cn("flex flex-col items-start gap-2.5 py-3 text-fg2", className)}>
      <p>{why}</p>
      {children}
    </div>
  );
}

interface ErrorBoxProps {
  failure: unknown;
  /** What could not be shown: "The timeline". */
  what: string;
  /** What still works, where that helps. */
  still?: string;
  retry?: () => void;
}

/** What failed, what still works, and what to do about it. */
export function ErrorBox({ failure, what, still, retry }: ErrorBoxProps) {
  const told = failure instanceof Failure ? failure : null;
  return (
    <div role="alert" className="flex flex-wrap items-start gap-x-3 gap-y-2 rounded-lg border edge-coral px-3 py-2.5">
      {told?.isOffline ? (
        <CloudOff className="mt-0.5 size-4 shrink-0 text-sand" />
      ) : (
        <TriangleAlert className="mt-0.5 size-4 shrink-0 text-coral" />
      )}
      <div className="min-w-0 flex-1 basis-52">
        <p className="font-medium break-words">
          {what} could not be shown. {told?.detail ?? String(failure)}
        </p>
        <p className="text-fg2 break-words">{[told?.remedy, still].filter(Boolean).join(" ")}</p>
        {told?.requestId && (
          <p className="flex items-center text-meta text-fg3">
            Request <code className="ml-1">{told.requestId}</code>
            <CopyButton text={told.requestId} what="request id" />
          </p>
        )}
      </div>
      {retry && (
        <Button size="small" icon={<RotateCw className="size-3" />} onClick={retry}>
          Retry
        </Button>
      )}
    </div>
  );
}

interface Asked {
  data: unknown;
  error: unknown;
  isPending: boolean;
  dataUpdatedAt: number;
  refetch: () => unknown;
}

interface ShownProps<Q extends Asked> {
  of: Q;
  what: string;
  still?: string;
  /** The skeleton of the real layout. */
  loading?: ReactNode;
  children: (data: NonNullable<Q["data"]>) => ReactNode;
}

/** What was asked for in every state: on its way, there, there but old, or not to be had. */
export function Shown<Q extends Asked>({ of, what, still, loading, children }: ShownProps<Q>) {
  if (of.data !== undefined && of.data !== null) {
    return (
      <>
        {of.error ? <Stale updatedAt={of.dataUpdatedAt} failure={of.error} /> : null}
        {children(of.data as NonNullable<Q["data"]>)}
      </>
    );
  }
  if (of.error)
    return <ErrorBox failure={of.error} what={what} {...(still ? { still } : {})} retry={() => void of.refetch()} />;
  return <>{loading ?? <Skeletons />}</>;
}

/** Old data is kept, and says how old it is. */
export function Stale({ updatedAt, failure }: { updatedAt: number; failure: unknown }) {
  return (
    <p role="status" className="flex items-center gap-1.5 py-1 text-meta text-sand">
      <CloudOff className="size-3.5" />
      <span>
        As of <Time at={new Date(updatedAt).toISOString()} />:{" "}
        {failure instanceof Failure ? failure.detail : String(failure)}
      </span>
    </p>
  );
}
