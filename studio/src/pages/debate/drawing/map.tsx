// The layered drawing of the whole debate, laid out by the service: attackers below what they attack, reasons below the
// side that they support. Boxes stay where they are while the version changes.

import { useCallback, useEffect, useMemo, useState } from "preact/hooks";
import { useData } from "../../../model/data";
import { MAP } from "../../../model/debate/documents";
import { picture } from "../../../model/debate/picture";
import { labelOf, SIDE } from "../../../model/debate/words";
import { navigate } from "../../../model/router";
import { useStore } from "../../../model/store";
import { Button } from "../../../parts/controls";
import { Drawing, type DrawnBox, type DrawnLine } from "../../../parts/graph/drawing";
import { markClass } from "../../../parts/mark";
import { Empty, Failed, Skeleton } from "../../../parts/states";
import type { DebateMapQuery, Side } from "../../../wire/operations";
import { pick, turnHref, useDebateAddress } from "../state";
import { useShown, useView } from "../view";
import { useBoxes, useLines } from "./boxes";
import { Picked } from "./picked";
import { Filter, Legend, Tally } from "./tools";

type Map_ = NonNullable<DebateMapQuery["debate"]>["map"];

const NO_PLACES: ReadonlyMap<string, never> = new Map<string, never>();

export function MapTab() {
  const { debate, sheet, isWide } = useView();
  const { version } = useShown(debate);
  const graphChanged = useStore(debate.graphChanged);
  const timeline = useStore(debate.timeline);
  const turnsChanged = useStore(debate.turnsChanged);
  const address = useDebateAddress();
  const layout = useLayout();
  const { map } = layout;
  const [scale, setScale] = useState<number | null>(null);
  const now = useMemo(() => picture(debate), [version, graphChanged, timeline, sheet]);
  const places = useMemo(() => (map ? new Map(map.boxes.map((box) => [box.boxId, { x: box.x, y: box.y, width: box.width, height: box.height }])) : NO_PLACES), [map]);
  const argumentBoxes = useBoxes(now, places);
  const attacks = useLines(now);
  const others = useOtherBoxes(map, layout.version, version, turnsChanged);
  const boxes = useMemo(() => [...argumentBoxes, ...others], [argumentBoxes, others]);
  const lines = useMapLines(map, attacks);
  const turnOf = useMemo(() => new Map(map?.boxes.map((box) => [box.boxId, box.turnId])), [map]);
  const onPick = useCallback((id: string) => {
    if (debate.graph.get(id)) return pick(id === address.pick ? null : id);
    const turn = turnOf.get(id);
    if (turn) navigate(turnHref(turn, isWide));
  }, [address.pick, turnOf, isWide]);

  if (layout.error) return <div class="panel-body"><Failed error={layout.error} retry={layout.reload} what="The map" /></div>;
  if (!map) return <div class="panel-body"><Skeleton lines={8} label="Laying out the map" /></div>;
  if (!map.boxes.length) return <div class="panel-body"><Empty title="Nothing to draw yet"><p>The map shows arguments, questions with their sides and reasons, and proposals.</p></Empty></div>;
  // A large map begins as a whole, as far as it can be read.
  const zoom = scale ?? Math.max(0.8, Math.min(1, 740 / map.width));
  const newer = sheet.arguments.filter((it) => it.live && !places.has(it.shortId)).length;
  return (
    <div class="arguments">
      <div class="tools">
        {argumentBoxes.length > 0 && <Tally boxes={argumentBoxes} />}
        <Filter />
        <div class="tools-end no-print">
          {newer > 0 && <Button kind="plain" onClick={layout.again}>Add {newer} newer {newer === 1 ? "argument" : "arguments"}</Button>}
          <Button kind="icon" label="Smaller" disabled={zoom <= 0.3} onClick={() => setScale(Math.max(0.3, zoom - 0.15))}>−</Button>
          <Button kind="icon" label="Larger" disabled={zoom >= 1.5} onClick={() => setScale(Math.min(1.5, zoom + 0.15))}>+</Button>
        </div>
      </div>
      <Drawing boxes={boxes} lines={lines} width={map.width + 8} height={map.height + 8} scale={zoom} pick={onPick} reveal={address.pick} />
      {address.pick ? <Picked id={address.pick} picture={now} /> : argumentBoxes.length > 0 && <Legend />}
    </div>
  );
}

/** The layout of one version: that of the latest when the tab was opened or a phase ended, or when asked for again. */
function useLayout() {
  const { debate, sheet } = useView();
  const [at, setAt] = useState(() => debate.head.get());
  const again = useCallback(() => setAt(debate.head.get()), []);
  useEffect(() => {
    if (debate.at.get() === null) again();
  }, [sheet.phases.length]);
  const { data, error, reload } = useData(MAP, { id: debate.fullId, at }, { keep: true });
  return { map: data?.debate?.map, version: data?.debate?.version ?? at, error: data ? undefined : error, reload, again };
}

const KINDS: Record<string, string> = { d: "question", p: "proposal", i: "issue", r: "reason" };

/** Boxes that are no arguments: questions, their sides, reasons, proposals and issues. */
function useOtherBoxes(map: Map_ | undefined, layoutVersion: number, version: number, turnsChanged: number): DrawnBox[] {
  const { debate, sheet, people } = useView();
  return useMemo(() => {
    const there = new Set([...sheet.disputes, ...sheet.proposals].map((it) => it.shortId));
    const holders = (stances: readonly { personaId: string; side: Side }[], side: string) => stances.filter((it) => it.side === side.toUpperCase()).map((it) => people.name(it.personaId)).join(", ") || "nobody";
    const boxes: DrawnBox[] = [];
    for (const box of map?.boxes ?? []) {
      const [owner, side] = box.boxId.split("_") as [string, string | undefined];
      const kind = KINDS[owner[0]!];
      if (!kind) continue;
      const isThere = kind === "question" || kind === "proposal" ? there.has(owner) : (box.turnId && debate.turns.get(box.turnId)?.version || 0) <= version;
      if (!isThere) continue;
      // The label belongs to the version of the layout; of another version it is not known here.
      const label = kind === "reason" && layoutVersion === version ? box.label : null;
      boxes.push({
        id: box.boxId, place: box, mark: label ? labelOf(label).mark : "", word: side ? SIDE[side.toUpperCase() as Side] ?? side : label ? labelOf(label).word : kind,
        text: side ? holders(sheet.disputes.find((it) => it.shortId === owner)?.stances ?? [], side) : box.text, author: box.speakerId ? people.name(box.speakerId) : "", note: "", isPicked: false,
        classes: `${box.speakerId ? markClass(people.place(box.speakerId)) : "nobody"} kind-${side ? "side" : kind} ${label ? `label-${label}` : ""}${side ? ` side-${side}` : ""}`,
      });
    }
    return boxes;
  }, [map, layoutVersion, version, sheet, people, turnsChanged]);
}


/** Lines of the map; those of attacks look as in the lanes. */
function useMapLines(map: Map_ | undefined, attacks: readonly DrawnLine[]): DrawnLine[] {
  return useMemo(() => {
    const byId = new Map(attacks.map((line) => [line.id, line]));
    return (map?.lines ?? []).flatMap((line, at): DrawnLine[] => {
      const attack = line.attackIds.map((id) => byId.get(id)).find((it) => it !== undefined);
      // An attack of a later version is not drawn yet.
      if (line.attackIds.length && !attack) return [];
      return [{ id: attack?.id ?? `line${at}`, source: line.sourceId, target: line.targetId, isMutual: line.mutual, classes: attack?.classes ?? `relation ${line.relation}`, path: line.path }];
    });
  }, [map, attacks]);
}
