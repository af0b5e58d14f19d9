/** Data of the service as hooks: a query, a list read page by page, a subscription. */
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { onToken, query, socket, WireError, type Document, type Subscriber } from "../wire";
import { needToken } from "./session";

export interface Loaded<Data> {
  /** Latest data; while a query with other variables is under way, still that of the previous one. */
  data: Data | undefined;
  error: WireError | undefined;
  loading: boolean;
  /** Asks the service again. */
  reload: () => void;
}

/** Data by document and variables, so that Back shows a page at once. It is always asked again. */
const cache = new Map<string, unknown>();
const CACHED = 60;

function remember(key: string, data: unknown): void {
  cache.delete(key);
  cache.set(key, data);
  if (cache.size > CACHED) cache.delete(cache.keys().next().value!);
}

/** Runs a query or mutation, and asks for a token if the service wants one. */
export async function ask<Data, Variables extends object>(
  document: Document<Data, Variables>,
  variables: Variables,
  signal?: AbortSignal,
): Promise<Data> {
  try {
    return await query(document, variables, signal);
  } catch (error) {
    if (error instanceof WireError && error.code === "UNAUTHENTICATED") needToken(error);
    throw error;
  }
}

/** Error as a `WireError`, whatever was thrown. */
export const toWireError = (error: unknown): WireError =>
  error instanceof WireError
    ? error
    : new WireError(error instanceof Error ? error.message : String(error), "PROTOCOL");

/**
 * Runs a query and keeps its data; null as variables runs nothing.
 *
 * `keep` marks data that never changes, such as a past version of a debate: it is not asked again.
 */
export function useData<Data, Variables extends object>(
  document: Document<Data, Variables>,
  variables: Variables | null,
  { keep = false }: { keep?: boolean } = {},
): Loaded<Data> {
  const key = variables && document + JSON.stringify(variables);
  const [state, setState] = useState<{
    key: string | null;
    data: Data | undefined;
    error: WireError | undefined;
    loading: boolean;
  }>(() => ({
    key,
    data: key ? (cache.get(key) as Data | undefined) : undefined,
    error: undefined,
    loading: key !== null,
  }));
  const [turn, again] = useState(0);
  useEffect(() => onToken((token) => token && again((n) => n + 1)), []);
  useEffect(() => {
    if (!key || !variables) return;
    const known = cache.get(key) as Data | undefined;
    if (known && keep && !turn) return setState({ key, data: known, error: undefined, loading: false });
    // The error of an earlier attempt stays until this one is answered, so that the page does not flicker.
    setState((it) => ({ key, data: known ?? it.data, error: it.key === key ? it.error : undefined, loading: true }));
    const abort = new AbortController();
    ask(document, variables, abort.signal).then(
      (data) => {
        remember(key, data);
        setState({ key, data, error: undefined, loading: false });
      },
      (error) => {
        if (!abort.signal.aborted) setState((it) => ({ ...it, key, error: toWireError(error), loading: false }));
      },
    );
    return () => abort.abort();
  }, [key, turn]);
  useRetry(state.error, () => again((n) => n + 1));
  return {
    data: state.data,
    error: state.error,
    loading: state.loading || state.key !== key,
    reload: useCallback(() => again((n) => n + 1), []),
  };
}

/** Repeats a request that failed for the moment: when the connection comes back, and after 1 to 15 s, doubled each time. */
function useRetry(error: WireError | undefined, again: () => void): void {
  const wait = useRef(1_000);
  useEffect(() => {
    if (!error?.isTemporary) {
      if (!error) wait.current = 1_000;
      return;
    }
    const asked = Number(error.extensions.retryAfter ?? 0) * 1_000;
    const timer = setTimeout(again, Math.max(asked, wait.current) * (0.75 + Math.random() / 2));
    wait.current = Math.min(15_000, wait.current * 2);
    const end = socket.onState((it) => it === "live" && again());
    return () => {
      clearTimeout(timer);
      end();
    };
  }, [error]);
}

/** A page of a connection, as the API returns it. */
export interface Page<Node> {
  nodes: Node[];
  pageInfo: { endCursor: string | null; hasNextPage: boolean };
}

export interface Pages<Node> {
  nodes: Node[] | undefined;
  hasMore: boolean;
  error: WireError | undefined;
  loading: boolean;
  /** Reads the next page. */
  more: () => void;
  /** Reads the list again from its start. */
  reload: () => void;
}

/** Reads a list page by page. It starts over when the variables change. */
export function usePages<Data, Variables extends { after?: string | null }, Node>(
  document: Document<Data, Variables>,
  variables: Variables,
  page: (data: Data) => Page<Node>,
): Pages<Node> {
  const key = document + JSON.stringify(variables);
  const first = useRef<Pick<Pages<Node>, "nodes" | "hasMore"> & { end: string | null }>();
  const [state, setState] = useState(() => {
    const known = cache.get(key + "pages") as typeof first.current;
    return {
      key,
      nodes: known?.nodes,
      hasMore: known?.hasMore ?? false,
      end: known?.end ?? null,
      error: undefined as WireError | undefined,
      loading: true,
    };
  });
  const latest = useRef(state);
  latest.current = state;
  const wanted = useRef(key);
  wanted.current = key;
  const [turn, again] = useState(0);
  useEffect(() => onToken((token) => token && again((n) => n + 1)), []);
  const load = useCallback(
    (after: string | null, before: Node[], signal?: AbortSignal) => {
      ask(document, { ...variables, after }, signal).then(
        (data) => {
          // What was asked with other variables, or before a reload, comes too late.
          if (signal?.aborted || wanted.current !== key) return;
          const { nodes, pageInfo } = page(data);
          const next = { nodes: [...before, ...nodes], hasMore: pageInfo.hasNextPage, end: pageInfo.endCursor };
          remember(key + "pages", next);
          setState({ key, ...next, error: undefined, loading: false });
        },
        (error) => {
          if (!signal?.aborted) setState((it) => ({ ...it, key, error: toWireError(error), loading: false }));
        },
      );
    },
    [key],
  );
  useEffect(() => {
    const abort = new AbortController();
    const known = cache.get(key + "pages") as typeof first.current;
    if (known && !turn)
      setState({ key, nodes: known.nodes, hasMore: known.hasMore, end: known.end, error: undefined, loading: true });
    else setState((it) => ({ ...it, loading: true, error: it.key === key ? it.error : undefined }));
    load(null, [], abort.signal);
    return () => abort.abort();
  }, [key, turn]);
  useRetry(state.error, () => again((n) => n + 1));
  return {
    nodes: state.nodes,
    hasMore: state.hasMore,
    error: state.error,
    loading: state.loading || state.key !== key,
    more: useCallback(() => {
      const now = latest.current;
      if (now.loading || !now.hasMore || now.key !== key) return;
      setState({ ...now, loading: true });
      load(now.end, now.nodes ?? []);
    }, [load]),
    reload: useCallback(() => again((n) => n + 1), []),
  };
}

/** Subscribes while the component is shown; null as variables subscribes to nothing. The subscriber may change freely. */
export function useSubscription<Data, Variables extends object>(
  document: Document<Data, Variables>,
  variables: Variables | null,
  subscriber: Subscriber<Data>,
): void {
  const latest = useRef(subscriber);
  latest.current = subscriber;
  useEffect(() => {
    if (!variables) return;
    return socket.subscribe(document, () => variables, {
      next: (data) => latest.current.next(data),
      error(error) {
        if (error.code === "UNAUTHENTICATED") needToken(error);
        // The state is what matters here: a client that was too slow begins with the current one.
        if (error.code === "LAGGED" || error.code === "UNAVAILABLE") return true;
        return latest.current.error?.(error);
      },
      complete: () => latest.current.complete?.(),
    });
  }, [document, JSON.stringify(variables)]);
}
