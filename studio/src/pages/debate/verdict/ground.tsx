// What is not disputed, and who stands together.

import { count, SIDE, tone } from "../../../model/debate/words";
import { hrefWith } from "../../../model/router";
import { TurnLink, Who } from "../links";
import { useDebateAddress } from "../state";
import { useView } from "../view";

export function Ground() {
  return (
    <>
      <Common />
      <Camps />
    </>
  );
}

function Common() {
  const { sheet } = useView();
  const isEmpty = !sheet.commonGround.length && !sheet.grantedStatements.length;
  return (
    <section class="block">
      <h3 class="overline">Common ground</h3>
      {isEmpty && <p class="soft">None. A point counts only if several participants said it and nobody denied it; silence is not agreement.</p>}
      <ul class="items">
        {sheet.commonGround.map((ground) => (
          <li key={ground.disputeId}>
            <p><span class={`tag ${tone(ground.side)}`}>{SIDE[ground.side]}</span> <span dir="auto">{ground.question}</span></p>
            <p class="small">{ground.holders.map((it) => <span key={it.personaId} class="said-by"><Who id={it.personaId} /> <TurnLink id={it.turnId} /></span>)}</p>
          </li>
        ))}
        {sheet.grantedStatements.map((granted) => (
          <li key={granted.shortId}>
            <p dir="auto">{granted.point.statement}</p>
            <p class="small"><span class="said-by"><span class="soft">said by</span> <Who id={granted.author.personaId} /> <TurnLink id={granted.author.turnId} /></span>{granted.granters.map((it) => <span key={it.personaId} class="said-by"><span class="soft">granted by</span> <Who id={it.personaId} /> <TurnLink id={it.turnId} /></span>)}</p>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Camps() {
  const { sheet, people } = useView();
  const { camp } = useDebateAddress();
  if (!sheet.camps.length) return null;
  return (
    <section class="block">
      <h3 class="overline">{sheet.camps.length === 1 ? "Accepted together" : "Camps"} {!sheet.campsExact && <span class="tag open">not complete</span>}</h3>
      <ul class="camps">
        {sheet.camps.map((it, place) => {
          const isLit = camp === place + 1;
          return (
            <li key={place}>
              <a class="camp no-print" href={hrefWith({ camp: isLit ? null : place + 1, tab: "arguments", around: null })} aria-current={isLit ? "true" : undefined}>
                <span>{it.personaIds.length ? it.personaIds.map((id) => <Who key={id} id={id} />) : <span class="soft">camp {place + 1}, nearest to nobody</span>}</span>
                <span class="small soft">{count(it.argumentIds.length, "argument")}{it.tiedPersonaIds.length > 0 && `; ${people.names(it.tiedPersonaIds)} equally near to another camp`}</span>
              </a>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
