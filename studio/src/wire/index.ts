/** Client of the GraphQL API: `query` over HTTP, subscriptions over one WebSocket a tab. Depends on nothing else. */
import { Socket } from "./socket";

export { gql, type Document } from "./document";
export { WireError, type ErrorCode } from "./error";
export { query } from "./query";
export { resume, type Resumable } from "./resume";
export type { ConnectionState, Subscriber } from "./socket";
export { onToken, setToken, token } from "./token";

/** The socket of this tab. */
export const socket = new Socket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/graphql/ws`);
