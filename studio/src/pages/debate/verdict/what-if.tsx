// The hypothetical: which labels and cruxes would differ without some arguments. The service computes it.

import { useData } from "../../../model/data";
import { WHAT_IF } from "../../../model/debate/documents";
import { count, labelOf, REGIME } from "../../../model/debate/words";
import { Button } from "../../../parts/controls";
import { ArgumentLink } from "../links";
import { setWithout, useDebateAddress } from "../state";
import { useShown, useView } from "../view";

export function WhatIfBanner() {
  const { debate } = useView();
  const { version } = useShown(debate);
  const { without } = useDebateAddress();
  const { data, error, loading } = useData(WHAT_IF, without.length ? { id: debate.fullId, at: version, remove: without } : null, { keep: true });
  if (!without.length) return null;
  const found = data?.debate?.whatIf;
  const changes = found?.labelChanges.filter((it) => !without.includes(it.argumentId)) ?? [];
  return (
    <section class="what-if" role="status" aria-label="What if">
      <p class="what-if-title"><b>Not what happened.</b> The debate at event {version} as if {without.map((id, at) => <span key={id}>{at ? (at === without.length - 1 ? " and " : ", ") : ""}<ArgumentLink id={id} /></span>)} had been withdrawn:</p>
      {error && <p class="wrong">{error.message}</p>}
      {!found && loading && <p class="soft">Computing …</p>}
      {found && (
        <ul class="what-if-changes" aria-busy={loading}>
          <li>{changes.length ? changes.map((it, at) => <span key={it.argumentId}>{at ? ", " : ""}<ArgumentLink id={it.argumentId} /> {labelOf(it.from).word} → {labelOf(it.to).word}</span>) : "No other argument changes its label"}</li>
          <li>
            {found.cruxesLost.length || found.cruxesGained.length ? (
              <details>
                <summary>{[found.cruxesLost.length && `${count(found.cruxesLost.length, "crux", "cruxes")} fewer`, found.cruxesGained.length && `${found.cruxesGained.length} more`].filter(Boolean).join(", ")}</summary>
                <ul>{found.cruxesLost.map((it) => <li key={it.shortId} dir="auto">no longer: {it.question}</li>)}{found.cruxesGained.map((it) => <li key={it.shortId} dir="auto">new: {it.question}</li>)}</ul>
              </details>
            ) : "The same cruxes"}
          </li>
          <li>{found.before.regime.kind === found.after.regime.kind ? `Still ${REGIME[found.after.regime.kind].word.toLowerCase()}` : `${REGIME[found.before.regime.kind].word} → ${REGIME[found.after.regime.kind].word.toLowerCase()}`}: {found.after.regime.reason}</li>
          {!found.exact && <li>Not exact: the search was stopped early</li>}
        </ul>
      )}
      <Button onClick={() => setWithout([])}>Leave (Esc)</Button>
    </section>
  );
}
