import type { CruxOrigin } from "../../wire/operations";
import { BASIS } from "../../model/debate/words";
import { Bar } from "../../parts/controls";
import { percent, When } from "../../parts/format";
import { Speaker, markClass } from "../../parts/mark";
import { SideTag } from "../../parts/verdict";
import type { CruxEdge } from "./cruxes-documents";

export const ORIGIN: Record<CruxOrigin, string> = {
  ACKNOWLEDGED: "acknowledged",
  ASSUMPTION: "assumption",
  CLAIM: "claim",
  DISPUTE: "dispute",
  PREMISE: "premise",
};

/** Address of a crux in its debate. */
export const cruxHref = (debateId: string, shortId: string): string => `/debates/${debateId}#${shortId}`;

export function CruxCard({ edge: { match, node: crux } }: { edge: CruxEdge }) {
  const places = new Map(crux.debate.participants.map((it, place) => [it.personaId, place]));
  const shown = crux.positions.slice(0, 4);
  return (
    <article class="card crux-card">
      <h2>
        <a href={cruxHref(crux.debate.id, crux.shortId)}>{crux.question}</a>
      </h2>
      <p class="row small">
        <span class="tag">{ORIGIN[crux.origin]}</span>
        {!crux.open && <span class="tag good">✓ resolved</span>}
        {crux.pivotality !== null && (
          <span class="soft">
            <Bar share={crux.pivotality} label="Pivotality" /> settles {percent(crux.pivotality)} of the other theses
          </span>
        )}
        <span class="soft">{crux.explanation}</span>
      </p>
      {match && <p class="small why-found">{whyFound(match)}</p>}
      <ul class="crux-positions">
        {shown.map((it) => {
          const place = places.get(it.personaId) ?? -1;
          return (
            <li key={`${it.personaId} ${it.turnId} ${it.side}`} class={markClass(place)}>
              <p class="row small">
                <Speaker place={place} name={it.participant?.name ?? it.personaId} />
                <SideTag side={it.side} />
                <a class="soft" href={`/debates/${crux.debate.id}#${it.turnId}`}>
                  {it.turnId}
                </a>
              </p>
              <p class="words">
                {it.quote ? (
                  <q>{it.quote}</q>
                ) : (
                  <>
                    {it.words} {BASIS[it.basis] && <small class="soft">({BASIS[it.basis]})</small>}
                  </>
                )}
              </p>
            </li>
          );
        })}
      </ul>
      {crux.positions.length > shown.length && (
        <p class="small soft">and {crux.positions.length - shown.length} more positions</p>
      )}
      <p class="small soft from">
        in <a href={`/debates/${crux.debate.id}`}>{crux.debate.topic}</a>{" "}
        <span class="nowrap">({crux.debate.engine})</span>, <When at={crux.changedAt} />
      </p>
    </article>
  );
}

/** Says by what the search found a question. */
function whyFound({ cosine, words }: { cosine: number | null; words: string[] }): string {
  const said = words.length ? `contains ${words.map((it) => `“${it}…”`).join(", ")}` : "";
  const meant = cosine !== null ? `similarity of meaning ${cosine.toFixed(2)}` : "not compared by meaning";
  return `Found: ${said ? `${said}; ` : ""}${meant}.`;
}
