import { proof } from "./client";
import { type Failure, failureOf, offline } from "./failure";

/** Send something large and tell how much of it has gone; what the client of the API cannot do. */
export function upload<T>(
  path: string,
  space: string,
  body: FormData | Blob,
  told: (share: number) => void,
): Promise<T> {
  return new Promise((resolve, reject: (failure: Failure) => void) => {
    const request = new XMLHttpRequest();
    request.open("POST", path);
    const headers = { ...proof(), ...(space ? { "X-Hindcast-Space": space } : {}) };
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    if (body instanceof Blob) request.setRequestHeader("Content-Type", "application/zip");
    request.upload.addEventListener("progress", (event) => {
      if (event.lengthComputable) told(event.loaded / event.total);
    });
    request.addEventListener("error", () => reject(offline()));
    request.addEventListener("load", () => {
      const said = parsed(request.responseText);
      if (request.status >= 200 && request.status < 300) resolve(said as T);
      else {
        const headers = { "X-Request-Id": request.getResponseHeader("X-Request-Id") ?? "" };
        reject(failureOf(new Response(null, { status: request.status, headers }), said));
      }
    });
    request.send(body);
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
