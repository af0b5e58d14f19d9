/** What a rebuilt generation would change: counts by kind of change, and debates with before and after. */
import { useState } from "preact/hooks";
import { ask, toWireError, useData } from "../../model/data";
import type { WireError } from "../../wire";
import { Button } from "../../parts/controls";
import { capital, count, plural } from "../../parts/format";
import { explain, Failed, Skeleton } from "../../parts/states";
import { DIFFERENCES, type Differences, type Generation } from "./projections-documents";

/** Compares the stored views of all debates, a thousand at a time; further ones when asked. */
export function GenerationDifferences({ generation }: { generation: Generation }) {
  const first = useData(DIFFERENCES, { id: generation.id });
  const [rest, setRest] = useState<readonly Differences[]>([]);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<WireError>();
  if (first.error) return <Failed error={first.error} retry={first.reload} what="The comparison" />;
  if (!first.data)
    return (
      <div class="stack">
        <p class="small soft">Comparing the new generation with the served one.</p>
        <Skeleton lines={6} label="Comparing generations" />
      </div>
    );
  const parts = [first.data.generationDiff, ...rest];
  const last = parts.at(-1)!;
  const more = async () => {
    setBusy(true);
    setError(undefined);
    try {
      const { generationDiff } = await ask(DIFFERENCES, { id: generation.id, after: last.endCursor });
      setRest((it) => [...it, generationDiff]);
    } catch (thrown) {
      setError(toWireError(thrown));
    }
    setBusy(false);
  };
  return (
    <div class="stack rebuilt" aria-busy={busy || first.loading}>
      <Counts parts={parts} />
      <Fields parts={parts} />
      <Changed parts={parts} />
      {error && (
        <p class="wrong" role="alert">
          {explain(error, "The comparison").join(": ")}
        </p>
      )}
      <div class="row no-print">
        {last.hasNextPage && (
          <Button disabled={busy} onClick={() => void more()}>
            {busy ? "Comparing" : "Compare further debates"}
          </Button>
        )}
        <Button
          kind="plain"
          disabled={busy || first.loading}
          onClick={() => {
            setRest([]);
            first.reload();
          }}
        >
          Compare again
        </Button>
      </div>
    </div>
  );
}

type Parts = { parts: readonly Differences[] };
type CountName = {
  [Name in keyof Differences]: Differences[Name] extends number ? Name : never;
}[keyof Differences];

function Counts({ parts }: Parts) {
  const sum = (name: CountName) => parts.reduce((total, part) => total + part[name], 0);
  const compared = sum("comparedCount");
  const changed = compared - sum("unchangedCount");
  const { servedNumber, number, hasNextPage } = parts.at(-1)!;
  const apart: readonly (readonly [string, number])[] = [
    ["only in the served one", sum("onlyServedCount")],
    ["only in the new one", sum("onlyNewCount")],
    ["changed meanwhile, not compared", sum("movedCount")],
    ["served verdict not readable, not compared", sum("unreadableCount")],
  ];
  return (
    <div class="stack">
      <p role="status">
        <b>{changed ? `${plural(changed, "debate")} would change.` : "No debate would change."}</b> Generation {number}{" "}
        was compared with the served generation {servedNumber}: {plural(compared, "debate")}
        {hasNextPage ? " so far, and there are more." : ", all there are."}
      </p>
      {apart.some(([, n]) => n > 0) && (
        <ul class="row small">
          {apart
            .filter(([, n]) => n > 0)
            .map(([what, n]) => (
              <li key={what} class="tag open">
                {count(n)} {what}
              </li>
            ))}
        </ul>
      )}
    </div>
  );
}

const plainName = (field: string) => capital(field.replaceAll("_", " ").replace(".", ": "));

/** Counts by view and field, summed over the parts that were compared. */
function Fields({ parts }: Parts) {
  const fields = new Map<string, { debates: number; changes: number; kinds: Map<string, number> }>();
  for (const { field, debateCount, changeCount, kinds } of parts.flatMap((it) => it.fields)) {
    const sum = fields.get(field) ?? { debates: 0, changes: 0, kinds: new Map<string, number>() };
    sum.debates += debateCount;
    sum.changes += changeCount;
    for (const it of kinds) sum.kinds.set(it.kind, (sum.kinds.get(it.kind) ?? 0) + it.changeCount);
    fields.set(field, sum);
  }
  if (!fields.size) return null;
  return (
    <section class="stack">
      <h4>Kinds of change</h4>
      <div class="scrolls" tabIndex={0} role="region" aria-label="Kinds of change">
        <table>
          <thead>
            <tr>
              <th scope="col">What differs</th>
              <th scope="col">How</th>
              <th scope="col" class="number">
                Debates
              </th>
              <th scope="col" class="number">
                Changes
              </th>
            </tr>
          </thead>
          <tbody>
            {[...fields].map(([field, { debates, changes, kinds }]) => (
              <tr key={field}>
                <th scope="row">{plainName(field)}</th>
                <td>
                  <ul class="kinds">
                    {[...kinds].map(([kind, n]) => (
                      <li key={kind}>
                        {kind.replaceAll("_", " ")} <span class="soft number">{count(n)}×</span>
                      </li>
                    ))}
                  </ul>
                </td>
                <td class="number">{count(debates)}</td>
                <td class="number">{count(changes)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function Changed({ parts }: Parts) {
  const debates = parts.flatMap((it) => it.changedDebates);
  if (!debates.length) return null;
  return (
    <section class="stack">
      <h4>First changed debates</h4>
      <ul class="rebuilt-debates">
        {debates.map((debate, at) => (
          <li key={debate.debateId}>
            <details open={at < 2}>
              <summary>
                <span class="words">{debate.topic || debate.debateId}</span>{" "}
                <span class="soft small nowrap">{plural(debate.changeCount, "change")}</span>
              </summary>
              <ul class="before-after small">
                {debate.changes.map((change, place) => (
                  <li key={place}>
                    <b>{plainName(`${change.view}.${change.field}`)}</b>
                    {change.item && change.item !== change.view && <span class="soft"> ({change.item})</span>}
                    {change.before !== null && (
                      <p>
                        <del>
                          <span class="visually-hidden">served now: </span>
                          {change.before}
                        </del>
                      </p>
                    )}
                    {change.after !== null && (
                      <p>
                        <ins>
                          <span class="visually-hidden">after the switch: </span>
                          {change.after}
                        </ins>
                      </p>
                    )}
                  </li>
                ))}
              </ul>
              {debate.changeCount > debate.changes.length && (
                <p class="small soft">
                  {plural(debate.changeCount - debate.changes.length, "further change")} of this debate not listed.
                </p>
              )}
              <p class="small">
                <a href={`/debates/${debate.debateId}`}>Open the debate</a>
              </p>
            </details>
          </li>
        ))}
      </ul>
    </section>
  );
}
