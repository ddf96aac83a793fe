import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { KeyRound } from "lucide-react";
import { type FormEvent, useRef, useState } from "react";
import { admit, answered, client, type Presence, type Schemas } from "@/api/client";
import { Failure } from "@/api/failure";
import { Button } from "@/ui/Button";
import { TextField } from "@/ui/Field";
import { Shown } from "@/ui/states";
import { Outside } from "./Outside";

/** Only a path of our own is gone back to: an address of somebody else's in a link must not lead there. */
export function ownPath(next: string | undefined): string {
  return next && /^\/(?![/\\])/.test(next) ? next : "/";
}

export function SignInPage() {
  const { next } = useSearch({ from: "/sign-in" });
  const ways = useQuery<Schemas["Ways"], Failure>({
    queryKey: ["ways"],
    queryFn: () => answered(client.GET("/api/v1/session/ways")),
  });
  return (
    <Outside title="Sign in">
      <Shown of={ways} what="The ways to sign in">
        {(told) => (
          <>
            {told.provider && (
              <a
                href={told.provider}
                className="flex h-9 items-center justify-center gap-2 rounded-[7px] border border-line2 bg-s2 font-medium hover:bg-s3"
              >
                <KeyRound className="size-4" /> Sign in with your identity provider
              </a>
            )}
            {told.is_open && <WithToken next={ownPath(next)} />}
            {told.password && !told.is_open && <WithPassword next={ownPath(next)} />}
          </>
        )}
      </Shown>
    </Outside>
  );
}

/** Where nobody was invited yet: the server leads the browser on, with its cookie. */
function WithToken({ next }: { next: string }) {
  return (
    <form action="/local" className="flex flex-col gap-3.5">
      <p className="text-fg2">
        Open the link that <code>hindcast serve</code> printed when it started, or paste its token here. It is also in
        the file <code>.token</code> of the data folder.
      </p>
      <input type="hidden" name="next" value={next} />
      <TextField label="Token" name="token" type="password" autoComplete="off" required autoFocus />
      <Button type="submit" look="primary" className="h-9">
        Open
      </Button>
    </form>
  );
}

function WithPassword({ next }: { next: string }) {
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const [failure, setFailure] = useState<Failure | null>(null);
  const [isBusy, setBusy] = useState(false);
  const again = useRef<HTMLInputElement>(null);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const signIn = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    try {
      const presence = await answered<Presence>(client.POST("/api/v1/session", { body: { email, password } }));
      queries.clear();
      queries.setQueryData(["session"], admit(presence));
      await navigate({ href: next, replace: true });
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      setFailure(error);
      again.current?.focus();
    } finally {
      setBusy(false);
    }
  };
  return (
    <form onSubmit={signIn} className="flex flex-col gap-3.5">
      <TextField
        label="Email"
        type="email"
        autoComplete="username"
        required
        autoFocus
        value={email}
        onChange={(event) => setEmail(event.target.value)}
      />
      <TextField
        ref={again}
        label="Password"
        type="password"
        autoComplete="current-password"
        required
        value={password}
        onChange={(event) => setPassword(event.target.value)}
        problem={failure ? `${failure.detail} ${failure.remedy}` : undefined}
      />
      <Button type="submit" look="primary" isBusy={isBusy} className="h-9">
        Sign in
      </Button>
      <p className="text-small text-fg3">Forgot it? An admin makes a one-time link for you: Settings, People.</p>
    </form>
  );
}
