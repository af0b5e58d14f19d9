// The arguments in lanes or on the map, and the picked one.

import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { useData } from "../../../model/data";
import { MAP, WHAT_IF } from "../../../model/debate/documents";
import { around, neighbours, picture, type Picture } from "../../../model/debate/picture";
import { ATTACK, labelOf } from "../../../model/debate/words";
import { hrefWith } from "../../../model/router";
import { useStore } from "../../../model/store";
import { Button } from "../../../parts/controls";
import { Drawing, type DrawnBox, type DrawnLine } from "../../../parts/graph/drawing";
import { BOX, fittingWidth, lanes, lanesWidth, laneX, type Place } from "../../../parts/graph/geometry";
import { markClass } from "../../../parts/mark";
import { Empty } from "../../../parts/states";
import { Who } from "../links";
import { Picked } from "./picked";
import { pick, useDebateAddress } from "../state";
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
  const map = useMap(address.drawing === "map");
  const places = address.drawing === "map" && map.places ? map.places : inLanes;
  const boxes = useBoxes(now, places);
  const lines = useLines(now, address.drawing === "map" ? map.paths : null);
  const onPick = useCallback((id: string) => pick(id === address.pick ? null : id), [address.pick]);
  const [scale, setScale] = useState(1);

  if (!debate.graph.arguments.length) {
    return sheet.arguments.length ? <div class="panel-body" aria-busy="true" /> : (
      <div class="panel-body"><Empty title="No arguments"><p>{sheet.status === "RUNNING" ? "None has been advanced yet." : `The engine ${sheet.engine.replaceAll("_", " ")} takes no arguments apart. What was said is in the transcript.`}</p></Empty></div>
    );
  }
  const isMap = address.drawing === "map";
  const rows = Math.max(...[...inLanes.values()].map((it) => it.y)) + BOX.height + BOX.gapY;
  return (
    <div class="arguments" ref={frame}>
      <div class="tools">
        <Tally boxes={boxes} />
        <Filter />
        <div class="tools-end no-print">
          {isMap && [["−", "Smaller", -1], ["+", "Larger", 1]].map(([sign, name, step]) => <Button key={name} kind="icon" label={String(name)} onClick={() => setScale((it) => Math.min(1.6, Math.max(0.3, it + Number(step) * 0.15)))}>{sign}</Button>)}
          <div class="switch" role="group" aria-label="Drawing">
            <a href={hrefWith({ drawing: null })} aria-current={!isMap ? "true" : undefined} title="A column for each participant; boxes never move">By participant</a>
            <a href={hrefWith({ drawing: "map" })} aria-current={isMap ? "true" : undefined} title="Attackers near what they attack">As a map</a>
          </div>
        </div>
      </div>
      {isMap && map.note && <p class="map-note small">{map.note} {map.again && <Button kind="plain" onClick={map.again}>Lay it out again</Button>}</p>}
      <Drawing
        boxes={boxes} lines={lines} pick={onPick} reveal={address.pick} scale={isMap && map.places ? scale : 1}
        width={isMap && map.places ? map.width : lanesWidth(people.all.length, boxWidth)} height={isMap && map.places ? map.height : rows}
        heads={isMap && map.places ? undefined : <Heads boxWidth={boxWidth} />}
      />
      {address.pick ? <Picked id={address.pick} picture={now} /> : <Legend />}
    </div>
  );
}

/** Width of boxes, so that the lanes fill the window; it changes with the window only. */
function useBoxWidth(laneCount: number) {
  const frame = useRef<HTMLDivElement>(null);
  const [boxWidth, set] = useState<number>(BOX.width);
  useLayoutEffect(() => {
    if (!frame.current) return;
    const measure = () => set(fittingWidth(frame.current!.clientWidth, laneCount));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(frame.current);
    return () => observer.disconnect();
  }, [laneCount, frame.current !== null]);
  return { frame, boxWidth };
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

function Tally({ boxes }: { boxes: readonly DrawnBox[] }) {
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
function Filter() {
  const { sheet, people } = useView();
  const { camp, around } = useDebateAddress();
  const crux = around && sheet.cruxes.find((it) => it.shortId === around);
  const lit = camp ? sheet.camps[camp - 1] : null;
  if (!crux && !lit) return null;
  return (
    <p class="filter">
      <span class="filter-text" dir="auto">{crux ? `Around: ${crux.question}` : `Camp of ${people.names(lit!.personaIds) || "nobody in particular"}`}</span>
      <a href={hrefWith({ around: null, camp: null })}>Show all</a>
    </p>
  );
}

function Legend() {
  return (
    <div class="legend small soft">
      {(["REBUT", "UNDERCUT", "UNDERMINE"] as const).map((kind) => (
        <span key={kind}><svg viewBox="0 0 30 8" aria-hidden="true"><path class={`line ${kind}`} d="M1,4H29" /></svg> {ATTACK[kind]} {{ REBUT: "the claim, both ways", UNDERCUT: "the inference", UNDERMINE: "a premise or an assumption" }[kind]}</span>
      ))}
      <details><summary>What the labels mean</summary><p>An argument is accepted if all its attackers are rejected, rejected if one of them is accepted, and undecided otherwise. A label tells how the attacks stand, not whether a claim is true.</p></details>
    </div>
  );
}

/** Ids outside of the camp or the crux that was chosen; null if nothing was. */
function useFilter(now: Picture): Set<string> | null {
  const { sheet } = useView();
  const { camp, around: crux } = useDebateAddress();
  return useMemo(() => {
    if (camp) return sheet.camps[camp - 1] ? new Set(sheet.camps[camp - 1]!.argumentIds) : null;
    const found = crux && sheet.cruxes.find((it) => it.shortId === crux);
    if (!found) return null;
    return around(now, [...found.dependentIds, ...found.positions.flatMap((it) => (it.argumentId ? [it.argumentId] : []))]);
  }, [now, camp, crux, sheet]);
}

function useBoxes(now: Picture, places: ReadonlyMap<string, Place>): DrawnBox[] {
  const { debate, people } = useView();
  const { pick: picked, without } = useDebateAddress();
  const kept = useFilter(now);
  const whatIf = useData(WHAT_IF, without.length ? { id: debate.fullId, at: now.version, remove: without } : null, { keep: true });
  const changes = without.length ? whatIf.data?.debate?.whatIf.labelChanges : undefined;
  return useMemo(() => {
    const near = picked ? neighbours(now, picked) : null;
    const hypothetical = new Map(changes?.map((it) => [it.argumentId, it.to]) ?? []);
    const boxes: DrawnBox[] = [];
    for (const node of now.nodes) {
      const { shortId: id, speakerId, answersTopic } = node.argument;
      const place = places.get(id);
      if (!place) continue;
      const isRemoved = without.includes(id);
      const label = hypothetical.has(id) ? hypothetical.get(id)! : node.label;
      const { mark, word } = isRemoved ? { mark: "✕", word: "withdrawn" } : labelOf(label);
      const isAttacker = near?.attackers.has(id);
      const isVictim = near?.victims.has(id);
      const notes: string[] = [];
      if (isRemoved) notes.push("hypothetically");
      else if (hypothetical.has(id)) notes.push(`in fact ${labelOf(node.label).word}`);
      else if (node.was !== undefined) notes.push(node.was === null ? "new" : `was ${labelOf(node.was).word}`);
      if (isAttacker && isVictim) notes.push(`${id} and ${picked} attack each other`);
      else if (isAttacker) notes.push(`attacks ${picked}`);
      else if (isVictim) notes.push(`attacked by ${picked}`);
      if (answersTopic && !notes.length) notes.push("answers the topic");
      if (node.isWithdrawn && !notes.length) notes.push("withdrawn by its author");
      const isDim = (kept && !kept.has(id)) || (near && id !== picked && !isAttacker && !isVictim);
      boxes.push({
        id, place, mark, word, text: node.claim, author: people.name(speakerId), note: notes.join("; "), isPicked: id === picked,
        classes: [markClass(people.place(speakerId)), isRemoved ? "label-GONE" : `label-${label ?? "NONE"}`, isAttacker ? "attacker" : "", isVictim ? "victim" : "", isDim ? "dim" : "", node.was !== undefined ? "changed" : "", hypothetical.has(id) ? "hypothetical" : ""].filter(Boolean).join(" "),
      });
    }
    return boxes;
  }, [now, places, picked, kept, without.join(), changes, people]);
}

function useLines(now: Picture, paths: ReadonlyMap<string, readonly { x: number; y: number }[]> | null): DrawnLine[] {
  const { pick: picked, without } = useDebateAddress();
  const kept = useFilter(now);
  return useMemo(() => {
    const lines: DrawnLine[] = [];
    for (const { attack, state } of now.edges) {
      const { shortId: id, sourceId: source, targetId: target, mutual, kind } = attack;
      const isNear = picked === source || picked === target;
      // Attacks that do not count are drawn only where the reader looks.
      if (state !== "valid" && !isNear) continue;
      if (without.includes(source) || without.includes(target)) continue;
      const lit = !picked || !isNear ? "" : state !== "valid" ? "" : target === picked ? "lit-in" : "lit-out";
      const isDim = (picked && !isNear) || (kept && !(kept.has(source) && kept.has(target)));
      lines.push({ id, source, target, isMutual: mutual && state === "valid", classes: [kind, state === "valid" ? "" : "idle", lit, isDim ? "dim" : ""].filter(Boolean).join(" "), path: paths?.get(id) });
    }
    return lines;
  }, [now, picked, kept, without.join(), paths]);
}

interface MapPlaces {
  places: Map<string, Place> | null;
  paths: Map<string, readonly { x: number; y: number }[]> | null;
  width: number;
  height: number;
  note: string;
  again: (() => void) | null;
}

/** Coordinates of one version, so that boxes stay where they are while the version changes. */
function useMap(isShown: boolean): MapPlaces {
  const { debate, sheet } = useView();
  const graphChanged = useStore(debate.graphChanged);
  const [at, setAt] = useState<number | null>(null);
  useEffect(() => {
    if (isShown && at === null) setAt(debate.head.get());
  }, [isShown]);
  const { data, error } = useData(MAP, isShown && at !== null ? { id: debate.fullId, at } : null, { keep: true });
  const map = data?.debate?.map;
  return useMemo(() => {
    const none = { places: null, paths: null, width: 0, height: 0, again: null };
    if (error) return { ...none, note: error.code === "INVALID" ? "This service does not lay out maps yet. The arguments are shown by participant." : error.message };
    if (!map) return { ...none, note: isShown ? "Laying out the map …" : "" };
    const places = new Map(map.boxes.map(({ argumentId, ...place }) => [argumentId, place]));
    const missing = debate.graph.arguments.filter((it) => !places.has(it.shortId)).length;
    return {
      places, paths: new Map(map.lines.map((line) => [line.attackId, line.path])), width: map.width, height: map.height,
      note: missing ? `${missing} newer ${missing === 1 ? "argument is" : "arguments are"} not on the map yet.` : "",
      again: missing ? () => setAt(debate.head.get()) : null,
    };
  }, [map, error, graphChanged, isShown, sheet.version]);
}
