import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { answered, client, type Schemas } from "@/api/client";
import type { Failure } from "@/api/failure";
import { usePlace } from "@/lib/place";
import { Button } from "@/ui/Button";
import { Card } from "@/ui/Card";
import { Diff } from "@/ui/Diff";
import { EvidenceLinks } from "@/ui/Evidence";
import { TextArea } from "@/ui/Field";
import { Page } from "@/ui/Page";
import { Recalled } from "@/ui/Recalled";
import { Empty, Shown, Skeletons } from "@/ui/states";

/** An error, a trace or a question, and what memory says to it. It only reads. */
export function AskPage() {
  const { text = "" } = useSearch({ from: "/ask" });
  const navigate = useNavigate({ from: "/ask" });
  const [typed, setTyped] = useState(text);
  const ask = (event: FormEvent) => {
    event.preventDefault();
    void navigate({ search: (now) => ({ ...now, text: typed.trim() || undefined }) });
  };
  return (
    <Page title="Ask memory" crumbs={[{ label: "Ask memory" }]}>
      <h1 className="text-title font-semibold">Ask memory</h1>
      <form onSubmit={ask} className="flex flex-col gap-2">
        <TextArea
          label="An error, a trace, a log, or a question"
          rows={5}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) ask(event);
          }}
          className="font-mono text-small"
        />
        <Button type="submit" look="primary" keys="mod+enter" className="self-start">
          Ask
        </Button>
      </form>
      {text ? (
        <Answers key={text} text={text} />
      ) : (
        <Empty why="Paste what you see. Whether your team has met it before is told with the evidence." />
      )}
    </Page>
  );
}

function Answers({ text }: { text: string }) {
  const place = usePlace();
  const headers = place.space ? { "X-Hindcast-Space": place.space } : {};
  const recall = useQuery<Schemas["AnswerTold"], Failure>({
    queryKey: [place.space, "/api/v1/recall", text, place.at, place.branch],
    queryFn: ({ signal }) =>
      answered(
        client.POST("/api/v1/recall", {
          body: {
            text,
            services: [],
            branch: place.branch || "main",
            explain: false,
            ...(place.at ? { at: place.at } : {}),
          },
          headers,
          signal,
        }),
      ),
  });
  const words = useQuery<Schemas["AskTold"], Failure>({
    queryKey: [place.space, "/api/v1/ask", text, place.at],
    queryFn: ({ signal }) =>
      answered(client.POST("/api/v1/ask", { body: { question: text, at: place.at }, headers, signal } as never)),
    staleTime: Number.POSITIVE_INFINITY,
  });
  // Recall answers a failure that was described; to any other question it would say that it is new, beside the answer.
  const isFailure = words.data?.is_failure ?? (words.isError || looksPasted(text));
  return (
    <div
      className={
        isFailure ? "grid grid-cols-[minmax(0,1fr)_340px] items-start gap-4 max-narrow:grid-cols-1" : "flex flex-col"
      }
    >
      {isFailure && (
        <Shown
          of={recall}
          what="What memory says"
          loading={<Skeletons rows={5} className="h-10" label="Memory is asked" />}
        >
          {(told) => <Recalled diagnosis={told.diagnosis} change={(diff) => <Diff text={diff} />} />}
        </Shown>
      )}
      <Card head="line" title="In words" bodyClassName="px-4 py-3">
        <Shown
          of={words}
          what="The answer in words"
          still="What memory says stands without it."
          loading={<Skeletons rows={4} className="h-5" />}
        >
          {(told) => <Words told={told} />}
        </Shown>
      </Card>
    </div>
  );
}

/** Whether a text is surely no question, as long as the server has not said how it reads it. */
function looksPasted(text: string) {
  return text.includes("\n") || /\w(Error|Exception)\b/.test(text);
}

function Words({ told }: { told: Schemas["AskTold"] }) {
  return (
    <div className="flex flex-col gap-2">
      {told.reading && <p className="text-small break-words text-fg2">Read as: {told.reading}.</p>}
      {told.sentences.map((one, place) => (
        <p
          key={place}
          className={one.is_cited || one.is_aside ? "break-words" : "border-l-2 border-sand/60 pl-2 break-words"}
        >
          <Sentence text={one.text} offered={told.suggestions} /> <EvidenceLinks evidence={one.citations} />{" "}
          {!one.is_cited && !one.is_aside && <span className="text-meta text-sand">no evidence</span>}
        </p>
      ))}
      {told.sentences.length === 0 && <p className="whitespace-pre-wrap">{told.text}</p>}
      <p className="text-meta text-fg3">
        {told.model
          ? `${told.model}, ${told.costs.tokens_in + told.costs.tokens_out} tokens`
          : "Answered by the tools, without a language model."}
      </p>
    </div>
  );
}

/** A sentence; a question that is offered is a link that asks it. */
function Sentence({ text, offered }: { text: string; offered: string[] }) {
  const question = offered.find((one) => text === `– ${one}`);
  if (!question) return text;
  return (
    <Link
      to="/ask"
      search={(now) => ({ ...now, text: question })}
      className="text-moon underline decoration-moon/40 underline-offset-2"
    >
      {question}
    </Link>
  );
}
