// Above and below a drawing: how many arguments have which label, the filter, and what the lines mean.

import { ATTACK, labelOf } from "../../../model/debate/words";
import { hrefWith } from "../../../model/router";
import type { DrawnBox } from "../../../parts/graph/drawing";
import { useDebateAddress } from "../state";
import { useView } from "../view";

export function Tally({ boxes }: { boxes: readonly DrawnBox[] }) {
  return (
    <p class="tally">
      {(["IN", "OUT", "UNDEC", null] as const).map((label) => {
        const { mark, word } = labelOf(label);
        const n = boxes.filter((box) => box.word === word).length;
        return n || label ? <span key={label} class={`label-${label ?? "NONE"}`}><span aria-hidden="true">{mark}</span> <b>{n}</b> {label ? word : n === 1 ? "does not count" : "do not count"}</span> : null;
      })}
    </p>
  );
}

/** What the drawing is restricted to, and the way back. */
export function Filter() {
  const { sheet, people } = useView();
  const { camp, around } = useDebateAddress();
  const crux = around && sheet.cruxes.find((it) => it.shortId === around);
  const lit = camp ? sheet.camps[camp - 1] : null;
  if (!crux && !lit) return null;
  return (
    <p class="filter">
      <span class="filter-text" dir="auto">{crux ? `Around: ${crux.question}` : lit!.personaIds.length ? `Camp of ${people.names(lit!.personaIds)}` : `Camp ${camp}`}</span>
      <a href={hrefWith({ around: null, camp: null })}>Show all</a>
    </p>
  );
}

export function Legend() {
  return (
    <div class="legend small soft">
      {(["REBUT", "UNDERCUT", "UNDERMINE"] as const).map((kind) => (
        <span key={kind}><svg viewBox="0 0 30 8" aria-hidden="true"><path class={`line ${kind}`} d="M1,4H29" /></svg> {ATTACK[kind]} {{ REBUT: "the claim, both ways", UNDERCUT: "the inference", UNDERMINE: "a premise or an assumption" }[kind]}</span>
      ))}
      <details><summary>What the labels mean</summary><p>An argument is accepted if all its attackers are rejected, rejected if one of them is accepted, and undecided otherwise. A label tells how the attacks stand, not whether a claim is true.</p></details>
    </div>
  );
}
