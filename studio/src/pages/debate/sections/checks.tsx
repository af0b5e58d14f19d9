// Fact checks, searches, how the speech rests on its sources, and the audit.

import { CHECKS } from "../../../model/debate/section-documents";
import { CHECK, count, percent, QUOTE } from "../../../model/debate/words";
import { Empty } from "../../../parts/states";
import type { DebateChecksQuery } from "../../../wire/operations";
import { TurnLink, Who } from "../links";
import { Refs, sentence } from "../refs";
import { Section } from "./section";
import { useSection } from "../view";

type Read = NonNullable<DebateChecksQuery["debate"]>;
type Check = Read["factChecks"][number];

const TONE: Record<Check["verdict"], string> = { TRUE: "good", FALSE: "bad", UNVERIFIABLE: "open" };

export function Checks() {
  return (
    <Section loaded={useSection(CHECKS)} what="The checks">
      {({ debate }) => debate && (
        <>
          <Grounding grounding={debate.grounding} />
          <section>
            <h3 class="overline">Fact checks <span class="number">{debate.factChecks.length || ""}</span></h3>
            {!debate.factChecks.length && !debate.uncheckedClaims.length && <p class="soft">No claim was checked in this debate.</p>}
            <ul class="items">
              {debate.factChecks.map((it) => <CheckItem key={it.shortId} check={it} />)}
              {debate.uncheckedClaims.map((it) => (
                <li key={it.shortId}>
                  <p><span class="tag">– {it.reason ? "check given up" : "being checked"}</span> <Who id={it.speakerId} /> {it.turnId ? <TurnLink id={it.turnId} /> : <span class="small soft">in a draft</span>}</p>
                  <p class="words" dir="auto">{it.claim}</p>
                  {it.reason && <p class="small soft"><Refs text={sentence(it.reason)} /></p>}
                </li>
              ))}
            </ul>
          </section>
          {debate.searches.length > 0 && (
            <section>
              <h3 class="overline">Searches <span class="number">{debate.searches.length}</span></h3>
              <ul class="items">{debate.searches.map((it) => (
                <li key={it.version}>
                  <p><Who id={it.speakerId} /> {it.turnId && <>before <TurnLink id={it.turnId} /></>}: <span dir="auto">{it.query}</span></p>
                  <p class="small soft">{it.failure ? sentence(it.failure) : it.found.length ? `Found: ${it.found.map((found) => found.page?.title ?? found.passage?.title ?? found.alias).join("; ")}` : "Nothing was found."}{it.by && ` Searched in ${it.by}.`}</p>
                </li>
              ))}</ul>
            </section>
          )}
          <Audit audit={debate.audit} />
        </>
      )}
    </Section>
  );
}

function CheckItem({ check }: { check: Check }) {
  const { mark, word } = CHECK[check.verdict];
  return (
    <li id={`check-${check.shortId}`}>
      <p><span class={`tag ${TONE[check.verdict]}`}><span aria-hidden="true">{mark}</span> {word}</span> <Who id={check.speakerId} /> {check.turnId ? <TurnLink id={check.turnId} /> : check.draftId && <span class="small soft">in a draft</span>}</p>
      <p class="words" dir="auto">{check.claim}</p>
      {check.explanation && <p class="small" dir="auto">{check.explanation}</p>}
      {check.sources.map((source) => (
        <p key={source.title} class="small soft">
          {source.title}{source.address && ` (${source.address})`}{source.excerpt && <>: {source.excerptCheck === "UNVERIFIED" ? <span class="unverified">⚠ {source.excerpt} ({QUOTE.UNVERIFIED.word})</span> : <q dir="auto">{source.excerpt}</q>}</>}
        </p>
      ))}
      <p class="small soft">Checked by {check.by}, event {check.version}.</p>
    </li>
  );
}

function Grounding({ grounding: { total, suspected } }: { grounding: Read["grounding"] }) {
  return (
    <section>
      <h3 class="overline">Sources of what was said</h3>
      {total.turnCount === 0 ? <Empty title="Nothing was said yet" /> : (
        <dl class="numbers wide">
          <dt>Turns that cite a passage they were given</dt><dd>{total.grounded} of {total.turnCount}{total.rate !== null && ` (${percent(total.rate)})`}</dd>
          <dt>✓ Quotations that are in their passage, exactly</dt><dd>{total.verbatim}</dd>
          <dt>… with omissions</dt><dd>{total.abridged}</dd>
          <dt>⚠ Quotations that are not in their passage</dt><dd>{total.unverified}</dd>
          <dt>✕ Citations of passages that were not given, rejected</dt><dd>{total.dangling}</dd>
        </dl>
      )}
      {suspected.length > 0 && <p class="message note">{count(suspected.length, "passage")} with suspicious content: {suspected.flatMap((it) => it.suspicions).join("; ")}</p>}
    </section>
  );
}

function Audit({ audit }: { audit: Read["audit"] }) {
  if (audit.state === "OFF") return null;
  const contested = audit.words.filter((it) => it.contested);
  return (
    <section>
      <h3 class="overline">Audit</h3>
      <p><Refs text={sentence(audit.summary)} /></p>
      <p class="small soft">A second reader saw a question and the words that answer it, but neither who said them nor what was recorded.</p>
      {contested.length > 0 && (
        <ul class="items">{contested.map((it) => (
          <li key={it.turnId + it.question}>
            <p><span class="tag bad">✕ contested</span> <Who id={it.personaId} /> <TurnLink id={it.turnId} /></p>
            <p dir="auto">{it.question}</p>
            <p class="words"><q dir="auto">{it.words}</q></p>
            <p class="small soft">Recorded as {it.recorded.toLowerCase()}, read as {it.reading?.toLowerCase() ?? "nothing"}. It is not counted.</p>
          </li>
        ))}</ul>
      )}
    </section>
  );
}
