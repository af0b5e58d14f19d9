// What can be done with the debate: lead it, fork it, compare it, export it.

import { useEffect, useRef, useState } from "preact/hooks";
import { ask, toWireError } from "../../../model/data";
import { CANCEL, INTERJECT, PAUSE, RESUME } from "../../../model/debate/action-documents";
import { useMay } from "../../../model/role";
import { hrefWith } from "../../../model/router";
import { useStore } from "../../../model/store";
import { AreaField, Button, SelectField, TextField } from "../../../parts/controls";
import { Confirm, Dialog } from "../../../parts/dialog";
import { token } from "../../../wire";
import type { Document, WireError } from "../../../wire";
import { download, EXPORTS, exportHref } from "./exports";
import { ForkDialog } from "../later-sections";
import { printing } from "../printing";
import { useDebateAddress } from "../state";
import { useShown, useView } from "../view";

export function Actions() {
  const { debate, sheet } = useView();
  const { version, isLatest } = useShown(debate);
  const { versus } = useDebateAddress();
  const [dialog, open] = useState<"fork" | "cancel" | "interject" | null>(null);
  const mayChange = useMay("WRITER");
  const run = useAction();
  const status = (useStore(debate.state) ?? sheet).status;
  const isOpen = status === "RUNNING" || status === "PAUSED";
  const close = () => open(null);
  return (
    <div class="actions no-print">
      {isOpen && mayChange && (
        <>
          <Button onClick={() => open("interject")}>Interject</Button>
          {status === "RUNNING" ? <Button disabled={run.isBusy} onClick={() => run.change(PAUSE, { debateId: debate.fullId })}>Pause</Button> : <Button kind="primary" disabled={run.isBusy} onClick={() => run.change(RESUME, { debateId: debate.fullId })}>Resume</Button>}
          <Button kind="danger" onClick={() => open("cancel")}>Cancel</Button>
        </>
      )}
      {mayChange && <Button onClick={() => open("fork")}>Fork{isLatest ? "" : ` from event ${version}`}</Button>}
      <a class="button" href={hrefWith({ versus: versus === null ? Math.max(1, Math.round(version / 2)) : null, with: null })} aria-current={versus !== null ? "true" : undefined}>{versus === null ? "Compare" : "Leave the comparison"}</a>
      <ExportMenu />
      {run.error && <p class="wrong action-error" role="alert">{run.error.message}</p>}
      {dialog === "fork" && <ForkDialog at={version} close={close} />}
      {dialog === "cancel" && <CancelDialog close={close} />}
      {dialog === "interject" && <InterjectDialog close={close} />}
    </div>
  );
}

/** Runs a change and reports what was refused. */
function useAction() {
  const { debate } = useView();
  const [isBusy, setBusy] = useState(false);
  const [error, fail] = useState<WireError>();
  const change = async <Data, Input extends object>(document: Document<Data, { input: Input }>, input: Input): Promise<boolean> => {
    setBusy(true);
    fail(undefined);
    try {
      await ask(document, { input });
      debate.refresh();
      return true;
    } catch (thrown) {
      const known = toWireError(thrown);
      fail(known);
      return false;
    } finally {
      setBusy(false);
    }
  };
  return { isBusy, error, change };
}

function CancelDialog({ close }: { close: () => void }) {
  const { debate } = useView();
  const [reason, setReason] = useState("");
  const run = useAction();
  return (
    <Confirm title="Cancel this debate?" action="Cancel the debate" danger busy={run.isBusy} close={close} confirm={() => void run.change(CANCEL, { debateId: debate.fullId, reason: reason || null }).then((done) => done && close())}>
      <p>It ends now and cannot be resumed. What was said stays, and it can be forked.</p>
      <TextField label="Reason (optional)" value={reason} onInput={setReason} />
      {run.error && <p class="wrong" role="alert">{run.error.message}</p>}
    </Confirm>
  );
}

const LONGEST = 8000;

function InterjectDialog({ close }: { close: () => void }) {
  const { debate, people } = useView();
  const [text, setText] = useState("");
  const [who, setWho] = useState("");
  const run = useAction();
  const bytes = new TextEncoder().encode(text).length;
  const problem = bytes > LONGEST ? `The message has ${bytes} bytes; at most ${LONGEST} are allowed.` : run.error?.message;
  const submit = (event: Event) => {
    event.preventDefault();
    if (text.trim() && bytes <= LONGEST) void run.change(INTERJECT, { debateId: debate.fullId, text, personaId: who || null }).then((done) => done && close());
  };
  return (
    <Dialog title="Interject" close={close}>
      <form class="stack" onSubmit={submit}>
        <SelectField label="In the name of" value={who} onChange={setWho} options={[["", "the moderator"], ...people.all.filter((it) => !it.left).map((it) => [it.personaId, it.name] as const)]} />
        <AreaField label="Message" value={text} onInput={setText} rows={5} error={problem} hint="Everybody sees it before the next turn. It is recorded and cannot be taken back." />
        <div class="dialog-foot">
          <Button onClick={close}>Back</Button>
          <Button type="submit" kind="primary" disabled={run.isBusy || !text.trim()}>Say it</Button>
        </div>
      </form>
    </Dialog>
  );
}

function ExportMenu() {
  const { debate } = useView();
  const { version, isLatest } = useShown(debate);
  const menu = useRef<HTMLDetailsElement>(null);
  const [error, fail] = useState("");
  useEffect(() => {
    const closeOutside = (event: Event) => {
      const element = menu.current;
      if (!element?.open) return;
      if (event instanceof KeyboardEvent ? event.key === "Escape" : !element.contains(event.target as Node)) {
        element.open = false;
        if (event instanceof KeyboardEvent) element.querySelector("summary")?.focus();
      }
    };
    document.addEventListener("click", closeOutside);
    document.addEventListener("keydown", closeOutside);
    return () => {
      document.removeEventListener("click", closeOutside);
      document.removeEventListener("keydown", closeOutside);
    };
  }, []);
  const at = isLatest ? null : version;
  return (
    <details class="menu" ref={menu}>
      <summary class="button">Export</summary>
      <div class="menu-list">
        <p class="small soft">{isLatest ? "The debate as it is now" : `The debate at event ${version}`}</p>
        <button type="button" onClick={() => (menu.current!.open = false, printing.set("wanted"))}>Print this page</button>
        {EXPORTS.map(({ format, label, about, extension }) => (
          <a
            key={format} href={exportHref(debate.fullId, format, at)} target={format === "html" ? "_blank" : undefined} rel="noopener" download={format === "html" ? undefined : `debate-${debate.fullId.slice(-8)}.${extension}`}
            onClick={(event) => {
              // A link cannot send the token.
              if (!token()) return;
              event.preventDefault();
              fail("");
              download(debate.fullId, format, extension, at).catch((thrown: unknown) => fail(toWireError(thrown).message));
            }}
          >
            <b>{label}</b> <span class="small soft">{about}</span>
          </a>
        ))}
        {error && <p class="wrong">{error}</p>}
      </div>
    </details>
  );
}
