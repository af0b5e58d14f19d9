// The verdict: the overall state with its reason, and how much of the debate was looked at.

import { count, percent, REGIME, SIDE, tone } from "../../../model/debate/words";
import { Bar } from "../../../parts/controls";
import { Cruxes } from "./cruxes";
import { Ground } from "./ground";
import { TurnLink, Who } from "../links";
import { Refs, sentence } from "../refs";
import { useShown, useView } from "../view";

export function Verdict() {
  const { debate, sheet } = useView();
  const { version } = useShown(debate);
  const { regime } = sheet;
  const isStale = sheet.version !== version && version < debate.head.get();
  return (
    <div class={`verdict ${regime.kind.toLowerCase()}`} aria-busy={isStale}>
      <div class="regime">
        <p class="regime-kind">{REGIME[regime.kind].word}</p>
        <p class="regime-reason"><Refs text={sentence(regime.reason)} /></p>
      </div>
      <Looked />
      <Topic />
      <Cruxes />
      <Ground />
    </div>
  );
}

/** Coverage and exactness, always beside the overall state. */
function Looked() {
  const { sheet } = useView();
  const { regime, audit, turnCount, outcome } = sheet;
  const { coverage, unanswered } = regime;
  const hasPairs = coverage.pairs > 0;
  // Reservations stand beside the verdict; what merely explains it is folded.
  const notes: string[] = [];
  const more: string[] = [];
  if (outcome) more.push(`Ended: ${sentence(outcome.reason)}`);
  if (!regime.exact) notes.push(`Not exact: ${regime.limit ?? "the search was stopped early"}.`);
  if (coverage.unreadTurns > 0) notes.push(`${count(coverage.unreadTurns, "turn")} of ${turnCount} not read yet.`);
  if (coverage.asked > coverage.answered) notes.push(`${coverage.asked - coverage.answered} of ${coverage.asked} answers to the questions with criteria are missing.`);
  if (unanswered.unansweredCount > 0) more.push(`${unanswered.unansweredCount} of ${count(unanswered.acceptedCount, "accepted argument")} rest on an attack that nobody answered.`);
  if (regime.unknownEvents > 0) notes.push(`${count(regime.unknownEvents, "event")} of a newer version of the service could not be read.`);
  const isAudited = audit.state === "COMPLETE" && audit.contestedCount === 0;
  if (audit.state !== "OFF") (isAudited || !outcome ? more : notes).push(sentence(audit.summary));
  return (
    <div class="looked">
      <p class="looked-share">
        {hasPairs ? (
          <>
            <Bar share={coverage.share ?? 0} label={`Coverage: ${percent(coverage.share ?? 0)}`} />
            <span>{coverage.examined} of {count(coverage.pairs, "pair")} of claims compared{regime.exact && ", exact"}</span>
          </>
        ) : <span>No pairs of claims to compare{regime.exact && ", exact"}</span>}
        {!regime.exact && <span class="tag open">not exact</span>}
      </p>
      {notes.length > 0 && <ul class="notes">{notes.map((note) => <li key={note}><Refs text={note} /></li>)}</ul>}
      {more.length > 0 && (
        <details class="more">
          <summary>{outcome ? "How it ended, and what the verdict rests on" : "What the verdict rests on"}</summary>
          <ul class="notes">{more.map((note) => <li key={note}><Refs text={note} /></li>)}</ul>
        </details>
      )}
    </div>
  );
}

function Topic() {
  const { sheet: { topicVerdict } } = useView();
  if (!topicVerdict || !topicVerdict.positions.length) return null;
  return (
    <section class="block">
      <h3 class="overline">On the topic</h3>
      <ul class="sides">
        {topicVerdict.positions.map((position) => (
          <li key={position.personaId}>
            <span class={`tag ${tone(position.side)}`}>{position.moved && position.firstSide !== position.side ? `${SIDE[position.firstSide]} → ` : ""}{SIDE[position.side]}</span>
            <Who id={position.personaId} /> <TurnLink id={position.turnId} />
          </li>
        ))}
      </ul>
      {topicVerdict.agreedSide && <p class="small soft">All answer {SIDE[topicVerdict.agreedSide]}.</p>}
    </section>
  );
}
