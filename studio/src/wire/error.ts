/** Codes of `extensions.code` (docs/api.md), and three of the client itself. */
export type ErrorCode =
  | "INVALID"
  | "NOT_FOUND"
  | "CONFLICT"
  | "LIMIT"
  | "UNAUTHENTICATED"
  | "FORBIDDEN"
  | "DAMAGED"
  | "UNAVAILABLE"
  | "INTERNAL"
  | "ERASED"
  | "FUTURE_CURSOR"
  | "LAGGED"
  /** The service could not be reached. */
  | "NETWORK"
  /** The response was not what the protocol allows, for example a proxy's error page. */
  | "PROTOCOL"
  | (string & {});

/** An error of the service or of the connection to it. */
export class WireError extends Error {
  constructor(
    message: string,
    readonly code: ErrorCode,
    /** All of `extensions`, such as `actualVersion` of a conflict or `retryAfter` in seconds. */
    readonly extensions: Readonly<Record<string, unknown>> = {},
    /** Path of the field that failed. */
    readonly path: readonly (string | number)[] = [],
  ) {
    super(message);
    this.name = "WireError";
  }

  /** True if the same request can succeed later without a change. */
  get isTemporary(): boolean {
    return this.code === "NETWORK" || this.code === "UNAVAILABLE" || typeof this.extensions.retryAfter === "number";
  }

  /** Reads one entry of `errors` in a GraphQL response. */
  static from(entry: unknown): WireError {
    const { message, extensions, path } = (entry ?? {}) as {
      message?: string;
      extensions?: Record<string, unknown>;
      path?: (string | number)[];
    };
    return new WireError(
      message ?? "the service reported an error without a message",
      String(extensions?.code ?? "INTERNAL"),
      extensions,
      path,
    );
  }
}
