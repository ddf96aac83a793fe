import { Square } from "lucide-react";
import { useState } from "react";
import { useAct } from "@/api/acting";
import type { Schemas } from "@/api/client";
import { useRead } from "@/api/reading";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { SelectField } from "@/ui/Field";
import { Shown } from "@/ui/states";

const ERRORS = 120;
const RATE_PER_S = 60;
const SEED = 7;

/** What can fail in the demo, and where. */
export default function InjectDialog({ close }: { close: () => void }) {
  return (
    <Dialog
      isOpen
      close={close}
      title="Inject a failure"
      about="The demo's services are made up; how they fail is noticed, counted and remembered like anything real."
    >
      <Choices close={close} />
    </Dialog>
  );
}

function Choices({ close }: { close: () => void }) {
  const [service, setService] = useState("");
  const found = useRead("/api/v1/simulator", {}, { everySeconds: 5 });
  const play = useAct("post", "/api/v1/simulator", {
    done: (run) =>
      run.service ? `${run.service} fails now: ${run.scenario}.` : `${run.scenario || "The quiet world"} plays now.`,
    after: close,
  });
  const stop = useAct("delete", "/api/v1/simulator", { done: "It plays no more." });
  const inject = (scenario: string) =>
    play.mutate({
      body: { scenario, errors: ERRORS, rate_per_s: RATE_PER_S, seed: SEED, ...(service ? { service } : {}) },
    });
  return (
    <Shown of={found} what="What can fail">
      {({ scenarios, services, running }) => (
        <div className="flex flex-col gap-3">
          {running && <Running running={running} stop={() => stop.mutate({})} isBusy={stop.isPending} />}
          <SelectField label="Where" value={service} onChange={(event) => setService(event.target.value)}>
            <option value="">The whole scenario, as it would build up</option>
            {services.map((one) => (
              <option key={one} value={one}>
                Only {one}, at once
              </option>
            ))}
          </SelectField>
          <ul className="flex flex-col">
            {scenarios.map((one) => (
              <li key={one.name} className="flex items-start gap-3 border-t border-line py-2">
                <div className="min-w-0 flex-1">
                  <p className="font-medium">{one.name.replaceAll("-", " ")}</p>
                  <p className="text-small text-fg2">{one.sentence}</p>
                </div>
                <Button
                  size="small"
                  whyNot={running?.scenario && !service ? "Something plays already: stop it first." : ""}
                  isBusy={play.isPending}
                  onClick={() => inject(one.name)}
                >
                  Run
                  <span className="sr-only">: {one.name.replaceAll("-", " ")}</span>
                </Button>
              </li>
            ))}
          </ul>
        </div>
      )}
    </Shown>
  );
}

function Running({ running, stop, isBusy }: { running: Schemas["RunTold"]; stop: () => void; isBusy: boolean }) {
  return (
    <div className="flex items-center gap-3 rounded-lg border edge-sand px-3 py-2">
      <p className="min-w-0 flex-1">
        {running.scenario ? running.scenario.replaceAll("-", " ") : "The services log, and nothing fails"}
        <span className="text-small text-fg2">
          {" "}
          · {running.phase}, {running.acknowledged.toLocaleString("en")} records so far
        </span>
      </p>
      <Button size="small" icon={<Square className="size-3" />} isBusy={isBusy} onClick={stop}>
        Stop
      </Button>
    </div>
  );
}
