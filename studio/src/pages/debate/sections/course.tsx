// How the talk was led, and what it cost: hints, the floor, skipped turns, progress, calls by model and purpose.

import { COURSE } from "../../../model/debate/section-documents";
import { cost, count, percent } from "../../../model/debate/words";
import type { DebateCourseQuery } from "../../../wire/operations";
import { TurnLink, Who } from "../links";
import { Refs, sentence } from "../refs";
import { Section } from "./section";
import { useSection } from "../view";

type Read = NonNullable<DebateCourseQuery["debate"]>;

export function Course() {
  return (
    <Section loaded={useSection(COURSE)} what="The course">
      {({ debate }) => debate && (
        <>
          <Cost usage={debate.usage} />
          {debate.hints.length > 0 && (
            <section>
              <h3 class="overline">Hints of the moderator <span class="number">{debate.hints.length}</span></h3>
              <ul class="items">{debate.hints.map((it, at) => (
                <li key={at}><p>to <Who id={it.personaId} /> {it.turnId ? <>before <TurnLink id={it.turnId} /></> : <span class="small soft">for the next turn</span>} <span class="tag">{it.kind.toLowerCase().replaceAll("_", " ")}</span></p><p class="small" dir="auto">{it.text}</p></li>
              ))}</ul>
            </section>
          )}
          {debate.progress.length > 0 && <Progress progress={debate.progress} />}
          {debate.skippedTurns.length > 0 && (
            <section>
              <h3 class="overline">Skipped turns <span class="number">{debate.skippedTurns.length}</span></h3>
              <ul class="items">{debate.skippedTurns.map((it) => <li key={it.version}><Who id={it.speakerId} /> {it.afterTurnId && <>after <TurnLink id={it.afterTurnId} /></>} {it.roomId && <span class="small soft">in room {it.roomId}</span>}: <Refs text={sentence(it.reason)} /></li>)}</ul>
            </section>
          )}
          {debate.floor.length > 0 && (
            <details class="more"><summary>{count(debate.floor.length, "time")} somebody was given the floor</summary>
              <ul class="items">{debate.floor.map((it) => <li key={it.version}><Who id={it.speakerId} /> {it.turnId && <TurnLink id={it.turnId} />} {it.roomId && <span class="small soft">in room {it.roomId}</span>}: <Refs text={sentence(it.reason)} /></li>)}</ul>
            </details>
          )}
        </>
      )}
    </Section>
  );
}

function Progress({ progress }: { progress: Read["progress"] }) {
  return (
    <section>
      <h3 class="overline">Progress</h3>
      <div class="scrolls">
        <table>
          <thead><tr><th>Turn</th><th class="number">Claims in play</th><th class="number">Pairs compared</th><th class="number">Attacks</th><th class="number">New words</th><th class="number">Concessions a turn</th><th class="number">Repetition</th></tr></thead>
          <tbody>{progress.map((it) => (
            <tr key={it.version}><td><TurnLink id={it.turnId} /></td><td class="number">{it.liveCount}</td><td class="number">{it.examined} of {it.pairs}</td><td class="number">{it.attackCount}</td><td class="number">{percent(it.novelty)}</td><td class="number">{percent(it.concessionRate)}</td><td class="number">{it.repetition === null ? "–" : percent(it.repetition)}</td></tr>
          ))}</tbody>
        </table>
      </div>
    </section>
  );
}

function Cost({ usage }: { usage: Read["usage"] }) {
  const free = Number(usage.costMicros) === 0 && !usage.unpricedCount;
  return (
    <section>
      <h3 class="overline">Cost</h3>
      <p>{count(usage.calls, "call")}{usage.failed > 0 && `, ${usage.failed} of them failed`}; {free ? "no cost" : cost(usage)}.{Number(usage.inputTokens) + Number(usage.outputTokens) > 0 && ` ${Number(usage.inputTokens).toLocaleString("en")} tokens read, ${Number(usage.outputTokens).toLocaleString("en")} written${usage.estimatedCount ? `, in ${count(usage.estimatedCount, "call")} estimated` : ""}.`}</p>
      <div class="two">
        <Shares title="Model" shares={usage.byModel} />
        <Shares title="Purpose" shares={usage.byPurpose} />
      </div>
    </section>
  );
}

function Shares({ title, shares }: { title: string; shares: Read["usage"]["byModel"] }) {
  if (!shares.length) return null;
  const hasTokens = shares.some((it) => Number(it.inputTokens) + Number(it.outputTokens) > 0);
  const hasCost = shares.some((it) => Number(it.costMicros) > 0);
  return (
    <div class="scrolls">
      <table>
        <thead><tr><th>{title}</th><th class="number">Calls</th>{hasTokens && <th class="number">Tokens</th>}{hasCost && <th class="number">Cost</th>}</tr></thead>
        <tbody>{shares.map((it) => <tr key={it.name}><td>{it.name.replaceAll("_", " ")}</td><td class="number">{it.calls}</td>{hasTokens && <td class="number">{(Number(it.inputTokens) + Number(it.outputTokens)).toLocaleString("en")}</td>}{hasCost && <td class="number">{cost({ costMicros: it.costMicros, unpricedCount: 0 })}</td>}</tr>)}</tbody>
      </table>
    </div>
  );
}
