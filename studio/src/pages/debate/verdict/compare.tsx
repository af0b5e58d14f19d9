// Two versions, or a fork and its origin, side by side, with what differs.

import { useData } from "../../../model/data";
import { COMPARE, SHEET } from "../../../model/debate/documents";
import type { Sheet } from "../../../model/debate/debate";
import { count, labelOf, percent, REGIME, SIDE } from "../../../model/debate/words";
import { hrefWith, setQuery } from "../../../model/router";
import { useStore } from "../../../model/store";
import { Button } from "../../../parts/controls";
import { Failed, Skeleton } from "../../../parts/states";
import type { DebateCompareQuery } from "../../../wire/operations";
import { TurnLink, Who } from "../links";
import { Refs, sentence } from "../refs";
import { useDebateAddress } from "../state";
import { useShown, useView } from "../view";

type Diff = DebateCompareQuery["compare"];

export function Compare() {
  const { debate, sheet } = useView();
  const { version } = useShown(debate);
  const { versus, with: other } = useDebateAddress();
  // Without a version, the other debate is compared as it is now.
  const leftSheet = useData(SHEET, { id: other ?? debate.fullId, at: versus }, { keep: versus !== null });
  const left = { id: other ?? debate.fullId, version: versus ?? leftSheet.data?.debate?.version ?? null };
  const right = { id: debate.fullId, version };
  const diff = useData(COMPARE, left.version === null ? null : { id: left.id, from: left.version, to: right.version, with: other ? right.id : null }, { keep: true });
  const found = diff.data?.compare;
  return (
    <div class="compare" data-scrolls tabIndex={0} aria-label="Comparison" role="region">
      <header class="compare-head">
        <div>
          <h2>{other ? "This fork and its origin" : "Two versions of this debate"}</h2>
          <p class="soft small">Choose the right version with the slider below{other ? "." : ", and the left one here."}</p>
        </div>
        <div class="row">
          <label class="row small">Left: event <input class="input version" type="number" min={1} max={other ? undefined : debate.head.get()} value={left.version ?? ""} onChange={(event) => setQuery({ versus: Math.max(1, Number(event.currentTarget.value) || 1) })} /></label>
          <Button onClick={() => setQuery({ versus: null, with: null }, { replace: false })}>Leave the comparison (Esc)</Button>
        </div>
      </header>
      {(diff.error ?? leftSheet.error) && <Failed error={(diff.error ?? leftSheet.error)!} retry={() => (diff.reload(), leftSheet.reload())} what="The comparison" />}
      <div class="two-columns">
        <Side title={other ? `Origin, event ${left.version ?? "…"}` : `Event ${left.version}`} href={other ? `/debates/${other}` : hrefWith({ at: left.version, versus: null })} sheet={leftSheet.data?.debate ?? null} lost={found?.cruxesLost} word="only here" />
        <Side title={other ? `This fork, event ${right.version}` : `Event ${right.version}`} href={hrefWith({ versus: null, with: null })} sheet={sheet.version === version ? sheet : null} lost={found?.cruxesGained} word="only here" />
      </div>
      {found && <Differences diff={found} />}
    </div>
  );
}

function Side({ title, href, sheet, lost, word }: { title: string; href: string; sheet: Sheet | null; lost: readonly { shortId: string }[] | undefined; word: string }) {
  if (!sheet) return <section class="card"><h3>{title}</h3><Skeleton lines={6} /></section>;
  const only = new Set(lost?.map((it) => it.shortId));
  const { coverage } = sheet.regime;
  const open = sheet.cruxes.filter((it) => it.open);
  return (
    <section class={`card side ${sheet.regime.kind.toLowerCase()}`}>
      <p class="overline"><a href={href}>{title}</a></p>
      <p class="regime-kind">{REGIME[sheet.regime.kind].word}</p>
      <p class="regime-reason"><Refs text={sentence(sheet.regime.reason)} /></p>
      <p class="small soft">{coverage.examined} of {count(coverage.pairs, "pair")} of claims compared{coverage.share !== null && ` (${percent(coverage.share)})`}; {sheet.regime.exact ? "exact" : "not exact"}; {count(sheet.turnCount, "turn")}; {count(sheet.arguments.length, "argument")}</p>
      <h3 class="overline">What it turns on <span class="number">{open.length || ""}</span></h3>
      {open.length ? <ol class="items">{open.map((it) => <li key={it.shortId} class={only.has(it.shortId) ? "only" : ""}><span dir="auto">{it.question}</span> {only.has(it.shortId) && <span class="tag open">{word}</span>}</li>)}</ol> : <p class="soft">No crux.</p>}
    </section>
  );
}

function Differences({ diff }: { diff: Diff }) {
  const { debate } = useView();
  useStore(debate.graphChanged);
  const { labelChanges, stanceChanges } = diff;
  const ground = [...diff.commonGroundGained.map((it) => ["new", it.question] as const), ...diff.commonGroundLost.map((it) => ["gone", it.question] as const), ...diff.grantedGained.map((it) => ["new", it.point.statement] as const), ...diff.grantedLost.map((it) => ["gone", it.point.statement] as const)];
  const isSame = !labelChanges.length && !stanceChanges.length && !ground.length && !diff.cruxesGained.length && !diff.cruxesLost.length && diff.before.regime.kind === diff.after.regime.kind;
  return (
    <section class="stack differences">
      <h3>From left to right{!diff.exact && <span class="tag open">not exact</span>}</h3>
      {isSame && <p class="soft">Nothing that the verdict consists of differs.</p>}
      {labelChanges.length > 0 && (
        <div><h4 class="overline">Labels</h4><ul class="changes">{labelChanges.map((it) => <li key={it.argumentId}><b>{it.argumentId}</b> <span class="claim" dir="auto">{debate.graph.get(it.argumentId)?.claim}</span> <span class="small">{it.from ? labelOf(it.from).word : "not there"} → {it.to ? labelOf(it.to).word : "does not count"}</span></li>)}</ul></div>
      )}
      {stanceChanges.length > 0 && (
        <div><h4 class="overline">Stances</h4><ul class="items">{stanceChanges.map((it) => <li key={it.disputeId + it.personaId}><Who id={it.personaId} /> on {it.disputeId}: {it.from ? SIDE[it.from] : "none"} → {it.to ? SIDE[it.to] : "none"} <TurnLink id={it.turnId} /></li>)}</ul></div>
      )}
      {ground.length > 0 && <div><h4 class="overline">Common ground</h4><ul class="items">{ground.map(([state, text]) => <li key={state + text}>{state === "new" ? "new: " : "no longer: "}<span dir="auto">{text}</span></li>)}</ul></div>}
    </section>
  );
}
