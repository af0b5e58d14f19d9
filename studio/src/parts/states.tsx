/** Loading, empty and failed: what a place shows when it has no data. */
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { WireError } from "../wire";
import { tokenWanted } from "../model/session";
import { Button } from "./controls";
import { capital } from "./format";

/** Lines of the height of the text to come. */
export function Skeleton({ lines = 4, label = "Loading" }: { lines?: number; label?: string }) {
  return (
    <div class="skeleton" role="status" aria-label={label}>
      {Array.from({ length: lines }, (_, at) => (
        <i key={at} />
      ))}
    </div>
  );
}

export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="message">
      <p class="message-title">{title}</p>
      {children}
    </div>
  );
}

/** An error in plain sentences, and a way on. */
export function Failed({ error, retry, what = "This" }: { error: WireError; retry?: () => void; what?: string }) {
  const [title, text] = explain(error, what);
  return (
    <div class="message failed" role="alert">
      <p class="message-title">{title}</p>
      <p>{text}</p>
      <div class="row">
        {error.code === "UNAUTHENTICATED" && (
          <Button onClick={() => tokenWanted.set({ message: error.message })}>Enter an access token</Button>
        )}
        {retry && error.code !== "ERASED" && <Button onClick={retry}>Try again</Button>}
      </div>
      {error.code === "INTERNAL" && typeof error.extensions.requestId === "string" && (
        <p class="small soft">
          Request <code>{error.extensions.requestId}</code>
        </p>
      )}
    </div>
  );
}

/** Title and text for an error. */
export function explain(error: WireError, what = "This"): [string, string] {
  const message = capital(error.message);
  switch (error.code) {
    case "NETWORK":
      return [
        "The service cannot be reached",
        "Check that it is running and that you are online. This page tries again when the connection is back.",
      ];
    case "UNAVAILABLE":
      return ["The service is busy", `${message} Try again in a moment.`];
    case "UNAUTHENTICATED":
      return ["An access token is needed", message];
    case "FORBIDDEN":
      return ["Your token does not allow this", message];
    case "ERASED":
      return [`${what} was erased`, "Its content was deleted permanently and cannot be read any more."];
    case "NOT_FOUND":
      return [`${what} does not exist`, message];
    case "LIMIT":
      return ["Too much was requested", message];
    case "DAMAGED":
      return [`${what} cannot be read completely`, message];
    default:
      return [`${what} could not be loaded`, message];
  }
}

/** Calls `more` when the end of a list comes into view; a button does the same for the keyboard. */
export function More({ hasMore, loading, more }: { hasMore: boolean; loading: boolean; more: () => void }) {
  const end = useRef<HTMLDivElement>(null);
  const [pressed, press] = useState(false);
  useEffect(() => {
    if (!end.current || !hasMore) return;
    const observer = new IntersectionObserver((entries) => entries.some((it) => it.isIntersecting) && more(), {
      rootMargin: "400px",
    });
    observer.observe(end.current);
    return () => observer.disconnect();
  }, [hasMore, loading, more]);
  if (!hasMore) return null;
  return (
    <div ref={end} class="row">
      <Button disabled={loading && pressed} onClick={() => (press(true), more())}>
        {loading ? "Loading more" : "Show more"}
      </Button>
    </div>
  );
}
