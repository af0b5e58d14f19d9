// A cited passage with exactly the ranges marked that were checked against the turn.

import { useData } from "../../../model/data";
import { cut } from "../../../model/debate/bytes";
import { CITATIONS } from "../../../model/debate/documents";
import type { Turn } from "../../../model/debate/turns";
import { QUOTE } from "../../../model/debate/words";
import { Dialog } from "../../../parts/dialog";
import { Failed, Skeleton } from "../../../parts/states";
import { useView } from "../view";

export function CitationDialog({ turn, at, close }: { turn: Turn; at: number; close: () => void }) {
  const { debate, people } = useView();
  const { data, error, reload } = useData(CITATIONS, { id: `${debate.fullId}:turn:${turn.shortId}` }, { keep: true });
  const known = turn.citations[at]!;
  const citation = data?.node?.citations?.find((it) => it.passageId === known.passageId && it.alias === known.alias);
  const passage = citation?.passage;
  const title = passage?.title ?? citation?.page?.title ?? `Passage ${at + 1}`;
  return (
    <Dialog title={title} close={close} broad>
      {error && <Failed error={error} retry={reload} what="The passage" />}
      {!data && !error && <Skeleton lines={6} />}
      {data && (
        <div class="stack passage">
          {passage && (
            <p class="soft small">
              {passage.kind}, {passage.source}, {passage.date}
              {passage.sharedCorpus ? <> · shared corpus {passage.sharedCorpus.name}</> : <> · by {passage.persona ? <a href={`/personas/${passage.personaId}`}>{passage.persona.name}</a> : passage.personaId}</>}
            </p>
          )}
          {citation?.page && <p class="small">Web page: <span class="soft">{citation.page.address}</span></p>}
          {passage ? (
            <blockquote class="words" dir="auto">
              {cut(passage.text, citation!.quotes.flatMap((quote) => quote.ranges)).map((piece, place) => (piece.marked ? <mark key={place}>{piece.text}</mark> : piece.text))}
            </blockquote>
          ) : <p>The passage is no longer in the library. What was checked when the turn was recorded is below.</p>}
          <section class="stack">
            <h3>What {people.name(turn.speakerId)} quotes in {turn.shortId}</h3>
            {!(citation ?? known).quotes.length && <p class="soft">The turn cites the passage and quotes nothing from it.</p>}
            <ul class="items">
              {(citation ?? known).quotes.map((quote) => (
                <li key={quote.text} class={`quote-check ${quote.check}`}>
                  <p class="words">{quote.check === "UNVERIFIED" ? <span dir="auto">{quote.text}</span> : <q dir="auto">{quote.text}</q>}</p>
                  <p class="small"><b>{quote.check === "UNVERIFIED" ? "⚠ " : "✓ "}{QUOTE[quote.check].word}</b>: {QUOTE[quote.check].meaning}.</p>
                </li>
              ))}
            </ul>
          </section>
        </div>
      )}
    </Dialog>
  );
}
