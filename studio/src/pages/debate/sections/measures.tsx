// Measures of the debate: charts of its course, and value, formula, or why there is no value, and the parts with their turns.

import { MEASURES } from "../../../model/debate/section-documents";
import { count } from "../../../model/debate/words";
import { measured, plain } from "../../../parts/format";
import type { DebateMeasuresQuery } from "../../../wire/operations";
import { TurnLink, Who } from "../links";
import { useSection } from "../view";
import { Charts } from "./charts";
import { Section } from "./section";

type Measured = NonNullable<DebateMeasuresQuery["debate"]>;
type Measure = NonNullable<DebateMeasuresQuery["debate"]>["measures"][number];

/** Measures in their order, those that take the timeline with their values: they are computed only on request. */
const all = ({ measures, ofTimeline }: Measured): Measure[] =>
  measures.map((it) => ofTimeline.find((other) => other.definition.key === it.definition.key) ?? it);

export function Measures() {
  return (
    <Section loaded={useSection(MEASURES)} what="The measures">
      {({ debate }) => debate && (
        <>
          <Charts />
          {[...new Set(debate.measures.map((it) => it.definition.group))].map((group) => (
            <section key={group}>
              <h3 class="overline">{plain(group)}</h3>
              <ul class="items">{all(debate).filter((it) => it.definition.group === group).map((it) => <Item key={it.definition.key} measure={it} />)}</ul>
            </section>
          ))}
        </>
      )}
    </Section>
  );
}

function Item({ measure: { definition: { key, name, unit, formula }, value, numerator, denominator, absentReason, parts } }: { measure: Measure }) {
  return (
    <li id={`measure-${key}`}>
      <p class="row"><b>{name}</b> <span class="number">{value === null ? "–" : measured(value, unit)}</span>{unit === "SHARE" && Number.isInteger(numerator) && <span class="small soft">{numerator} of {denominator}</span>}</p>
      {absentReason && <p class="small">{absentReason}</p>}
      <p class="small soft">{formula}</p>
      {parts.length > 0 && (
        <details class="more">
          <summary>{count(parts.length, "part")}</summary>
          <ul class="items small">{parts.map((part, at) => (
            <li key={at}>{part.personaId && <Who id={part.personaId} />} {part.label !== part.personaId && <span dir="auto">{part.label}</span>} {part.value !== null && <b>{measured(part.value, unit)}</b>} <span class="refs">{part.turnIds.map((id) => <TurnLink key={id} id={id} />)}</span></li>
          ))}</ul>
        </details>
      )}
    </li>
  );
}
