import { afterEach, expect, test, vi } from "vitest";
import { admit, answered, client, isSignedOut } from "./client";
import { Failure } from "./failure";
import { read } from "./reading";

const NOWHERE = { space: "", at: "", branch: "" };

function answers(status: number, body: unknown, headers: Record<string, string> = {}) {
  const fetched = vi.fn(async (_: Request) => new Response(JSON.stringify(body), { status, headers }));
  vi.stubGlobal("fetch", fetched);
  return fetched;
}

afterEach(() => {
  vi.unstubAllGlobals();
  isSignedOut.set(false);
});

async function failure(asked: Promise<unknown>): Promise<Failure> {
  const error = await asked.then(
    () => null,
    (raised: unknown) => raised,
  );
  if (!(error instanceof Failure)) throw new Error("it did not fail as it should");
  return error;
}

test("a problem is told with its remedy and the id of its request", async () => {
  answers(
    404,
    { title: "Missing", detail: "There is no incident 'x'.", remedy: "List them.", field: "incident_id" },
    { "X-Request-Id": "abc", "Content-Type": "application/problem+json" },
  );
  const told = await failure(read(NOWHERE, "/api/v1/incidents/{incident_id}", { path: { incident_id: "x" } }));
  expect([told.status, told.detail, told.remedy, told.field, told.requestId]).toEqual([
    404,
    "There is no incident 'x'.",
    "List them.",
    "incident_id",
    "abc",
  ]);
});

test("a server that does not answer is a failure that passes", async () => {
  vi.stubGlobal("fetch", () => Promise.reject(new TypeError("Failed to fetch")));
  const told = await failure(read(NOWHERE, "/api/v1/overview"));
  expect([told.isOffline, told.isPassing]).toEqual([true, true]);
});

test("whoever is not known is asked to sign in", async () => {
  answers(401, { title: "Unidentified", detail: "Who?", remedy: "Sign in." });
  await failure(read(NOWHERE, "/api/v1/overview"));
  expect(isSignedOut.value).toBe(true);
});

test("a read says at which moment of which project it is", async () => {
  const fetched = answers(200, {}, { "Content-Type": "application/json" });
  await read({ space: "acme/shop", at: "yesterday", branch: "trial" }, "/api/v1/overview");
  const request = fetched.mock.calls[0]?.[0] as Request;
  expect(new URL(request.url).search).toBe("?at=yesterday&branch=trial");
  expect(request.headers.get("X-Hindcast-Space")).toBe("acme/shop");
});

test("what has no past is asked about the present, whatever moment is looked at", async () => {
  const fetched = answers(200, { items: [], next: null }, { "Content-Type": "application/json" });
  await read({ space: "", at: "yesterday", branch: "" }, "/api/v1/services");
  const request = fetched.mock.calls[0]?.[0] as Request;
  expect(new URL(request.url).search).toBe("");
});

test("what changes something shows that a page of ours sends it, and is done once however often it is sent", async () => {
  admit({ kind: "person", id: "p", actor: "ada", space: "main", spaces: [], csrf: "secret" });
  const fetched = answers(200, {}, { "Content-Type": "application/json" });
  const send = () =>
    answered(
      client.POST("/api/v1/incidents/{incident_id}/notes", {
        params: { path: { incident_id: "x" } },
        body: { text: "hm", by: "" },
      }),
    );
  await send();
  await send();
  const [first, second] = fetched.mock.calls.map(([request]) => (request as Request).headers);
  expect(first?.get("X-Hindcast-CSRF")).toBe("secret");
  expect(first?.get("Idempotency-Key")).toMatch(/^[0-9a-f]{32}$/);
  expect(first?.get("Idempotency-Key")).not.toBe(second?.get("Idempotency-Key"));
});
