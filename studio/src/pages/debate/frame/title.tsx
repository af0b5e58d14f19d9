// Head of the page: topic, state of the debate, and what can be done with it.

import { OUTCOME, phaseTitle, STATUS } from "../../../model/debate/words";
import { useStore } from "../../../model/store";
import { When } from "../../../parts/format";
import { Actions } from "./actions";
import { useShown, useView } from "../view";

export function Title() {
  const { debate, sheet } = useView();
  const { isLatest } = useShown(debate);
  const origin = sheet.forkedFrom;
  return (
    <header class="debate-head">
      <div class="debate-topic">
        <h1 dir="auto">{sheet.topic}</h1>
        <p class="facts">
          <Status />
          <span>{sheet.engine.replaceAll("_", " ")}</span>
          {isLatest && sheet.status === "RUNNING" && sheet.phase && <span>{phaseTitle(sheet.phase, sheet.round).toLowerCase()}</span>}
          <span>{sheet.provider}</span>
          <span><When at={sheet.openedAt} /></span>
          {origin && <a href={`/debates/${origin.debateId}?at=${origin.at}`}>fork of {origin.debateId.slice(-8)} at event {origin.at}</a>}
          {origin && <a href={`?with=${origin.debateId}`}>compare with it</a>}
        </p>
      </div>
      <Actions />
    </header>
  );
}

function Status() {
  const { debate, sheet } = useView();
  const now = useStore(debate.state) ?? sheet;
  const tone = now.status === "RUNNING" ? "good live" : now.status === "PAUSED" ? "open" : "";
  const outcome = now.outcome && OUTCOME[now.outcome.kind];
  return <span class={`tag ${tone}`} title={now.outcome?.reason}>{STATUS[now.status]}{outcome && now.outcome!.kind !== "SETTLED" && outcome !== STATUS[now.status] ? `: ${outcome}` : ""}</span>;
}
