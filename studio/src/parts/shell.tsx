/** Frame of every page: header with navigation and the state of the connection, and the dialog for the token. */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { useMay } from "../model/role";
import { connection, tokenWanted } from "../model/session";
import { useAddress } from "../model/router";
import { useStore } from "../model/store";
import { setToken, socket, token } from "../wire";
import { Button, TextField } from "./controls";
import { Dialog } from "./dialog";

const SECTIONS: readonly (readonly [path: string, label: string])[] = [
  ["/", "Debates"],
  ["/cruxes", "Cruxes"],
  ["/personas", "Personas"],
  ["/statistics", "Statistics"],
  ["/cost", "Cost"],
  ["/projections", "Projections"],
];

export function Shell({ full, children }: { full: boolean; children: ComponentChildren }) {
  const { path } = useAddress();
  const wanted = useStore(tokenWanted);
  const mayStart = useMay("WRITER");
  const isHere = (section: string) =>
    section === "/" ? path === "/" || path.startsWith("/debates/") : path === section || path.startsWith(`${section}/`);
  return (
    <>
      <a
        class="skip button"
        href="#content"
        onClick={(event) => (event.preventDefault(), document.getElementById("content")?.focus())}
      >
        Skip to the content
      </a>
      <header class="top">
        <a class="home" href="/">
          <svg viewBox="0 0 20 20" aria-hidden="true">
            <path d="M2 4.5h6.2l2.6 5.2H4.6z M9.4 10.3h6.2l2.4 5.2h-6z" fill="currentColor" />
            <path
              d="M9.6 1.5L8.2 4.5l2.6 5.2h-1.4l2.6 5.2-1.6 3.6"
              fill="none"
              stroke="var(--bad)"
              stroke-width="1.4"
              stroke-linejoin="round"
            />
          </svg>
          Faultline
        </a>
        <nav class="nav" aria-label="Sections">
          {SECTIONS.map(([section, label]) => (
            <a key={section} href={section} aria-current={isHere(section) ? "page" : undefined}>
              {label}
            </a>
          ))}
        </nav>
        <div class="top-end">
          <LinkState />
          {mayStart && path !== "/start" && (
            <a class="button" href="/start">
              Start<span class="wide-only"> a debate</span>
            </a>
          )}
        </div>
      </header>
      <main id="content" class={full ? "full" : "page"} tabIndex={-1}>
        {children}
      </main>
      {wanted && <TokenDialog message={wanted.message} />}
    </>
  );
}

/** State of the connection in a word. Quiet while nothing is followed. */
function LinkState() {
  const state = useStore(connection);
  const text = {
    idle: "",
    connecting: "",
    live: "live",
    lost: "connection lost",
    denied: "token needed",
    failed: "no connection",
  }[state];
  return (
    <span class={`link-state ${state}`} role="status">
      {text && <i aria-hidden="true" />}
      <span>{text}</span>
      {state === "lost" && (
        <Button kind="plain" onClick={() => socket.retryNow()}>
          Reconnect
        </Button>
      )}
      {state === "denied" && (
        <Button kind="plain" onClick={() => tokenWanted.set({ message: "The service needs an access token." })}>
          Enter
        </Button>
      )}
      {state === "failed" && (
        <Button kind="plain" onClick={() => location.reload()}>
          Reload
        </Button>
      )}
    </span>
  );
}

function TokenDialog({ message }: { message: string }) {
  const [value, set] = useState("");
  const [error, fail] = useState<string>();
  const close = () => tokenWanted.set(null);
  const submit = (event: Event) => {
    event.preventDefault();
    const next = value.trim().replace(/^Bearer\s+/i, "");
    if (!/^[^\s.]+\.\S+$/.test(next)) return fail("A token has a name, a dot and a secret: NAME.SECRET.");
    tokenWanted.set(null);
    setToken(next);
  };
  return (
    <Dialog title="Access token" close={close}>
      <form class="stack" onSubmit={submit}>
        <p>
          {message} A token is kept in this tab only, and forgotten when you close it. Administrators create one with{" "}
          <code>faultline token NAME --role reader</code>.
        </p>
        <TextField
          label="Token"
          type="password"
          value={value}
          onInput={(it) => (set(it), fail(undefined))}
          error={error}
          attributes={{ autocomplete: "off", autofocus: true, placeholder: "NAME.SECRET" }}
        />
        <div class="dialog-foot">
          {token() && <Button onClick={() => (setToken(null), close())}>Forget the current token</Button>}
          <Button type="submit" kind="primary">
            Use this token
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
