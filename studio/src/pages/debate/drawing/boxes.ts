// Arguments and attacks as boxes and lines: labels, what is picked, what a hypothesis or the shown event changes.

import { useMemo } from "preact/hooks";
import { useData } from "../../../model/data";
import { WHAT_IF } from "../../../model/debate/documents";
import { around, neighbours, type Picture } from "../../../model/debate/picture";
import { labelOf } from "../../../model/debate/words";
import type { DrawnBox, DrawnLine } from "../../../parts/graph/drawing";
import type { Place } from "../../../parts/graph/geometry";
import { markClass } from "../../../parts/mark";
import { useDebateAddress } from "../state";
import { useView } from "../view";

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

/** Boxes of the arguments that have a place. */
export function useBoxes(now: Picture, places: ReadonlyMap<string, Place>): DrawnBox[] {
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

/** Lines of the attacks. */
export function useLines(now: Picture): DrawnLine[] {
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
      lines.push({ id, source, target, isMutual: mutual && state === "valid", classes: [kind, state === "valid" ? "" : "idle", lit, isDim ? "dim" : ""].filter(Boolean).join(" ") });
    }
    return lines;
  }, [now, picked, kept, without.join()]);
}
