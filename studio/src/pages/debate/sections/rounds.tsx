// What single engines add: the sides of a motion, tables, agendas.

import { ROUNDS } from "../../../model/debate/section-documents";
import { count, percent, phaseTitle, SIDE, TABLE, tone } from "../../../model/debate/words";
import type { DebateRoundsQuery } from "../../../wire/operations";
import { Empty } from "../../../parts/states";
import { TurnLink, Who } from "../links";
import { Refs, sentence } from "../refs";
import { Section } from "./section";
import { useSection } from "../view";

type Read = NonNullable<DebateRoundsQuery["debate"]>;
type Team = NonNullable<Read["motion"]>["pro"];

export function MotionTab() {
  return (
    <Section loaded={useSection(ROUNDS)} what="The motion">
      {({ debate }) => {
        const motion = debate?.motion;
        if (!motion) return <Empty title="No sides yet"><p>The sides for and against the motion are assigned after the opening statements.</p></Empty>;
        return (
          <>
            <p class="soft small">Sides assigned {motion.reason}. The verdict does not depend on them.</p>
            <div class="bands">
              <TeamCard title="for the motion" side="YES" team={motion.pro} />
              <TeamCard title="against it" side="NO" team={motion.con} />
            </div>
            {motion.drafts.length > 0 && (
              <section>
                <h3 class="overline">Drafts that were checked first</h3>
                <ul class="items">{motion.drafts.map((it) => (
                  <li key={it.shortId}>
                    <p><Who id={it.speakerId} /> <span class="small soft">attempt {it.attempt}{it.round !== null && ` in round ${it.round}`}</span> {it.turnId ? <span class="small">became <TurnLink id={it.turnId} /></span> : <span class="tag bad">not said</span>}</p>
                    {it.rejection && <p class="small"><b>Rejected:</b> <Refs text={it.rejection} /></p>}
                    <details class="more"><summary>Its text</summary><p class="words" dir="auto">{it.text}</p></details>
                  </li>
                ))}</ul>
              </section>
            )}
            <section>
              <h3 class="overline">Announcements</h3>
              <ul class="items">{motion.announcements.map((it) => <li key={it.version}><p class="small soft">{phaseTitle(it.phase, it.round)}, event {it.version}</p><p dir="auto">{it.text}</p></li>)}</ul>
            </section>
          </>
        );
      }}
    </Section>
  );
}

function TeamCard({ title, side, team }: { title: string; side: "YES" | "NO"; team: Team }) {
  const { factuality } = team;
  const checked = factuality.trueClaims + factuality.falseClaims + factuality.unverifiableClaims;
  return (
    <div class="band">
      <h3><span class={`tag ${tone(side)}`}>{title}</span></h3>
      <p>{team.personaIds.map((id) => <span key={id} class="said-by"><Who id={id} /></span>)}</p>
      <dl class="numbers">
        <dt>Turns</dt><dd>{team.turnCount}</dd>
        <dt>Words</dt><dd>{team.wordCount.toLocaleString("en")}</dd>
        <dt>Claims checked</dt><dd>{checked}{factuality.uncheckedClaims > 0 && `, ${factuality.uncheckedClaims} not`}</dd>
        <dt>✓ true</dt><dd>{factuality.trueClaims}</dd>
        <dt>✕ false</dt><dd>{factuality.falseClaims}</dd>
        <dt>? cannot be verified</dt><dd>{factuality.unverifiableClaims}</dd>
        <dt>True of those decided</dt><dd>{factuality.share === null ? "–" : percent(factuality.share)}</dd>
        <dt>Drafts rejected</dt><dd>{team.rejectedDraftCount}</dd>
        {team.violationCount > 0 && <><dt>Said in spite of a false claim</dt><dd>{team.violationCount}</dd></>}
      </dl>
    </div>
  );
}

export function TablesTab() {
  return (
    <Section loaded={useSection(ROUNDS)} what="The tables">
      {({ debate }) => {
        if (!debate?.tables.length) return <Empty title="No table yet"><p>The participants are seated after the questions were drawn up.</p></Empty>;
        const question = (id: string) => debate.disputes.find((it) => it.shortId === id);
        return (
          <>
            {debate.tables.map((table) => (
              <article key={table.number} class="card room">
                <header>
                  <h3>{table.isFinal ? "Final table" : debate.tables.length > 1 ? `Table ${table.number}` : "The table"}</h3>
                  <p class="row small"><span class={`tag ${table.state === "CONVERGED" ? "good" : table.state === "OPEN" ? "open" : ""}`}>{TABLE[table.state]}</span>{table.participantIds.map((id) => <Who key={id} id={id} />)} <span class="soft">{count(table.turnIds.length, "turn")}</span></p>
                </header>
                <Board table={table} question={question} />
                <details class="more"><summary>{count(table.measurements.length, "measurement")}, one a round</summary>
                  <ol class="items">{table.measurements.map((it) => <li key={it.version}><span class="small soft">round {it.round}, event {it.version}:</span> <Refs text={sentence(it.reason)} /></li>)}</ol>
                </details>
                {table.intents.length > 0 && (
                  <details class="more"><summary>{count(table.intents.length, "intention")}: who wanted to speak, and how urgently</summary>
                    <div class="scrolls"><table><thead><tr><th>Round</th><th>Participant</th><th>Wants to</th><th class="number">Urgency</th><th>What for</th></tr></thead>
                      <tbody>{table.intents.map((it) => <tr key={it.version}><td>{it.round}</td><td><Who id={it.speakerId} /></td><td>{it.action.toLowerCase()}</td><td class="number">{it.urgency.toFixed(2)}</td><td><Refs text={it.intent} /></td></tr>)}</tbody></table></div>
                  </details>
                )}
              </article>
            ))}
            {debate.agendas.length > 0 && <Agendas agendas={debate.agendas} question={(id) => question(id)?.question ?? id} />}
          </>
        );
      }}
    </Section>
  );
}

/** The questions of a table, with the latest stances and how divided they are. */
function Board({ table, question }: { table: Read["tables"][number]; question: (id: string) => Read["disputes"][number] | undefined }) {
  const last = table.measurements[table.measurements.length - 1];
  if (!last) return <p class="soft small">Not measured yet.</p>;
  return (
    <ul class="board">
      {last.disputes.map((it) => {
        const dispute = question(it.disputeId);
        const said = (side: string) => dispute?.stances.filter((stance) => stance.side === side) ?? [];
        return (
          <li key={it.disputeId}>
            <p dir="auto">{dispute?.question ?? it.disputeId}</p>
            <div class="split" role="img" aria-label={`yes ${percent(it.yes)}, no ${percent(it.no)}, neither ${percent(it.neither)}`}>
              <i class="good" style={{ flexGrow: it.yes }} /><i class="open" style={{ flexGrow: it.neither }} /><i class="bad" style={{ flexGrow: it.no }} />
            </div>
            <p class="small">
              {(["YES", "NUANCED", "UNDECIDED", "NO"] as const).map((side) => said(side).length > 0 && <span key={side} class="said-by"><span class={`tag ${tone(side)}`}>{SIDE[side]}</span> {said(side).map((stance) => <span key={stance.personaId}><Who id={stance.personaId} /> <TurnLink id={stance.turnId} /> </span>)}</span>)}
              {it.withoutCount > 0 && <span class="soft">{count(it.withoutCount, "participant")} took no stance</span>}
            </p>
            <p class="small soft">How divided: {it.entropy === null ? "not measured" : `${it.entropy.toFixed(2)} (0 is one side only, 1 is evenly divided)`}</p>
          </li>
        );
      })}
    </ul>
  );
}

function Agendas({ agendas, question }: { agendas: Read["agendas"]; question: (id: string) => string }) {
  return (
    <section>
      <h3 class="overline">Agenda</h3>
      <ul class="items">{agendas.map((it) => <li key={it.version}><p class="small soft">Event {it.version}: <Refs text={sentence(it.reason)} /></p>{it.disputeIds.length ? <ul>{it.disputeIds.map((id) => <li key={id} dir="auto">{question(id)}</li>)}</ul> : <p class="soft">No question was open.</p>}</li>)}</ul>
    </section>
  );
}
