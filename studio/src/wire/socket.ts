/**
 * Subscriptions over one WebSocket with the protocol `graphql-transport-ws`.
 *
 * A reference client for docs/subscriptions.md. It opens the socket with the first subscription, sends the token in
 * `connection_init`, pings every 10 s to detect dead connections, and reconnects after 0.25 to 8 s, doubled at each
 * failure, with jitter. After a reconnect each subscription is sent again with variables computed anew, so that a cursor
 * in them continues where the last message ended.
 */
import type { Document } from "./document";
import { WireError } from "./error";
import { authorization, onToken } from "./token";

/** What the socket is doing. `denied` waits for another token; `failed` does not reconnect. */
export type ConnectionState = "idle" | "connecting" | "live" | "lost" | "denied" | "failed";

export interface Subscriber<Data> {
  next(data: Data): void;
  /** The subscription ended with an error. Return true to subscribe again, for example after changing the cursor. */
  error?(error: WireError): boolean | void;
  /** The subscription ended because there is nothing more to come. */
  complete?(): void;
}

interface Entry {
  document: string;
  variables: () => object;
  subscriber: Subscriber<never>;
}

const FIRST_WAIT = 250;
const LONGEST_WAIT = 8_000;
const PING_EVERY = 10_000;
const PONG_WITHIN = 5_000;
/** Close codes after which the same messages would fail again: mistakes of the client. */
const FATAL = new Set([4400, 4401, 4406, 4409, 4429]);

export class Socket {
  state: ConnectionState = "idle";
  private socket: WebSocket | undefined;
  private readonly entries = new Map<string, Entry>();
  private readonly listeners = new Set<(state: ConnectionState) => void>();
  private lastId = 0;
  private wait = FIRST_WAIT;
  private retry: ReturnType<typeof setTimeout> | undefined;
  private ping: ReturnType<typeof setInterval> | undefined;
  private pong: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly url: string) {
    onToken(() => {
      // The old token no longer counts: connect again with the new one.
      this.wait = FIRST_WAIT;
      if (this.socket) this.socket.close(1000);
      else if (this.entries.size) this.open();
    });
    globalThis.addEventListener?.("online", () => this.retryNow());
  }

  /** Calls the listener at each change of the state. Returns a function that ends this. */
  onState(listener: (state: ConnectionState) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Subscribes. `variables` is called at each connection. Returns a function that unsubscribes. */
  subscribe<Data, Variables extends object>(
    document: Document<Data, Variables>,
    variables: () => Variables,
    subscriber: Subscriber<Data>,
  ): () => void {
    const id = String(++this.lastId);
    this.entries.set(id, { document, variables, subscriber: subscriber as Subscriber<never> });
    if (this.state === "live") this.start(id);
    else if (this.state !== "denied") this.open();
    return () => {
      if (this.entries.delete(id)) this.send({ id, type: "complete" });
    };
  }

  /** Reconnects without waiting, if the connection is lost. */
  retryNow(): void {
    if (this.state === "lost") this.open();
  }

  private send(message: object): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }

  private start(id: string): void {
    const entry = this.entries.get(id);
    if (entry) this.send({ id, type: "subscribe", payload: { query: entry.document, variables: entry.variables() } });
  }

  private become(state: ConnectionState): void {
    if (this.state === state) return;
    this.state = state;
    for (const listener of [...this.listeners]) listener(state);
  }

  private open(): void {
    clearTimeout(this.retry);
    if (this.socket) return;
    // "lost" stays until the connection is live again, so that a page does not flicker between attempts.
    if (this.state !== "lost") this.become("connecting");
    const socket = (this.socket = new WebSocket(this.url, "graphql-transport-ws"));
    socket.onopen = () => this.send({ type: "connection_init", payload: authorization() });
    socket.onmessage = (event) => this.receive(JSON.parse(String(event.data)));
    socket.onclose = (event) => this.closed(event.code);
  }

  private receive(message: { id?: string; type: string; payload?: unknown }): void {
    const { id = "", type, payload } = message;
    switch (type) {
      case "connection_ack":
        this.wait = FIRST_WAIT;
        this.ping = setInterval(() => this.probe(), PING_EVERY);
        this.become("live");
        for (const entry of [...this.entries.keys()]) this.start(entry);
        break;
      case "next": {
        const { data, errors } = payload as { data?: never; errors?: unknown[] };
        if (errors?.length) this.fail(id, errors);
        else if (data) this.entries.get(id)?.subscriber.next(data);
        break;
      }
      case "error":
        this.fail(id, payload as unknown[]);
        break;
      case "complete": {
        const entry = this.entries.get(id);
        this.entries.delete(id);
        entry?.subscriber.complete?.();
        break;
      }
      case "ping":
        this.send({ type: "pong" });
        break;
      case "pong":
        clearTimeout(this.pong);
    }
  }

  private fail(id: string, errors: unknown[]): void {
    const entry = this.entries.get(id);
    if (!entry) return;
    this.entries.delete(id);
    this.send({ id, type: "complete" });
    const error = WireError.from(errors[0]);
    if (entry.subscriber.error?.(error)) {
      const again = String(++this.lastId);
      this.entries.set(again, entry);
      // A pause, so that an error that repeats cannot become a loop without one.
      const pause = Math.max(FIRST_WAIT, Number(error.extensions.retryAfter ?? 0) * 1_000);
      // After a reconnect meanwhile it has been sent already.
      const socket = this.socket;
      setTimeout(() => this.state === "live" && this.socket === socket && this.start(again), pause);
    }
  }

  private probe(): void {
    this.send({ type: "ping" });
    clearTimeout(this.pong);
    // A dead connection reports nothing. Closing it can take minutes, so it is abandoned at once.
    this.pong = setTimeout(() => {
      const socket = this.socket;
      if (!socket) return;
      socket.onclose = socket.onmessage = null;
      socket.close();
      this.closed(1006);
    }, PONG_WITHIN);
  }

  private closed(code: number): void {
    this.socket = undefined;
    clearInterval(this.ping);
    clearTimeout(this.pong);
    if (code === 4403) return this.become("denied");
    if (FATAL.has(code)) return this.become("failed");
    if (!this.entries.size) return this.become("idle");
    this.become("lost");
    // 1001: the service is stopping and another process may be there already; 1000: this client closed it.
    const wait = code === 1001 || code === 1000 ? 0 : this.wait * (0.5 + Math.random() / 2);
    if (wait) this.wait = Math.min(LONGEST_WAIT, this.wait * 2);
    this.retry = setTimeout(() => this.open(), wait || Math.random() * FIRST_WAIT);
  }
}
