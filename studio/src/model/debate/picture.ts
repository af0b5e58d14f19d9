// Arguments and attacks as they are at a version: which there are, how they are labelled, what just changed.

import type { LabelValue } from "../../wire/operations";
import type { Debate } from "./debate";
import { claimAt, type Argument, type Attack } from "./graph";

export type AttackState = "valid" | "unjudged" | "refused" | "withdrawn";

export interface PictureNode {
  argument: Argument;
  claim: string;
  label: LabelValue | null;
  isWithdrawn: boolean;
  /** Label before the shown version; undefined if that version changed nothing here. */
  was: LabelValue | null | undefined;
}

export interface PictureEdge {
  attack: Attack;
  state: AttackState;
}

export interface Picture {
  version: number;
  nodes: PictureNode[];
  edges: PictureEdge[];
  byId: Map<string, PictureNode>;
}

/** Version of the event, or that of its turn until the service has sent it. */
const since = (debate: Debate, it: { version: number; turnId: string | null }): number =>
  it.version || (it.turnId !== null && debate.turns.get(it.turnId)?.version) || Infinity;

export function picture(debate: Debate): Picture {
  const version = debate.shown;
  const sheet = debate.sheet.get();
  const exact = sheet?.version === version ? sheet : null;
  const { labels } = debate.labels();
  const changes = new Map(debate.timeline.get().changesAt(version)?.labelChanges.map((it) => [it.argumentId, it.from]) ?? []);
  const known = exact && new Set(exact.arguments.map((it) => it.shortId));
  const nodes = debate.graph.arguments
    .filter((it) => (known ? known.has(it.shortId) : since(debate, it) <= version))
    .map((argument) => ({
      argument,
      claim: claimAt(argument, version),
      label: labels.get(argument.shortId) ?? null,
      isWithdrawn: argument.withdrawal !== null && (debate.turns.get(argument.withdrawal.turnId)?.version ?? 0) <= version,
      was: changes.get(argument.shortId),
    }));
  const states = exact && new Map(exact.attacks.map((it) => [it.shortId, it]));
  const edges: PictureEdge[] = [];
  for (const attack of debate.graph.attacks) {
    const state = states ? exactState(states.get(attack.shortId)) : derivedState(debate, attack, version);
    if (state) edges.push({ attack, state });
  }
  return { version, nodes, edges, byId: new Map(nodes.map((node) => [node.argument.shortId, node])) };
}

function exactState(it: { judgement: { valid: boolean } | null; withdrawal: unknown } | undefined): AttackState | null {
  if (!it) return null;
  if (it.withdrawal) return "withdrawn";
  return it.judgement ? (it.judgement.valid ? "valid" : "refused") : "unjudged";
}

/** State while the verdict of the version is on its way. */
function derivedState(debate: Debate, attack: Attack, version: number): AttackState | null {
  if (since(debate, attack) > version) return null;
  if (attack.withdrawal && (debate.turns.get(attack.withdrawal.turnId)?.version ?? Infinity) <= version) return "withdrawn";
  const isJudged = attack.judgement && (attack.judgedVersion ?? attack.version) <= version;
  return isJudged ? (attack.judgement!.valid ? "valid" : "refused") : "unjudged";
}

/** Arguments that attack the given one, and those that it attacks, by valid attacks. */
export function neighbours(picture: Picture, id: string): { attackers: Set<string>; victims: Set<string> } {
  const attackers = new Set<string>();
  const victims = new Set<string>();
  for (const { attack, state } of picture.edges) {
    if (state !== "valid") continue;
    if (attack.targetId === id) attackers.add(attack.sourceId);
    if (attack.sourceId === id) victims.add(attack.targetId);
    if (attack.mutual && attack.sourceId === id) attackers.add(attack.targetId);
    if (attack.mutual && attack.targetId === id) victims.add(attack.sourceId);
  }
  return { attackers, victims };
}

/** The arguments of a crux with everything that attacks them or is attacked by them. */
export function around(picture: Picture, ids: Iterable<string>): Set<string> {
  const found = new Set(ids);
  const core = new Set(found);
  for (const { attack, state } of picture.edges) {
    if (state !== "valid") continue;
    if (core.has(attack.targetId)) found.add(attack.sourceId);
    if (core.has(attack.sourceId)) found.add(attack.targetId);
  }
  return found;
}
