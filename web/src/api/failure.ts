/** What went wrong and what to do about it, as the API tells it (RFC 9457), or as the network did. */
export class Failure extends Error {
  override readonly name = "Failure";

  constructor(
    readonly status: number,
    readonly title: string,
    readonly detail: string,
    readonly remedy: string,
    readonly field = "",
    /** By which whoever runs the server finds the request in its logs. */
    readonly requestId = "",
    readonly retryAfterSeconds = 0,
  ) {
    super(detail);
  }

  get isOffline(): boolean {
    return this.status === 0;
  }

  /** Whether the same request may well succeed a little later. */
  get isPassing(): boolean {
    return this.isOffline || this.status === 503 || this.status === 429;
  }

  get isRefused(): boolean {
    return this.status === 403;
  }

  get isMissing(): boolean {
    return this.status === 404;
  }
}

interface Problem {
  title?: string;
  detail?: string;
  remedy?: string;
  field?: string;
}

export function offline(): Failure {
  return new Failure(
    0,
    "Unreachable",
    "Hindcast does not answer.",
    "What is shown stays; it is tried again by itself.",
  );
}

export function failureOf(response: Response, body: unknown): Failure {
  const problem: Problem = typeof body === "object" && body !== null ? body : {};
  return new Failure(
    response.status,
    problem.title ?? `HTTP ${response.status}`,
    problem.detail ?? `The answer was ${response.status} without words.`,
    problem.remedy ?? "Try again; if it stays so, the server's log says why.",
    problem.field ?? "",
    response.headers.get("X-Request-Id") ?? "",
    Number(response.headers.get("Retry-After") ?? 0) || 0,
  );
}
