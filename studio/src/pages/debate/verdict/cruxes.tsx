// Cruxes: the questions on which the disagreement turns, with the participants' sides in their words.

import { useState } from "preact/hooks";
import { memo, useStore } from "../../../model/store";
import { hrefWith } from "../../../model/router";
import type { Sheet } from "../../../model/debate/debate";
import { BASIS, count, CRUX_SIDE, KIND, percent, tone } from "../../../model/debate/words";
import { Bar, Button } from "../../../parts/controls";
import { printing } from "../printing";
import { TurnLink, Who } from "../links";
import { Refs, sentence } from "../refs";
import { useDebateAddress } from "../state";
import { useView } from "../view";

type Crux = Sheet["cruxes"][number];

/** Cruxes that are shown at first. */
const FEW = 8;

export function Cruxes() {
  const { sheet } = useView();
  const [chosen, showAll] = useState(false);
  // On paper all are shown, and so is one that the address names.
  const { around } = useDebateAddress();
  const isPrinted = useStore(printing) !== "no";
  const isAll = chosen || isPrinted || sheet.cruxes.slice(FEW).some((it) => it.shortId === around);
  const open = sheet.cruxes.filter((crux) => crux.open);
  const resolved = sheet.cruxes.filter((crux) => !crux.open);
  return (
    <section class="block" id="cruxes">
      <h3 class="overline">What it turns on <span class="number">{open.length || ""}</span></h3>
      {open.length ? (
        <ol class="cruxes">{open.slice(0, isAll ? open.length : FEW).map((crux) => <li key={crux.shortId}><CruxCard crux={crux} /></li>)}</ol>
      ) : <p class="soft">{noCrux(sheet)}</p>}
      {!isAll && open.length > FEW && <Button onClick={() => showAll(true)}>Show {open.length - FEW} more</Button>}
      {resolved.length > 0 && (
        <>
          <h3 class="overline">Resolved <span class="number">{resolved.length}</span></h3>
          <ol class="cruxes">{resolved.map((crux) => <li key={crux.shortId}><CruxCard crux={crux} /></li>)}</ol>
        </>
      )}
      {sheet.contestedPremises.length > 0 && (
        <details class="more">
          <summary>{count(sheet.contestedPremises.length, "contested premise")}: attacked, but no answer to the topic depends on {sheet.contestedPremises.length === 1 ? "it" : "them"}</summary>
          <ul class="items">{sheet.contestedPremises.map((premise) => (
            <li key={premise.shortId}>
              <p dir="auto">{premise.question}</p>
              <p class="small">{premise.positions.map((position) => <span key={position.personaId + position.side} class="said-by"><Who id={position.personaId} /> <span class="soft">{CRUX_SIDE[position.side]}</span> <TurnLink id={position.turnId} /></span>)}</p>
            </li>
          ))}</ul>
        </details>
      )}
    </section>
  );
}

function noCrux(sheet: Sheet): string {
  if (sheet.status === "RUNNING" && sheet.turnCount < 3) return "The debate has just begun.";
  if (sheet.engine === "dialectic") return "Not looked for: this engine tests one proposal and takes no arguments apart.";
  return sheet.contestedPremises.length ? "None found; the contested premises below decide nothing that the verdict counts." : "None found.";
}

/** For, against, between, and who proposed the crux. */
const ORDER = ["good", "bad", "open", "plain"];

const CruxCard = memo(({ crux }: { crux: Crux }) => {
  const { around } = useDebateAddress();
  const isAround = around === crux.shortId;
  const { card } = crux;
  const hasArguments = crux.dependentIds.length > 0 || crux.positions.some((it) => it.argumentId);
  return (
    <article class={`crux${crux.open ? "" : " resolved"}`} id={crux.shortId}>
      <h4 dir="auto">{crux.question}</h4>
      <ul class="positions">
        {[...crux.positions].sort((a, b) => ORDER.indexOf(tone(a.side)) - ORDER.indexOf(tone(b.side))).map((position) => <Position key={position.personaId + position.side + position.turnId} position={position} />)}
      </ul>
      {crux.pivotality !== null && (
        <p class="pivot small">
          <Bar share={crux.pivotality} label={`Pivotality: ${percent(crux.pivotality)}`} />
          <span>{consequence(crux)}</span>
        </p>
      )}
      {card.resolution && <p class="small"><b>Resolution:</b> <Refs text={card.resolution} /></p>}
      <details class="more">
        <summary>Why it matters, and what would settle it</summary>
        <dl class="notes-list">
          <dt>Rank {crux.rank}</dt><dd><Refs text={sentence(crux.explanation)} /></dd>
          <dt>Disagreement</dt><dd>{card.kind ? `${sentence(KIND[card.kind])} ` : ""}<Refs text={sentence(card.kindReason)} /></dd>
          <dt>Diagnosis</dt><dd><Refs text={sentence(card.diagnosis)} /></dd>
          {card.horizon && <><dt>Time frame</dt><dd dir="auto">{card.horizon}</dd></>}
          <dt>Settled by</dt><dd>{card.criteria.length ? <ul>{card.criteria.map((it) => <li key={it}><Refs text={it} /></li>)}</ul> : <span class="soft">{card.criteriaMissing}</span>}</dd>
          <Minds crux={crux} />
          {!card.resolution && card.resolutionMissing && <><dt>Resolution</dt><dd class="soft">{card.resolutionMissing}</dd></>}
          {crux.otherStatements.length > 0 && <><dt>Same point</dt><dd><ul>{crux.otherStatements.map((it) => <li key={it} dir="auto">{it}</li>)}</ul></dd></>}
          {crux.turnIds.length > 0 && <><dt>Turns</dt><dd class="refs">{crux.turnIds.map((it) => <TurnLink key={it} id={it} />)}</dd></>}
        </dl>
      </details>
      {hasArguments && (
        <a class="small around no-print" href={hrefWith({ around: isAround ? null : crux.shortId, tab: isAround ? undefined : "arguments", camp: null })} aria-current={isAround ? "true" : undefined}>
          {isAround ? "Show all arguments" : "Show the arguments around it"}
        </a>
      )}
    </article>
  );
});

/** A side with the words that show it. Only words that the turn contains are quoted. */
function Position({ position }: { position: Crux["positions"][number] }) {
  const basis = BASIS[position.basis];
  return (
    <li>
      <p class="position-who">
        <span class={`tag ${tone(position.side)}`}>{CRUX_SIDE[position.side]}</span>
        <Who id={position.personaId} /> <TurnLink id={position.turnId} />
      </p>
      {position.basis === "SAID" && position.quote ? <p class="words"><q dir="auto">{position.quote}</q></p> : (
        <p class="words unsaid"><span dir="auto">{position.words}</span>{basis && <span class="basis"> ({basis})</span>}</p>
      )}
    </li>
  );
}

/** Conditions that are not among the criteria already. */
function Minds({ crux }: { crux: Crux }) {
  const { people } = useView();
  const conditions = crux.card.mindChanges.filter((it) => it.words && !crux.card.criteria.some((criterion) => criterion.includes(it.words!)));
  const missing = crux.card.mindChanges.filter((it) => !it.words);
  if (!conditions.length && !missing.length) return null;
  return (
    <>
      <dt>Would change minds</dt>
      <dd>
        {conditions.map((it) => (
          <p key={it.personaId}>{people.name(it.personaId)}: {it.source === "SPOKEN" ? <q dir="auto">{it.words}</q> : <span dir="auto">{it.words}</span>} {it.source === "SPOKEN" ? <TurnLink id={it.turnId} /> : <span class="soft">({it.source === "CONTRACT" ? "from the persona’s file, not said" : `from the card of ${it.roomId ?? "a room"}`})</span>}</p>
        ))}
        {missing.length > 0 && <p class="soft">Nothing is recorded for {people.names(missing.map((it) => it.personaId))}.</p>}
      </dd>
    </>
  );
}

function consequence({ pivotality, consequence }: Crux): string {
  if (!consequence) return `Pivotality ${percent(pivotality ?? 0)}`;
  const { changedCount, thesisCount } = consequence;
  return changedCount === 0
    ? `Settling it changes none of ${count(thesisCount, "other answer")} to the topic`
    : `Settling it changes ${changedCount} of ${count(thesisCount, "other answer")} to the topic (pivotality ${percent(pivotality ?? 0)})`;
}
