import { Link } from "@tanstack/react-router";
import { ChevronDown, ChevronRight, CircleCheck, Send, TriangleAlert } from "lucide-react";
import { useId, useState } from "react";
import { useAct } from "@/api/acting";
import { useWhyNot } from "@/api/session";
import { Button } from "@/ui/Button";
import { Chip } from "@/ui/Chip";
import { CopyButton, Snippet } from "@/ui/CopyButton";
import { Time } from "@/ui/Time";
import type { Target } from "./senders";
import { cameInWords, type Integration, setupOf, signatureInWords, type Trial, trialInWords } from "./setups";

interface IntegrationRowProps {
  one: Integration;
  target: Target;
  isOpenAtFirst: boolean;
}

/** One way in: what came by it, its last error, a test, and how it is set up. */
export function IntegrationRow({ one, target, isOpenAtFirst }: IntegrationRowProps) {
  const [isOpen, setOpen] = useState(isOpenAtFirst);
  const cannot = useWhyNot("administer");
  const test = useAct("post", "/api/v1/integrations/{name}/test");
  const body = useId();
  const { came } = one;
  const Chevron = isOpen ? ChevronDown : ChevronRight;
  const last = test.data ?? one.last_test;
  return (
    <li className="flex flex-col gap-2">
      <div className="flex flex-wrap items-start gap-x-3 gap-y-1.5">
        <button
          type="button"
          aria-expanded={isOpen}
          aria-controls={isOpen ? body : undefined}
          onClick={() => setOpen(!isOpen)}
          className="flex min-h-7 min-w-0 flex-1 basis-56 items-start gap-2 rounded-[5px] text-left"
        >
          <Chevron className="mt-0.5 size-4 shrink-0 text-fg3" aria-hidden="true" />
          <span className="min-w-0">
            <span className="block font-medium">{one.title}</span>
            <span className="block text-small text-fg2">
              {came.last_at ? (
                <>
                  Last came <Time at={came.last_at} />: {cameInWords(came)}
                </>
              ) : came.refused_lately || came.left_out_lately ? (
                cameInWords(came)
              ) : one.why_off ? (
                "Off here"
              ) : (
                "Nothing has come yet"
              )}
            </span>
          </span>
        </button>
        {one.secret_variable && (
          <Chip tone={one.is_secret_set ? "sage" : "sand"}>{one.is_secret_set ? "signed" : "unsigned"}</Chip>
        )}
        <Button
          size="small"
          icon={<Send className="size-3" aria-hidden="true" />}
          aria-label={`Send test: ${one.title}`}
          whyNot={cannot || one.why_off}
          isBusy={test.isPending}
          onClick={() => test.mutate({ path: { name: one.name } })}
        >
          Send test
        </Button>
      </div>
      {came.last_error && (
        <p className="flex items-start gap-1.5 text-small break-words">
          <TriangleAlert className="mt-0.5 size-3.5 shrink-0 text-coral" aria-hidden="true" />
          <span className="min-w-0">
            <span className="text-coral">Last error</span>, <Time at={came.last_error.at} /> ({came.last_error.status}):{" "}
            {came.last_error.problem} <span className="text-fg2">{came.last_error.remedy}</span>
          </span>
        </p>
      )}
      <div role="status" className="empty:-mt-2">
        {last && <Result trial={last} />}
      </div>
      {isOpen && (
        <div id={body} className="pb-1 pl-6">
          <SetUp one={one} target={target} />
        </div>
      )}
    </li>
  );
}

/** What came of the last test, and where what it sent can be looked at. */
function Result({ trial }: { trial: Trial }) {
  const isGood = trial.is_taken && !trial.problem;
  const Icon = isGood ? CircleCheck : TriangleAlert;
  return (
    <p className="flex items-start gap-1.5 text-small break-words">
      <Icon className={`mt-0.5 size-3.5 shrink-0 ${isGood ? "text-sage" : "text-coral"}`} aria-hidden="true" />
      <span className="min-w-0">
        {trialInWords(trial)}{" "}
        <span className="text-fg2">
          Test of {trial.by}, <Time at={trial.at} />.
        </span>{" "}
        {trial.seen.lines && (
          <Link to="/live" search={{ text: trial.mark }} className="text-moon underline">
            Look at the line
          </Link>
        )}
      </span>
    </p>
  );
}

/** What it is, where to put the address, and whether its sender signs. */
function SetUp({ one, target }: { one: Integration; target: Target }) {
  const { how, text } = setupOf(one.name, one.port, target);
  const signature = signatureInWords(one);
  return (
    <div className="flex flex-col gap-2">
      <p className="text-fg2">
        {one.what} {one.why_off}
      </p>
      <p className="text-small text-fg2">{how}</p>
      <Snippet text={text} what={`setup of ${one.title}`} />
      {signature && (
        <p className="flex flex-wrap items-center text-small text-fg2">
          {signature} <code className="ml-1 break-all">{one.secret_variable}</code>
          <CopyButton text={one.secret_variable} what={`variable ${one.secret_variable}`} />
        </p>
      )}
      {one.came.last_left_out && (
        <p className="text-small break-words text-fg2">
          Left out <Time at={one.came.last_left_out.at} />: {one.came.last_left_out.problem}
        </p>
      )}
    </div>
  );
}
