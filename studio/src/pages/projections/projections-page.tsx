/** Projections that lists are read from: progress, rebuilds, and events that could not be processed. */
import { useState } from "preact/hooks";
import { ask, toWireError, useData, useSubscription } from "../../model/data";
import { useMay } from "../../model/role";
import { useTitle } from "../../model/router";
import type { WireError } from "../../wire";
import { Button } from "../../parts/controls";
import { count, plural } from "../../parts/format";
import { Empty, explain, Failed, Skeleton } from "../../parts/states";
import { Generations } from "./generations";
import { PROGRESS, PROJECTIONS, RETRY, type DeadLetter, type Projection } from "./projections-documents";
import { Rebuild } from "./rebuild";

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
          <OneProjection key={it.id} projection={live[it.id] ?? it} changed={reload} />
        ))}
      </div>
    </>
  );
}

function OneProjection({ projection, changed }: { projection: Projection; changed: () => void }) {
  const [isAsking, setAsking] = useState(false);
  const mayOperate = useMay("ADMIN");
  const served = projection.generations.find((it) => it.number === projection.served?.number);
  const behind = served?.behind ?? 0;
  return (
    <section class="card projection">
      <div class="row spread">
        <h2>{projection.name}</h2>
        <div class="row no-print">
          {mayOperate && (
            <Button
              disabled={projection.inProgress !== null}
              title={projection.inProgress ? "A rebuild is in progress" : undefined}
              onClick={() => setAsking(true)}
            >
              Rebuild
            </Button>
          )}
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
      <Generations projection={projection} changed={changed} />
      <DeadLetters projection={projection} />
      {isAsking && <Rebuild projection={projection} close={() => setAsking(false)} />}
    </section>
  );
}

function DeadLetters({ projection }: { projection: Projection }) {
  const [error, setError] = useState<WireError>();
  const [busy, setBusy] = useState(false);
  const mayOperate = useMay("ADMIN");
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
        {mayOperate && (
          <Button disabled={busy || pending === letters.length} onClick={retry}>
            {pending === letters.length ? "Retry requested" : "Retry all"}
          </Button>
        )}
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
