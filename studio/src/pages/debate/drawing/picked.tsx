// The picked argument: its claim, why it is labelled so, what attacks it and what it attacks, and what if it fell.

import { useData } from "../../../model/data";
import { WHY } from "../../../model/debate/documents";
import type { Picture, PictureEdge } from "../../../model/debate/picture";
import { ATTACK, attackedPart, labelOf } from "../../../model/debate/words";
import { Button } from "../../../parts/controls";
import { ArgumentLink, TurnLink, Who } from "../links";
import { Refs, sentence } from "../refs";
import { pick, setWithout, useDebateAddress } from "../state";
import { useShown, useView } from "../view";

export function Picked({ id, picture }: { id: string; picture: Picture }) {
  const { debate, sheet } = useView();
  const { version } = useShown(debate);
  const { without } = useDebateAddress();
  const node = picture.byId.get(id);
  const why = useData(WHY, node ? { id: `${debate.fullId}@${sheet.version}:argument:${id}` } : null, { keep: true });
  if (!node) {
    return <aside class="picked" aria-label="Picked argument"><p class="soft">{debate.graph.get(id) ? `${id} has not been advanced yet at event ${version}.` : `There is no argument ${id}.`}</p><Close /></aside>;
  }
  const { argument } = node;
  const isRemoved = without.includes(id);
  const on = picture.edges.filter((edge) => edge.attack.targetId === id);
  const by = picture.edges.filter((edge) => edge.attack.sourceId === id);
  const { mark, word } = labelOf(node.label);
  const explanation = why.data?.node?.explanation;
  return (
    <aside class="picked" aria-label={`Argument ${id}`}>
      <header>
        <p><b>{id}</b> <span class={`label-${node.label ?? "NONE"}`}><span aria-hidden="true">{mark}</span> {word}</span> <Who id={argument.speakerId} /> {argument.turnId && <>in <TurnLink id={argument.turnId} /></>}</p>
        <Close />
      </header>
      <p class="words claim" dir="auto">{node.claim}</p>
      <div class="why">
        {explanation ? <p>{explanation.sentences.map((it, at) => <span key={at}><Refs text={sentence(it)} /> </span>)}{explanation.omittedSteps > 0 && <span class="soft">{explanation.omittedSteps} more steps are not shown.</span>}</p> : <p class="soft">{why.error ? why.error.message : "…"}</p>}
      </div>
      <p class="row no-print">
        <Button onClick={() => setWithout(isRemoved ? without.filter((it) => it !== id) : [...without, id])}>{isRemoved ? `Put ${id} back` : without.length ? `And without ${id}?` : `What if ${id} were withdrawn?`}</Button>
      </p>
      <dl class="notes-list">
        {argument.premises.length > 0 && <><dt>Premises</dt><dd><ol>{argument.premises.map((it) => <li key={it} dir="auto">{it}</li>)}</ol></dd></>}
        {argument.assumptions.length > 0 && <><dt>Assumptions</dt><dd><ol>{argument.assumptions.map((it) => <li key={it} dir="auto">{it}</li>)}</ol>{argument.distilled && <p class="small soft">The clerk’s reading of what the speaker takes for granted.</p>}</dd></>}
        {argument.evidence.length > 0 && <><dt>Evidence</dt><dd><ul>{argument.evidence.map((it) => <li key={it.text} dir="auto">{it.text}</li>)}</ul></dd></>}
        {on.length > 0 && <><dt>Attacked by</dt><dd><Attacks edges={on} picture={picture} isOut={false} /></dd></>}
        {by.length > 0 && <><dt>Attacks</dt><dd><Attacks edges={by} picture={picture} isOut /></dd></>}
        {argument.withdrawal && node.isWithdrawn && <><dt>Withdrawn</dt><dd><Refs text={sentence(argument.withdrawal.reason)} /> <TurnLink id={argument.withdrawal.turnId} /></dd></>}
      </dl>
    </aside>
  );
}

const Close = () => <Button kind="icon" label="Close" onClick={() => pick(null)}>✕</Button>;

/** Attacks on the picked argument, or by it. Two arguments whose claims rebut each other are told so in either list. */
function Attacks({ edges, picture, isOut }: { edges: readonly PictureEdge[]; picture: Picture; isOut: boolean }) {
  return (
    <ul class="attacks">
      {edges.map((edge) => {
        const { attack, state } = edge;
        const verdict = state === "valid" ? "judged valid" : state === "refused" ? "judged no valid objection" : state === "withdrawn" ? "withdrawn" : "not judged yet";
        return (
          <li key={attack.shortId} class={state === "valid" ? "" : "idle"}>
            {!isOut && <><ArgumentLink id={attack.sourceId} /> <Who id={attack.speakerId} /> </>}
            {ATTACK[attack.kind]} {attackedPart(attack.kind, attack.component, attack.componentIndex)}
            {isOut && <> of <ArgumentLink id={attack.targetId} /> <Who id={picture.byId.get(attack.targetId)?.argument.speakerId ?? null} /></>}
            {attack.mutual && state === "valid" ? ", and each attacks the other" : ""} <TurnLink id={attack.turnId} />
            <p class="small soft"><span dir="auto">{sentence(attack.rationale)}</span> {sentence(verdict)}{attack.judgement && state !== "withdrawn" && attack.judgement.reason && attack.judgement.reason !== attack.rationale ? ` ${sentence(attack.judgement.reason)}` : ""}</p>
          </li>
        );
      })}
    </ul>
  );
}
