import type { Document } from "./document";
import type { WireError } from "./error";
import type { Socket } from "./socket";

/** What a resumable subscription does with what it receives. `Cursor` is a version or a cursor of the log. */
export interface Resumable<Data, Variables, Cursor> {
  /** Variables for a subscription that starts after this cursor. */
  variables(after: Cursor): Variables;
  /** Cursor of a message: the position from which to continue after it. */
  cursorOf(data: Data): Cursor;
  /** True if `a` is newer than `b`. Messages that are not newer than the last one are dropped. */
  isNewer?(a: Cursor, b: Cursor): boolean;
  next(data: Data): void;
  /** The log ends before the cursor, because it was restored from a backup. Forget everything; the stream starts over. */
  restart(): void;
  /** The subscription ended with an error that no retry repairs, such as ERASED or NOT_FOUND. */
  error(error: WireError): void;
  complete?(): void;
}

/** Subscribes so that each message arrives once and in order, whatever happens to the connection. */
export function resume<Data, Variables extends object, Cursor>(
  socket: Socket,
  document: Document<Data, Variables>,
  start: Cursor,
  resumable: Resumable<Data, Variables, Cursor>,
): () => void {
  let after = start;
  return socket.subscribe(document, () => resumable.variables(after), {
    next(data) {
      const cursor = resumable.cursorOf(data);
      if (resumable.isNewer && !resumable.isNewer(cursor, after)) return;
      after = cursor;
      resumable.next(data);
    },
    error(error) {
      if (error.code === "LAGGED" || error.code === "UNAVAILABLE") return true;
      if (error.code === "FUTURE_CURSOR") {
        after = start;
        resumable.restart();
        return true;
      }
      resumable.error(error);
      return false;
    },
    complete: () => resumable.complete?.(),
  });
}
