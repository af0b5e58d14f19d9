// The arguments in lanes, a column for each participant, and the picked one.

import { useCallback, useLayoutEffect, useMemo, useState } from "preact/hooks";
import { picture } from "../../../model/debate/picture";
import { useStore } from "../../../model/store";
import { Drawing } from "../../../parts/graph/drawing";
import { BOX, fittingWidth, lanes, lanesWidth, laneX } from "../../../parts/graph/geometry";
import { Empty } from "../../../parts/states";
import { Who } from "../links";
import { Picked } from "./picked";
import { pick, useDebateAddress } from "../state";
import { useBoxes, useLines } from "./boxes";
import { Filter, Legend, Tally } from "./tools";
import { useShown, useView } from "../view";

export function Arguments() {
  const { debate, sheet, people } = useView();
  const { version } = useShown(debate);
  const graphChanged = useStore(debate.graphChanged);
  const timeline = useStore(debate.timeline);
  const address = useDebateAddress();
  const now = useMemo(() => picture(debate), [version, graphChanged, timeline, sheet]);
  const laneOf = useCallback((id: string) => people.place(id), [people]);
  const { frame, boxWidth } = useBoxWidth(people.all.length);
  const inLanes = useMemo(
    () => lanes(debate.graph.arguments.map((it) => ({ id: it.shortId, lane: Math.max(0, laneOf(it.speakerId)) })), boxWidth),
    [graphChanged, laneOf, boxWidth],
  );
  const boxes = useBoxes(now, inLanes);
  const lines = useLines(now);
  const onPick = useCallback((id: string) => pick(id === address.pick ? null : id), [address.pick]);

  if (!debate.graph.arguments.length) {
    return sheet.arguments.length ? <div class="panel-body" aria-busy="true" /> : (
      <div class="panel-body"><Empty title="No arguments"><p>{sheet.status === "RUNNING" ? "None has been advanced yet." : `The engine ${sheet.engine.replaceAll("_", " ")} takes no arguments apart. What was said is in the transcript.`}</p></Empty></div>
    );
  }
  const rows = Math.max(...[...inLanes.values()].map((it) => it.y)) + BOX.height + BOX.gapY;
  return (
    <div class="arguments" ref={frame}>
      <div class="tools">
        {boxes.length ? <Tally boxes={boxes} /> : <p class="tally soft">No argument up to this event</p>}
        <Filter />
      </div>
      <Drawing
        boxes={boxes} lines={lines} pick={onPick} reveal={address.pick}
        width={lanesWidth(people.all.length, boxWidth)} height={rows} heads={<Heads boxWidth={boxWidth} />}
      />
      {address.pick ? <Picked id={address.pick} picture={now} /> : <Legend />}
    </div>
  );
}

/** Width of boxes, so that the lanes fill the window; it changes with the window only. */
function useBoxWidth(laneCount: number) {
  // A state and not a reference, so that the first drawing is measured before it is shown.
  const [frame, setFrame] = useState<HTMLElement | null>(null);
  const [boxWidth, set] = useState<number>(BOX.width);
  useLayoutEffect(() => {
    if (!frame) return;
    const measure = () => set(fittingWidth(frame.clientWidth, laneCount));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(frame);
    return () => observer.disconnect();
  }, [laneCount, frame]);
  return { frame: setFrame, boxWidth };
}

/** Names above the lanes. They scroll sideways with them, and stay at the top. */
function Heads({ boxWidth }: { boxWidth: number }) {
  const { people } = useView();
  return (
    <div class="lane-heads" style={{ width: `${lanesWidth(people.all.length, boxWidth)}px` }}>
      {people.all.map((it, lane) => <span key={it.personaId} style={{ left: `${laneX(lane, boxWidth)}px`, width: `${boxWidth}px` }}><Who id={it.personaId} /></span>)}
    </div>
  );
}
