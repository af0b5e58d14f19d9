// The verdict: the overall state with its reason, and how much of the debate was looked at.

import { count, percent, REGIME, SIDE, tone } from "../../model/debate/words";
import { Bar } from "../../parts/controls";
import { Cruxes } from "./cruxes";
import { Ground } from "./ground";
import { TurnLink, Who } from "./links";
import { Refs, sentence } from "./refs";
import { useShown, useView } from "./view";

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
  const { sheet: { regime, audit, turnCount, outcome } } = useView();
  const { coverage, unanswered } = regime;
  const hasPairs = coverage.pairs > 0;
  const notes: string[] = [];
  if (outcome) notes.push(`Ended: ${sentence(outcome.reason)}`);
  if (!regime.exact) notes.push(`Not exact: ${regime.limit ?? "the search was stopped early"}.`);
  if (coverage.unreadTurns > 0) notes.push(`${count(coverage.unreadTurns, "turn")} of ${turnCount} not read yet.`);
  if (coverage.asked > coverage.answered) notes.push(`${coverage.asked - coverage.answered} of ${coverage.asked} answers to the questions with criteria are missing.`);
  if (unanswered.unansweredCount > 0) notes.push(`${unanswered.unansweredCount} of ${count(unanswered.acceptedCount, "accepted argument")} rest on an attack that nobody answered.`);
  if (regime.unknownEvents > 0) notes.push(`${count(regime.unknownEvents, "event")} of a newer version of the service could not be read.`);
  if (audit.state !== "OFF") notes.push(sentence(audit.summary));
  return (
    <div class="looked">
      <p class="looked-share">
        {hasPairs ? (
          <>
            <Bar share={coverage.share ?? 0} label={`Coverage: ${percent(coverage.share ?? 0)}`} />
            <span>{coverage.examined} of {count(coverage.pairs, "pair")} of claims compared{coverage.share !== null && ` (${percent(coverage.share)})`}</span>
          </>
        ) : <span>No pairs of claims to compare</span>}
        <span class={`tag ${regime.exact ? "" : "open"}`}>{regime.exact ? "exact" : "not exact"}</span>
      </p>
      {notes.length > 0 && <ul class="notes">{notes.map((note) => <li key={note}><Refs text={note} /></li>)}</ul>}
    </div>
  );
}

function Topic() {
  const { sheet: { topicVerdict } } = useView();
  if (!topicVerdict || !topicVerdict.positions.length) return null;
  return (
    <section class="block">
      <h2 class="overline">On the topic</h2>
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
