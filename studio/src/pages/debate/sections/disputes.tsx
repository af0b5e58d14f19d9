// Disputes: each question with YES on one side and NO on the other, the stances and the reasons given for them.

import { DISPUTES } from "../../../model/debate/section-documents";
import { CONCESSION, count, labelOf, percent, SIDE, tone } from "../../../model/debate/words";
import { memo } from "../../../model/store";
import { Empty } from "../../../parts/states";
import type { DebateDisputesQuery, Side } from "../../../wire/operations";
import { ArgumentLink, TurnLink, Who } from "../links";
import { Refs, sentence } from "../refs";
import { Section } from "./section";
import { useSection } from "../view";

type Read = NonNullable<DebateDisputesQuery["debate"]>;
type Dispute = Read["disputes"][number];
type Reason = Dispute["reasons"][number];

const STATUS: Record<Dispute["status"], { word: string; tone: string }> = {
  OPEN: { word: "open", tone: "open" },
  PROPOSED: { word: "no opposite sides yet", tone: "" },
  SETTLED: { word: "settled", tone: "good" },
  RETIRED: { word: "retired", tone: "" },
};

export function Disputes() {
  return (
    <Section loaded={useSection(DISPUTES)} what="The disputes">
      {({ debate }) => debate && (
        <>
          {!debate.disputes.length && <Empty title="No disputes yet"><p>A dispute is a question on which participants take sides.</p></Empty>}
          {debate.disputes.map((dispute) => <DisputeBand key={dispute.shortId} dispute={dispute} />)}
          {debate.concessions.length > 0 && <Concessions concessions={debate.concessions} />}
        </>
      )}
    </Section>
  );
}

const DisputeBand = memo(({ dispute }: { dispute: Dispute }) => {
  const columns: Side[] = ["YES", "NO"];
  const between = dispute.stances.filter((it) => it.side === "NUANCED" || it.side === "UNDECIDED");
  const status = STATUS[dispute.status];
  const changes = dispute.stanceHistory.filter((it) => it.from && it.from !== it.side);
  return (
    <article class="dispute" id={`dispute-${dispute.shortId}`}>
      <header>
        <h3 dir="auto">{dispute.question}</h3>
        <p class="row small">
          <span class="soft">{dispute.shortId}</span>
          {dispute.isTopic && <span class="tag">the topic</span>}
          <span class={`tag ${status.tone}`}>{status.word}</span>
          {dispute.settledTurnId && <TurnLink id={dispute.settledTurnId} />}
          {dispute.horizon && <span class="soft">time frame: {dispute.horizon}</span>}
        </p>
        {dispute.retiredReason && <p class="small soft">Retired: {dispute.retiredReason}</p>}
      </header>
      {dispute.status !== "RETIRED" && (
        <div class="bands">
          {columns.map((side) => <SideColumn key={side} side={side} dispute={dispute} />)}
          {between.length > 0 && (
            <div class="band between">
              <h4><span class="tag open">neither</span></h4>
              {between.map((it) => <StanceLine key={it.personaId} stance={it} />)}
            </div>
          )}
        </div>
      )}
      {changes.length > 0 && (
        <p class="small">Changed side: {changes.map((it) => <span key={it.turnId + it.personaId} class="said-by"><Who id={it.personaId} /> {SIDE[it.from!]} → {SIDE[it.side]} <TurnLink id={it.turnId} /></span>)}</p>
      )}
      {dispute.criteria.length > 0 && <details class="more"><summary>What would settle it: {count(dispute.criteria.length, "criterion", "criteria")}</summary><ul class="items">{dispute.criteria.map((it) => <li key={it}><Refs text={it} /></li>)}</ul></details>}
    </article>
  );
});

function SideColumn({ side, dispute }: { side: Side; dispute: Dispute }) {
  const stances = dispute.stances.filter((it) => it.side === side);
  const reasons = dispute.reasons.filter((it) => it.supportedSide === side);
  return (
    <div class="band">
      <h4><span class={`tag ${tone(side)}`}>{SIDE[side]}</span> {!stances.length && <span class="small soft">nobody</span>}</h4>
      {stances.map((it) => <StanceLine key={it.personaId} stance={it} isRepeated={reasons.some((reason) => reason.claim === it.quote)} />)}
      {reasons.length > 0 && <ul class="reasons">{reasons.map((it) => <ReasonBox key={it.shortId} reason={it} />)}</ul>}
    </div>
  );
}

/** A stance with its words, unless a reason below consists of the same words. */
function StanceLine({ stance, isRepeated = false }: { stance: Dispute["stances"][number]; isRepeated?: boolean }) {
  return (
    <div class="stance">
      <p><Who id={stance.personaId} /> {(stance.side === "NUANCED" || stance.side === "UNDECIDED") && <span class="soft small">{SIDE[stance.side]}</span>} <TurnLink id={stance.turnId} />{stance.confidence !== null && stance.confidence < 1 && <span class="small soft"> {percent(stance.confidence)} sure</span>}</p>
      {isRepeated ? null : stance.quote ? <p class="words"><q dir="auto">{stance.quote}</q></p> : <p class="small soft">Recorded without words of the turn.</p>}
    </div>
  );
}

/** A reason with its label: word, mark and line style, as for arguments. */
function ReasonBox({ reason }: { reason: Reason }) {
  const { mark, word } = reason.withdrawal ? { mark: "–", word: "withdrawn" } : labelOf(reason.label);
  return (
    <li class={`reason label-${reason.withdrawal ? "NONE" : (reason.label ?? "NONE")}`}>
      <p class="small"><b>{reason.shortId}</b> <Who id={reason.speakerId} /> <TurnLink id={reason.turnId} /> <span class="box-label"><span aria-hidden="true">{mark}</span> {word}</span></p>
      <p dir="auto">{reason.claim}</p>
      {reason.attackedReasonIds.length > 0 && <p class="small soft">attacks {reason.attackedReasonIds.join(", ")}</p>}
    </li>
  );
}

function Concessions({ concessions }: { concessions: Read["concessions"] }) {
  return (
    <section>
      <h3 class="overline">Concessions</h3>
      <ul class="items">
        {concessions.map((it, at) => (
          <li key={at}>
            <p><Who id={it.personaId} /> {CONCESSION[it.kind]} <TurnLink id={it.turnId} /> {it.from && it.to && it.from !== it.to && <span class="small">({SIDE[it.from]} → {SIDE[it.to]}{it.disputeId && ` on ${it.disputeId}`})</span>} {it.argumentId && <ArgumentLink id={it.argumentId} />}</p>
            <p class="words">{it.quote ? <q dir="auto">{it.quote}</q> : <span dir="auto">{sentence(it.words)}</span>}</p>
            <p class="small soft">{EFFECT[it.effect]}</p>
          </li>
        ))}
      </ul>
    </section>
  );
}

const EFFECT: Record<Read["concessions"][number]["effect"], string> = {
  NONE: "It changed no recorded side.",
  GRANTED: "It granted a statement of another participant.",
  REVISED: "It changed a stance or an argument.",
  SETTLED: "It settled the dispute.",
  WITHDREW: "It withdrew an argument.",
};
