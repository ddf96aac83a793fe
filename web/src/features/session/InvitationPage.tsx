import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { admit, answered, client, type Presence, type Schemas } from "@/api/client";
import { Failure } from "@/api/failure";
import { Button } from "@/ui/Button";
import { TextField } from "@/ui/Field";
import { Shown } from "@/ui/states";
import { Time } from "@/ui/Time";
import { Outside } from "./Outside";

type Invitation = Schemas["InvitationSeen"];

/** Where a one-time link leads: choose a password, and be signed in. */
export function InvitationPage() {
  const { token } = useParams({ from: "/invitation/$token" });
  const found = useQuery<Invitation, Failure>({
    queryKey: ["invitation", token],
    queryFn: () => answered(client.GET("/api/v1/invitations/{token}", { params: { path: { token } } })),
    retry: false,
  });
  return (
    <Outside title={found.data?.purpose === "password" ? "Choose a new password" : "Join Hindcast"}>
      <Shown of={found} what="Invitation" still="Ask whoever sent it for another: each works once, for a day.">
        {(invitation) => <Accept token={token} invitation={invitation} />}
      </Shown>
    </Outside>
  );
}

function Accept({ token, invitation }: { token: string; invitation: Invitation }) {
  const [said, setSaid] = useState({ email: "", name: "", password: "" });
  const [failure, setFailure] = useState<Failure | null>(null);
  const [isBusy, setBusy] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  // Whoever types is brought to what has to be typed again.
  useEffect(() => {
    if (failure) form.current?.querySelector<HTMLElement>("[aria-invalid]")?.focus();
  }, [failure]);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const isNew = invitation.purpose === "join";
  const problem = (field: string) => (failure?.field === field ? `${failure.detail} ${failure.remedy}` : undefined);
  const accept = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    try {
      const body = { password: said.password, name: said.name, email: said.email };
      const presence = await answered<Presence>(
        client.POST("/api/v1/invitations/{token}", { params: { path: { token } }, body }),
      );
      // Of whoever was here before nothing stays. The link itself is left alone: it is used, and asking again finds none.
      queries.removeQueries({ predicate: (one) => one.queryKey[0] !== "invitation" });
      queries.setQueryData(["session"], admit(presence));
      await navigate({ to: "/", replace: true });
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      setFailure(error);
    } finally {
      setBusy(false);
    }
  };
  const change = (field: keyof typeof said) => (event: { target: { value: string } }) =>
    setSaid({ ...said, [field]: event.target.value });
  return (
    <form ref={form} onSubmit={accept} className="flex flex-col gap-3.5">
      <p className="text-fg2">
        {isNew ? (
          <>
            As {invitation.role} of {invitation.project || invitation.organisation || "this installation"}
            {invitation.email && <>, with the address {invitation.email}</>}.
          </>
        ) : (
          <>For {invitation.email}. Every other session of yours ends.</>
        )}{" "}
        The link ends <Time at={invitation.expires_at} />.
      </p>
      {isNew && !invitation.email && (
        <TextField
          label="Email"
          type="email"
          autoComplete="username"
          required
          value={said.email}
          onChange={change("email")}
          problem={problem("email")}
        />
      )}
      {isNew && (
        <TextField
          label="Your name"
          autoComplete="name"
          value={said.name}
          onChange={change("name")}
          problem={problem("name")}
          hint="As colleagues know you; it stands beside what you do."
        />
      )}
      <TextField
        label="Password"
        type="password"
        autoComplete="new-password"
        required
        value={said.password}
        onChange={change("password")}
        problem={problem("password")}
        hint="Twelve characters or more; a sentence is good."
      />
      {failure && !["email", "name", "password"].includes(failure.field) && (
        <p role="alert" className="text-small text-coral">
          {failure.detail} {failure.remedy}
        </p>
      )}
      <Button type="submit" look="primary" isBusy={isBusy} className="h-9">
        {isNew ? "Join" : "Set the password"}
      </Button>
    </form>
  );
}
