import type { Document } from "./document";
import { WireError } from "./error";
import { authorization } from "./token";

/**
 * Runs a query or mutation by `POST /graphql` and returns its data.
 *
 * Throws a `WireError` if the request or any field failed: a page shows complete data or an error, never half of an
 * answer. Throws the `AbortError` of `fetch` if the signal aborts.
 */
export async function query<Data, Variables extends object>(
  document: Document<Data, Variables>,
  variables: Variables,
  signal?: AbortSignal,
): Promise<Data> {
  let response: Response;
  try {
    response = await fetch("/graphql", {
      method: "POST",
      // With this media type a refused request has status 200, so that the console of a browser stays quiet.
      headers: { "content-type": "application/json", accept: "application/json", ...authorization() },
      body: JSON.stringify({ query: document, variables }),
      signal: signal ?? null,
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new WireError("The service cannot be reached.", "NETWORK");
  }
  const text = await response.text();
  let body: { data?: Data | null; errors?: unknown[] };
  try {
    body = JSON.parse(text);
  } catch {
    throw new WireError(
      text.trim().slice(0, 200) || `The service answered with status ${response.status}.`,
      codeOf(response.status),
    );
  }
  if (body.errors?.length) throw WireError.from(body.errors[0]);
  if (!body.data) throw new WireError("The response contains no data.", "PROTOCOL");
  return body.data;
}

/** Code for a response that is no GraphQL response. */
function codeOf(status: number): string {
  if (status === 401) return "UNAUTHENTICATED";
  if (status === 403) return "FORBIDDEN";
  if (status === 429 || status === 503 || status === 502 || status === 504) return "UNAVAILABLE";
  return "PROTOCOL";
}
