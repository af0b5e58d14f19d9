// One turn: speaker, moves, what it answers, its words with the quotations in them, and what was refused of it.

import { useMemo, useState } from "preact/hooks";
import { quotedPieces, worstCheck } from "../../../model/debate/quotes";
import type { Turn } from "../../../model/debate/turns";
import { count, MOVE, QUOTE } from "../../../model/debate/words";
import { memo } from "../../../model/store";
import { markClass } from "../../../parts/mark";
import { CitationDialog } from "./citation";
import { TurnLink, Who } from "../links";
import { useView } from "../view";

export const TurnCard = memo(({ turn, isTarget, isNow }: { turn: Turn; isTarget: boolean; isNow: boolean }) => {
  const { debate, people } = useView();
  const [opened, open] = useState<number | null>(null);
  const pieces = useMemo(() => quotedPieces(turn), [turn]);
  const answered = turn.repliesToTurnId ? debate.turns.get(turn.repliesToTurnId) : undefined;
  return (
    <article class={`turn ${markClass(people.place(turn.speakerId))}${isTarget ? " target" : ""}${isNow ? " now" : ""}`} id={turn.shortId} tabIndex={-1} aria-label={`${people.name(turn.speakerId)}, turn ${turn.shortId}`}>
      <header>
        <Who id={turn.speakerId} /> <TurnLink id={turn.shortId} />
        {turn.moves.map((move) => <span key={move} class={`move ${move}`} title={turn.moveQuotes.find((it) => it.move === move)?.quote}>{MOVE[move]}</span>)}
        {turn.repliesToTurnId && <span class="answers">{answered ? `answers ${people.name(answered.speakerId).split(" ")[0]} in ` : "answers "}<TurnLink id={turn.repliesToTurnId} /></span>}
        {turn.roomId && <span class="tag">room {turn.roomId}</span>}
      </header>
      <p class="words" dir="auto">
        {pieces.map((piece, at) => piece.citation === null ? piece.text : (
          <span key={at} class={`quoted ${piece.check}`}>
            {piece.text}
            <button type="button" class="cite" onClick={() => open(piece.citation)} aria-label={`Passage ${piece.citation + 1}, ${QUOTE[piece.check!].word}`}>
              {piece.check === "UNVERIFIED" ? <>{piece.citation + 1} ⚠</> : piece.citation + 1}
            </button>
          </span>
        ))}
      </p>
      <Sources turn={turn} open={open} />
      {turn.hint && <details class="aside"><summary>Hint of the moderator before this turn</summary><p dir="auto">{turn.hint.text}</p></details>}
      {turn.preparation && (turn.preparation.reflection || turn.preparation.critique) && (
        <details class="aside">
          <summary>Preparation, not said</summary>
          {turn.preparation.reflection && <p dir="auto"><b>Reflection:</b> {turn.preparation.reflection}</p>}
          {turn.preparation.critique && <p dir="auto"><b>Critique:</b> {turn.preparation.critique}</p>}
        </details>
      )}
      {turn.rejectedParts.length > 0 && (
        <details class="aside refused">
          <summary>{count(turn.rejectedParts.length, "part")} of the reply refused</summary>
          <ul>{turn.rejectedParts.map((part) => <li key={part} dir="auto">{part}</li>)}</ul>
        </details>
      )}
      {opened !== null && <CitationDialog turn={turn} at={opened} close={() => open(null)} />}
    </article>
  );
});

/** The passages that a turn cites, in words. Those quoted in the text are opened by the numbers there. */
function Sources({ turn, open }: { turn: Turn; open: (at: number) => void }) {
  if (!turn.citations.length) return null;
  const places = turn.citations.map((citation, at) => ({ citation, at, check: worstCheck(citation) }));
  const special = places.filter(({ citation, check }) => check !== "VERBATIM" || citation.page);
  const verbatim = places.length - special.length;
  const wrong = places.flatMap(({ citation, at }) => citation.quotes.filter((quote) => quote.check === "UNVERIFIED").map((quote) => ({ quote, at })));
  return (
    <div class="sources small">
      {verbatim > 0 && <span class="soft">✓ quotes {count(verbatim, "passage")} exactly</span>}
      {special.map(({ citation, at, check }) => (
        <button key={citation.alias + at} type="button" class={`source ${check ?? ""}`} onClick={() => open(at)}>
          {at + 1} {citation.page && `${citation.page.title}, `}<span>{check ? QUOTE[check].word : "cited, not quoted"}</span>
        </button>
      ))}
      {wrong.map(({ quote, at }) => <p key={quote.text} class="unverified">⚠ Passage {at + 1} does not contain these words: <span dir="auto">{quote.text}</span></p>)}
    </div>
  );
}
