/**
 * Addresses of the page. Every state that a reader may want to share or come back to is in the path or the query.
 *
 * Links are plain `<a href>`: one listener turns those that lead to a page into navigation without a reload.
 */
import { useEffect } from "preact/hooks";
import { Store, useStore } from "./store";

export interface Address {
  readonly path: string;
  readonly query: URLSearchParams;
  /** Fragment without `#`: the element to show, such as a turn. */
  readonly hash: string;
}

const read = (): Address => ({
  path: location.pathname,
  query: new URLSearchParams(location.search),
  hash: location.hash.slice(1),
});

export const address = new Store<Address>(read());

/** Values to change in the query; null and "" remove the name, because a default is not written. */
export type QueryChange = Record<string, string | number | null | undefined>;

/** Returns this path and query with changes of the query. */
export function hrefWith(change: QueryChange, from: Address = address.get()): string {
  const query = new URLSearchParams(from.query);
  for (const [name, value] of Object.entries(change)) {
    if (value === null || value === undefined || value === "") query.delete(name);
    else query.set(name, String(value));
  }
  const text = query.toString();
  return from.path + (text && `?${text}`);
}

/** Goes to an address of the page. `replace` writes no entry of the history, for states in quick succession. */
export function navigate(
  to: string,
  { replace = false, scroll = !replace }: { replace?: boolean; scroll?: boolean } = {},
): void {
  const target = new URL(to, location.href);
  const here = location.pathname + location.search + location.hash;
  const there = target.pathname + target.search + target.hash;
  if (here === there && !target.hash) return;
  const samePath = target.pathname === location.pathname;
  if (replace) history.replaceState(history.state, "", there);
  else {
    saveScroll();
    history.pushState({}, "", there);
  }
  address.set(read());
  if (target.hash) show(target.hash.slice(1));
  else if (scroll && !samePath) {
    scrollTo(0, 0);
    // Screen readers and the keyboard continue at the top of the new page.
    requestAnimationFrame(() => document.querySelector<HTMLElement>("main")?.focus({ preventScroll: true }));
  }
}

/** Changes the query of this address. */
export function setQuery(change: QueryChange, options: { replace?: boolean } = { replace: true }): void {
  navigate(hrefWith(change), { ...options, scroll: false });
}

export const useAddress = (): Address => useStore(address);

/** Returns one value of the query, or the default, and a function that sets it. */
export function useQueryValue(
  name: string,
  fallback = "",
): [string, (value: string | null, replace?: boolean) => void] {
  const value = useStore(address, (it) => it.query.get(name)) ?? fallback;
  return [value, (next, replace = true) => setQuery({ [name]: next === fallback ? null : next }, { replace })];
}

/** Matches a path with a pattern such as `/debates/{id}`; returns its parameters, or null. */
export function match(pattern: string, path: string): Record<string, string> | null {
  const wanted = pattern.split("/");
  const given = path.replace(/\/+$/, "").split("/");
  if (path === "/") given.push("");
  if (wanted.length !== given.length) return null;
  const parameters: Record<string, string> = {};
  for (let at = 0; at < wanted.length; at++) {
    const want = wanted[at]!;
    const part = given[at]!;
    if (want.startsWith("{")) {
      try {
        parameters[want.slice(1, -1)] = decodeURIComponent(part);
      } catch {
        return null;
      }
      if (!part) return null;
    } else if (want !== part) return null;
  }
  return parameters;
}

/** Sets the title of the tab while the component is shown. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = title ? `${title} · Faultline` : "Faultline";
  }, [title]);
}

/** Scrolls to the element with this id, as soon as it exists (for at most two seconds). */
export function show(id: string, until = performance.now() + 2_000): void {
  const element = document.getElementById(decodeURIComponent(id));
  if (element) element.scrollIntoView({ block: "nearest" });
  else if (performance.now() < until) requestAnimationFrame(() => show(id, until));
}

function saveScroll(): void {
  history.replaceState({ ...history.state, scroll: scrollY }, "");
}

/** Scrolls back as soon as the page is high enough: its data may still be on the way. */
function restoreScroll(to: number, until = performance.now() + 1_500): void {
  if (document.documentElement.scrollHeight - innerHeight >= to || performance.now() > until) scrollTo(0, to);
  else requestAnimationFrame(() => restoreScroll(to, until));
}

/** Starts the router. `isPage` tells which paths the page shows; other links are left to the browser. */
export function startRouter(isPage: (path: string) => boolean): void {
  history.scrollRestoration = "manual";
  addEventListener("popstate", () => {
    address.set(read());
    restoreScroll(Number(history.state?.scroll ?? 0));
  });
  addEventListener("pagehide", saveScroll);
  document.addEventListener("click", (event) => {
    if (
      event.defaultPrevented ||
      event.button !== 0 ||
      event.metaKey ||
      event.ctrlKey ||
      event.shiftKey ||
      event.altKey
    )
      return;
    const link = (event.target as Element | null)?.closest?.("a[href]");
    if (
      !(link instanceof HTMLAnchorElement) ||
      link.target ||
      link.hasAttribute("download") ||
      link.origin !== location.origin ||
      !isPage(link.pathname)
    )
      return;
    event.preventDefault();
    navigate(link.href);
  });
  if (history.state?.scroll) restoreScroll(Number(history.state.scroll));
  else if (location.hash) show(location.hash.slice(1));
}
