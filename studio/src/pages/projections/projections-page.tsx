/** Projections that lists are read from: progress, rebuilds, and events that could not be processed. */
import { useState } from "preact/hooks";
import { ask, toWireError, useData, useSubscription } from "../../model/data";
import { useTitle } from "../../model/router";
import type { WireError } from "../../wire";
import { Button, CheckField, TextField } from "../../parts/controls";
import { Dialog } from "../../parts/dialog";
import { count, plural } from "../../parts/format";
import { Empty, explain, Failed, Skeleton } from "../../parts/states";
import { Generations } from "./generations";
import { PROGRESS, PROJECTIONS, REBUILD, RETRY, type DeadLetter, type Projection } from "./projections-documents";

export function ProjectionsPage() {
  useTitle("Projections");
  const { data, error, reload } = useData(PROJECTIONS, {});
  const [live, setLive] = useState<Record<string, Projection>>({});
  useSubscription(PROGRESS, {}, { next: ({ projectionProgress: it }) => setLive((all) => ({ ...all, [it.id]: it })) });
  return (
    <>
      <div class="page-head">
        <div>
          <h1>Projections</h1>
          <p>
            Lists and searches read stored views, which are computed from the log. A rebuild makes a new generation
            beside the served one and switches to it when it has caught up.
          </p>
        </div>
      </div>
      {error && <Failed error={error} retry={reload} what="The state of the projections" />}
      {!data && !error && (
        <div class="card">
          <Skeleton lines={12} label="Loading projections" />
        </div>
      )}
      {data?.projections.length === 0 && <Empty title="No projections" />}
      <div class="stack">
        {data?.projections.map((it) => (
          <OneProjection key={it.id} projection={live[it.id] ?? it} />
        ))}
      </div>
    </>
  );
}

function OneProjection({ projection }: { projection: Projection }) {
  const [isAsking, setAsking] = useState(false);
  const served = projection.generations.find((it) => it.number === projection.served?.number);
  const behind = served?.behind ?? 0;
  return (
    <section class="card projection">
      <div class="row spread">
        <h2>{projection.name}</h2>
        <div class="row no-print">
          <Button
            disabled={projection.inProgress !== null}
            title={projection.inProgress ? "A rebuild is in progress" : undefined}
            onClick={() => setAsking(true)}
          >
            Rebuild
          </Button>
        </div>
      </div>
      <dl class="figures">
        <div>
          <dt>Served generation</dt>
          <dd>{served ? served.number : "none yet"}</dd>
        </div>
        <div>
          <dt>Behind the log</dt>
          <dd class={behind ? "late" : ""}>{behind ? plural(behind, "event") : "no, up to date"}</dd>
        </div>
        <div>
          <dt>Events processed</dt>
          <dd>{served ? count(served.eventsDone) : "0"}</dd>
        </div>
        <div>
          <dt>Not processed</dt>
          <dd class={projection.deadLetters.length ? "late" : ""}>
            {projection.deadLetters.length ? plural(projection.deadLetters.length, "event") : "none"}
          </dd>
        </div>
        <div>
          <dt>Revision of the fold</dt>
          <dd>{projection.revision}</dd>
        </div>
      </dl>
      <Generations projection={projection} />
      <DeadLetters projection={projection} />
      {isAsking && <Rebuild projection={projection} close={() => setAsking(false)} />}
    </section>
  );
}

function Rebuild({ projection, close }: { projection: Projection; close: () => void }) {
  const [workers, setWorkers] = useState("");
  const [allow, setAllow] = useState(false);
  const [wrong, setWrong] = useState<string>();
  const [error, setError] = useState<WireError>();
  const [busy, setBusy] = useState(false);
  const submit = async (event: Event) => {
    event.preventDefault();
    const n = workers.trim() ? Number(workers) : undefined;
    if (n !== undefined && (!Number.isInteger(n) || n < 1 || n > 16))
      return setWrong("Enter a whole number from 1 to 16, or leave it empty.");
    setBusy(true);
    setError(undefined);
    try {
      await ask(REBUILD, { input: { name: projection.name, workers: n, allowDeadLetters: allow } });
      close();
    } catch (thrown) {
      setError(toWireError(thrown));
      setBusy(false);
    }
  };
  return (
    <Dialog title={`Rebuild ${projection.name}`} close={close}>
      <form class="stack" onSubmit={submit} noValidate>
        <p>
          All events are processed again into a new generation. Readers see the served one until the new one has caught
          up.
        </p>
        <TextField
          label="Parallel workers"
          value={workers}
          onInput={(it) => (setWorkers(it), setWrong(undefined))}
          error={wrong}
          hint="1 to 16; one per core if empty."
          attributes={{ inputMode: "numeric", placeholder: "one per core", autocomplete: "off" }}
        />
        <CheckField
          label="Switch even if debates would be missing"
          checked={allow}
          onChange={setAllow}
          hint="Otherwise the new generation waits if it lacks debates whose events cannot be read."
        />
        <div class="message small">
          <p>
            To compare all verdicts before the switch, run <code>faultline rebuild {projection.name} --diff</code> on
            the server instead; with <code>--dry-run</code> it reports the differences and does not switch.
          </p>
        </div>
        {error && (
          <p class="wrong" role="alert">
            {explain(error, "The rebuild").join(": ")}
          </p>
        )}
        <div class="dialog-foot">
          <Button onClick={close}>Back</Button>
          <Button type="submit" kind="primary" disabled={busy}>
            {busy ? "Requesting" : "Rebuild"}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

function DeadLetters({ projection }: { projection: Projection }) {
  const [error, setError] = useState<WireError>();
  const [busy, setBusy] = useState(false);
  const letters = projection.deadLetters;
  if (!letters.length) return null;
  const retry = async () => {
    setBusy(true);
    setError(undefined);
    try {
      await ask(RETRY, { input: { name: projection.name } });
    } catch (thrown) {
      setError(toWireError(thrown));
    }
    setBusy(false);
  };
  const pending = letters.filter((it) => it.retryRequested).length;
  return (
    <div class="stack">
      <div class="row spread">
        <h3>Dead letters: events that could not be processed</h3>
        <Button disabled={busy || pending === letters.length} onClick={retry}>
          {pending === letters.length ? "Retry requested" : "Retry all"}
        </Button>
      </div>
      <p class="small soft">
        The rows of their debates keep the state before these events.
        {letters.length >= 500 ? " The oldest 500 are listed." : ""}
      </p>
      {error && (
        <p class="wrong" role="alert">
          {explain(error, "The retry").join(": ")}
        </p>
      )}
      <div class="scrolls" tabIndex={0} role="region" aria-label={`Dead letters of ${projection.name}`}>
        <table>
          <thead>
            <tr>
              <th scope="col">Debate</th>
              <th scope="col" class="number">
                Version
              </th>
              <th scope="col">Event</th>
              <th scope="col">Reason</th>
              <th scope="col" class="number">
                Attempts
              </th>
            </tr>
          </thead>
          <tbody>
            {letters.map((it) => (
              <Letter key={it.id} letter={it} />
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}

function Letter({ letter }: { letter: DeadLetter }) {
  return (
    <tr>
      <td>
        <a href={`/debates/${letter.debateId}`}>
          <code>{letter.debateId.slice(-12)}</code>
        </a>
      </td>
      <td class="number">{letter.version}</td>
      <td>
        <code>{letter.kind}</code>
      </td>
      <td>
        {letter.reason}
        {letter.retryRequested && <span class="tag open">retry requested</span>}
      </td>
      <td class="number">{letter.attempts}</td>
    </tr>
  );
}
