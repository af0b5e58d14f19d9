/**
 * The access token, `NAME.SECRET`, kept for this tab only.
 *
 * It is in `sessionStorage` and not in a cookie, so that no request carries it unless this client sends it.
 */
const KEY = "faultline-token";
const listeners = new Set<(token: string | null) => void>();

export function token(): string | null {
  try {
    return sessionStorage.getItem(KEY);
  } catch {
    return null; // storage is disabled
  }
}

/** Sets or, with null, forgets the token. Waiting subscriptions connect again. */
export function setToken(value: string | null): void {
  try {
    if (value) sessionStorage.setItem(KEY, value);
    else sessionStorage.removeItem(KEY);
  } catch {
    // Without storage there is no token; the service answers UNAUTHENTICATED again.
  }
  for (const listener of [...listeners]) listener(value);
}

/** Calls the listener whenever the token changes. Returns a function that ends this. */
export function onToken(listener: (token: string | null) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function authorization(): Record<string, string> {
  const value = token();
  return value ? { authorization: `Bearer ${value}` } : {};
}
