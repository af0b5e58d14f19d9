// The whole debate for paper: everything that the screen shows in tabs, one after the other.

import { useEffect } from "preact/hooks";
import { picture } from "../../model/debate/picture";
import { labelOf, phaseTitle } from "../../model/debate/words";
import { useStore } from "../../model/store";
import { Checks, Disputes, MotionTab, Proposals, Rooms, TablesTab } from "./later-sections";
import { printing } from "./printing";
import { TurnCard } from "./said/turn";
import { Verdict } from "./verdict/verdict";
import { Who } from "./links";
import { useShown, useView } from "./view";

export function Printed() {
  const state = useStore(printing);
  useEffect(() => {
    const before = () => printing.get() === "no" && printing.set("shown");
    const after = () => printing.set("no");
    addEventListener("beforeprint", before);
    addEventListener("afterprint", after);
    return () => {
      removeEventListener("beforeprint", before);
      removeEventListener("afterprint", after);
    };
  }, []);
  if (state === "no") return null;
  return <Pages isWanted={state === "wanted"} />;
}

function Pages({ isWanted }: { isWanted: boolean }) {
  const { debate, sheet, people } = useView();
  const { version, head } = useShown(debate);
  const now = picture(debate);
  const turns = debate.turns.all.slice(0, debate.turns.countAt(version));
  useEffect(() => {
    if (!isWanted) return;
    // The sections load now; print when they stand still, after at most four seconds.
    const began = performance.now();
    const timer = setInterval(() => {
      const isBusy = document.querySelector(".printed :is(.skeleton, [role=status])") !== null || !debate.isComplete.get();
      if (isBusy && performance.now() - began < 4_000) return;
      clearInterval(timer);
      print();
    }, 100);
    return () => clearInterval(timer);
  }, [isWanted]);
  const isRooms = sheet.rooms.length > 0;
  return (
    <div class="printed" aria-hidden="true">
      <p class="overline">Report of a debate, event {version} of {head}</p>
      <h1 dir="auto">{sheet.topic}</h1>
      <ul class="items">{people.all.map((it) => <li key={it.personaId}><Who id={it.personaId} /> <span class="soft">{it.about}</span></li>)}</ul>
      <Verdict />
      {sheet.disputes.length > 0 && <><h2>Disputes</h2><Disputes /></>}
      {sheet.motion && <><h2>The motion</h2><MotionTab /></>}
      {sheet.tables.length > 0 && <><h2>Tables</h2><TablesTab /></>}
      {isRooms && <><h2>Rooms</h2><Rooms /></>}
      {sheet.proposals.length > 0 && <><h2>Proposals</h2><Proposals /></>}
      {now.nodes.length > 0 && (
        <>
          <h2>Arguments</h2>
          <ul class="items">{now.nodes.map((node) => {
            const { mark, word } = labelOf(node.label);
            const against = now.edges.filter((edge) => edge.state === "valid" && edge.attack.targetId === node.argument.shortId).map((edge) => edge.attack.sourceId);
            return <li key={node.argument.shortId}><b>{node.argument.shortId}</b> {mark} {word}, <Who id={node.argument.speakerId} />{node.argument.turnId && ` in ${node.argument.turnId}`}: {node.claim}{against.length > 0 && <span class="soft"> Attacked by {against.join(", ")}.</span>}</li>;
          })}</ul>
        </>
      )}
      <h2>Sources and checks</h2>
      <Checks />
      <h2>What is said</h2>
      {turns.map((turn, at) => {
        const phase = sheet.phases.filter((it) => it.fromVersion <= turn.version).pop();
        const before = at ? sheet.phases.filter((it) => it.fromVersion <= turns[at - 1]!.version).pop() : undefined;
        return [phase && phase !== before && <h3 class="phase-title overline">{phaseTitle(phase.name, phase.round)}</h3>, <TurnCard key={turn.shortId} turn={turn} isTarget={false} isNow={false} />];
      })}
    </div>
  );
}
