import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { FileDown } from "lucide-react";
import { lazy, type ReactNode, Suspense, useState } from "react";
import { useAct } from "@/api/acting";
import type { Schemas } from "@/api/client";
import { useRead } from "@/api/reading";
import { useSpace, useWhyNot } from "@/api/session";
import { useKeys } from "@/lib/keys";
import { addressOf, queryOf, usePlace } from "@/lib/place";
import { Button } from "@/ui/Button";
import { CopyButton } from "@/ui/CopyButton";
import { Page } from "@/ui/Page";
import { ErrorBox, Shown, Skeleton } from "@/ui/states";
import { useDecision } from "./deciding";
import { Head, type Open, SHEETS } from "./Head";
import { Hero, isAfter } from "./Hero";
import { Muted } from "./Muted";
import { NewFailures } from "./NewFailures";
import { Outcome } from "./Outcome";
import { People } from "./People";
import { Changes, Impact, Knowers, Similar } from "./Rail";
import { Timeline } from "./Timeline";
import { LeadingTrace } from "./Trace";
import { useTakeBack } from "./takingBack";
import { suspectOf } from "./timeline";

type Incident = Schemas["IncidentTold"];
type Answer = Schemas["AnswerTold"];
// What is opened by hand is fetched then, and what is read last comes last.
const Signs = lazy(() => import("./Signs"));
const ResolveDialog = lazy(() => import("./ResolveDialog"));
const SplitDialog = lazy(() => import("./SplitDialog"));
const JoinDialog = lazy(() => import("./JoinDialog"));
const FixSheet = lazy(() => import("./FixSheet"));
const EscalateSheet = lazy(() => import("./EscalateSheet"));
const EvidenceSheet = lazy(() => import("./EvidenceSheet"));

export function IncidentPage() {
  const { incident: id } = useParams({ from: "/incidents/$incident" });
  const place = usePlace();
  const space = useSpace();
  const found = useRead("/api/v1/incidents/{incident_id}", { path: { incident_id: id } }, { everySeconds: 15 });
  return (
    <Page
      title={found.data?.title ?? id}
      crumbs={[
        { label: "Incidents", to: "/incidents" },
        { label: id, isId: true },
      ]}
      actions={
        <>
          <CopyButton text={addressOf(space)} what="link">
            Share
          </CopyButton>
          <a
            href={`/api/v1/incidents/${encodeURIComponent(id)}?${queryOf(place, { format: "markdown" })}`}
            download={`${id}.md`}
            className="flex h-7 items-center gap-1.5 rounded-[7px] px-2 text-small text-fg2 hover:bg-s3 hover:text-fg max-sm:hidden"
          >
            <FileDown className="size-3.5" /> Markdown
          </a>
        </>
      }
    >
      {!found.data && <h1 className="sr-only">Incident {id}</h1>}
      {!found.data && found.error?.isMissing ? (
        <Missing detail={found.error.detail} />
      ) : (
        <Shown of={found} what={`Incident ${id}`} loading={<Loading />}>
          {(incident) => <Whole key={incident.id} incident={incident} />}
        </Shown>
      )}
    </Page>
  );
}

interface Address {
  show?: string | undefined;
  evidence?: string | undefined;
  timeline?: string | undefined;
}

/** What is opened and filtered stands in the address, so that it can be shared; it is no place to come back to. */
function useAddress(): { search: Address; go: (part: Address) => void } {
  const search: Address = useSearch({ from: "/incidents/$incident" });
  const navigate = useNavigate({ from: "/incidents/$incident" });
  return {
    search,
    go: (part) => void navigate({ search: (now) => ({ ...now, ...part }), replace: true }),
  };
}

const CAUSE = "cause";

/** A reason by what it compares: which words follow changes with every line that arrives. */
function keyOf(reason: string): string {
  return reason.split(":", 1)[0] ?? "";
}

/** Asking again would not find it: there is a way on instead. */
function Missing({ detail }: { detail: string }) {
  return (
    <div role="alert">
      <h2 className="text-title font-semibold">Page not found</h2>
      <p className="text-fg2">
        {detail}{" "}
        <Link to="/incidents" className="text-moon underline">
          Show all incidents
        </Link>
      </p>
    </div>
  );
}

function Loading() {
  return (
    <div role="status" aria-label="Loading the incident" className="flex flex-col gap-4">
      <Skeleton className="h-7 w-2/3" />
      <Skeleton className="h-80" />
      <Skeleton className="h-40" />
    </div>
  );
}

/** The case that answers, among what came to mind. */
function rememberedIn(answer: Answer | undefined): Schemas["RememberedTold"] | null {
  const id = answer?.diagnosis.case;
  return (
    answer?.recollection?.remembered.find((one) => one.case.id === id || `${one.space}:${one.case.id}` === id) ?? null
  );
}

function Whole({ incident }: { incident: Incident }) {
  const { search, go } = useAddress();
  const [deciding, setDeciding] = useState<Open>(null);
  // What was said is about one memory; the next one has not been judged.
  const [judged, setJudged] = useState<Schemas["VerdictTold"] | null>(null);
  const cannotRespond = useWhyNot("respond");
  const cannotRecord = useWhyNot("record");
  const recall = useRead("/api/v1/incidents/{incident_id}/recall", {
    path: { incident_id: incident.id },
    query: { explain: true },
  });
  const answer = recall.data;
  const remembered = rememberedIn(answer);
  // What is read stands in the address, so that it can be shared; what is decided is nobody's to begin by a link.
  const open = deciding ?? SHEETS.find((one) => one === search.show) ?? null;
  const setOpen = (what: Open) => {
    const sheet = SHEETS.find((one) => one === what);
    setDeciding(sheet ? null : what);
    if (search.show !== sheet) go({ show: sheet });
  };
  const reason = [CAUSE, ...(answer?.diagnosis.reasons ?? [])].find((one) => keyOf(one) === search.evidence) ?? "";
  const isOver = incident.state === "resolved" || incident.state === "dismissed";
  // What came later is no last time: nothing of it can be lined up with.
  const isLast = answer?.diagnosis.familiarity !== "not seen before" && !isAfter(answer?.diagnosis, incident);
  const then = isLast ? (remembered?.case ?? null) : null;
  const decide = useDecision(incident.id);
  const unjudge = useTakeBack(() => setJudged(null)).fromCommit;
  const verdict = useAct("post", "/api/v1/incidents/{incident_id}/verdicts", {
    done: (told) =>
      told.judgement === "right" ? "It counts as right from now on." : "It counts as wrong from now on.",
    ...(unjudge ? { undo: (told) => unjudge(told.commit) } : {}),
    after: setJudged,
  });
  const judge = (isRight: boolean) => {
    if (!answer?.diagnosis.case || cannotRecord) return;
    verdict.mutate({
      path: { incident_id: answer.diagnosis.case },
      body: { judgement: isRight ? "right" : "wrong", incident: incident.id, asked: "", action: "", why: "" },
    });
  };
  const back = useTakeBack().fromCase;
  const record = useAct("post", "/api/v1/incidents/{incident_id}/attempts", {
    done: "The attempt is recorded.",
    ...(back ? { undo: () => back(incident.id) } : {}),
    after: () => setOpen(null),
  });
  const suspect = suspectOf(incident);
  const rollBack = () => {
    if (!suspect || cannotRecord) return;
    const action = `rolled ${suspect.service} back, ${suspect.kind} ${suspect.ref.slice(0, 12)}`;
    const said = { action, outcome: "unknown" as const, by: "", command: "", diff: "", config: "" };
    record.mutate({ path: { incident_id: incident.id }, body: said });
  };
  const fixes = answer?.diagnosis.fixes ?? [];
  const hasAnswer = Boolean(answer?.diagnosis.case) && answer?.diagnosis.familiarity !== "not seen before";
  useKeys([
    { keys: "enter", label: "Review the fix", run: () => setOpen("fix"), isOff: fixes.length === 0 },
    { keys: "y", label: "The memory is right", run: () => judge(true), isOff: !hasAnswer || Boolean(cannotRecord) },
    {
      keys: "n",
      label: "It is wrong: the next one",
      run: () => judge(false),
      isOff: !hasAnswer || Boolean(cannotRecord),
    },
    {
      keys: "b",
      label: "I rolled the change back",
      run: rollBack,
      isOff: !suspect || Boolean(cannotRecord),
    },
    {
      keys: "e",
      label: "Escalate: whom to ask, and what they have to know",
      run: () => setOpen("escalate"),
      isOff: incident.state !== "open" && incident.state !== "awaiting",
    },
    { keys: "shift+r", label: "Say what ended it", run: () => setOpen("resolve"), isOff: Boolean(cannotRespond) },
    {
      keys: "shift+c",
      label: "Confirm that it is over",
      run: () => decide("confirm"),
      isOff: incident.state !== "awaiting" || Boolean(cannotRespond),
    },
  ]);
  return (
    <>
      <Head incident={incident} open={setOpen} decide={decide} whyNot={cannotRespond} cannotRecord={cannotRecord} />
      <div className="grid grid-cols-[minmax(0,1fr)_312px] items-start gap-4 max-narrow:grid-cols-1">
        <div className="flex min-w-0 flex-col gap-4">
          {isOver && <Muted incident={incident} />}
          {isOver && <Outcome incident={incident} />}
          <NewFailures incident={incident} whyNot={cannotRespond} />
          <Recalled query={recall} incident={incident}>
            {(told) => (
              <Hero
                incident={incident}
                answer={told}
                then={then}
                look={(one) => go({ evidence: keyOf(one) })}
                review={() => setOpen("fix")}
                judge={judge}
                rolledBack={
                  suspect && (
                    <Button keys="b" whyNot={cannotRecord} isBusy={record.isPending} onClick={rollBack}>
                      I rolled back {suspect.ref.slice(0, 7)}
                    </Button>
                  )
                }
                judged={judged?.case === told.diagnosis.case ? judged.judgement : null}
                whyNot={cannotRecord}
              />
            )}
          </Recalled>
          {!isOver && <Outcome incident={incident} />}
          <LeadingTrace incident={incident} />
          <Timeline
            incident={incident}
            answer={answer}
            then={then}
            kind={search.timeline}
            choose={(kind) => go({ timeline: kind })}
          />
          <People incident={incident} whyNot={cannotRecord} />
          <Suspense>
            <Signs incident={incident} />
          </Suspense>
        </div>
        <div className="flex min-w-0 flex-col gap-4">
          <Impact incident={incident} />
          {answer && <Similar answer={answer} />}
          {answer && <Knowers answer={answer} />}
          <Changes incident={incident} />
        </div>
      </div>
      <Suspense>
        {open === "resolve" && <ResolveDialog incident={incident} answer={answer} close={() => setOpen(null)} />}
        {open === "escalate" && (
          <EscalateSheet incident={incident} answer={answer} close={() => setOpen(null)} whyNot={cannotRecord} />
        )}
        {open === "split" && <SplitDialog incident={incident} close={() => setOpen(null)} />}
        {open === "join" && <JoinDialog incident={incident} close={() => setOpen(null)} />}
        {open === "fix" && (
          <FixSheet
            incident={incident.id}
            fixes={fixes}
            close={() => setOpen(null)}
            whyNot={cannotRecord}
            record={(fix) =>
              record.mutate({
                path: { incident_id: incident.id },
                body: {
                  action: fix.action,
                  outcome: "unknown",
                  by: "",
                  command: fix.command ?? "",
                  diff: fix.diff ?? "",
                  config: fix.config ?? "",
                },
              })
            }
          />
        )}
        {reason && answer && (
          <EvidenceSheet
            reason={reason}
            close={() => go({ evidence: undefined })}
            incident={incident}
            answer={answer}
            remembered={remembered}
          />
        )}
      </Suspense>
    </>
  );
}

interface RecalledProps {
  query: { data: Answer | undefined; error: unknown; isPending: boolean; refetch: () => unknown };
  incident: Incident;
  children: (answer: Answer) => ReactNode;
}

/** What memory says, or why it says nothing. Everything else on the page stands without it. */
function Recalled({ query, incident, children }: RecalledProps) {
  if (query.data) return children(query.data);
  if (query.error)
    return (
      <ErrorBox
        failure={query.error}
        what="What memory says"
        still="Everything detection saw is below."
        retry={() => void query.refetch()}
      />
    );
  return (
    <div role="status" className="rounded-card border border-line bg-s1 p-5">
      <span className="sr-only">Memory is asked about {incident.id}</span>
      <Skeleton className="mb-3 h-6 w-1/2" />
      <Skeleton className="mb-3 h-28" />
      <Skeleton className="h-24" />
    </div>
  );
}
