// Minimal GraphQL client: one function for queries and mutations, one for subscriptions, both typed by the schema.
import { createClient } from "graphql-ws";
import WebSocket from "ws";
import type { TypedDocumentString } from "./generated.js";

export class Refused extends Error {
  constructor(message: string, readonly code: string, readonly actualVersion?: number) {
    super(message);
  }
}

interface Answer<Data> {
  data?: Data;
  errors?: { message: string; extensions?: { code?: string; actualVersion?: number } }[];
}

export class Client {
  private readonly headers: Record<string, string>;

  constructor(private readonly url: string, private readonly token?: string) {
    this.headers = { accept: "application/graphql-response+json", "content-type": "application/json" };
    if (token) this.headers["authorization"] = `Bearer ${token}`;
  }

  async ask<Data, Variables>(document: TypedDocumentString<Data, Variables>, variables: Variables): Promise<Data> {
    const body = JSON.stringify({ query: document.toString(), variables });
    const response = await fetch(`${this.url}/graphql`, { method: "POST", headers: this.headers, body });
    const answer = (await response.json()) as Answer<Data>;
    const error = answer.errors?.[0];
    if (error || !answer.data) {
      throw new Refused(error?.message ?? "no data", error?.extensions?.code ?? "", error?.extensions?.actualVersion);
    }
    return answer.data;
  }

  // Ends when the subscription completes; throws if the connection breaks. `cut` receives a function that cuts the
  // connection.
  async *follow<Data, Variables extends Record<string, unknown>>(
    document: TypedDocumentString<Data, Variables>,
    variables: Variables,
    cut?: (pull: () => void) => void,
  ): AsyncGenerator<Data> {
    const client = createClient({
      url: `${this.url.replace(/^http/, "ws")}/graphql/ws`,
      webSocketImpl: WebSocket,
      connectionParams: this.token ? { authorization: `Bearer ${this.token}` } : {},
      // The caller resumes, because only the caller knows the cursor.
      retryAttempts: 0,
    });
    cut?.(() => client.terminate());
    try {
      for await (const result of client.iterate<Data>({ query: document.toString(), variables })) {
        if (result.errors) throw new Error(JSON.stringify(result.errors));
        if (result.data) yield result.data;
      }
    } finally {
      await client.dispose();
    }
  }
}
