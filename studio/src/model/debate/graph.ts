// Arguments and attacks of a debate: what was recorded, and when. Labels are not kept here; they belong to a version.

import type { AttackComponent, AttackKind, DebateGraphQuery, DebateTimelineQuery } from "../../wire/operations";

type Read = NonNullable<DebateGraphQuery["debate"]>;
type ReadArgument = Read["arguments"][number];
type ReadAttack = Read["attacks"][number];
type Versions = NonNullable<DebateTimelineQuery["debate"]>;

export interface Argument extends ReadArgument {
  /** Version at which it was recorded; 0 until the service has sent it. */
  version: number;
}

export interface Attack extends ReadAttack {
  version: number;
  judgedVersion: number | null;
}

export class Graph {
  /** In the order in which they were recorded. */
  arguments: Argument[] = [];
  attacks: Attack[] = [];
  /** Version at which the texts were read. */
  version = 0;
  private byId = new Map<string, Argument>();
  private versions = new Map<string, number>();
  private judged = new Map<string, number | null>();

  get(id: string): Argument | undefined {
    return this.byId.get(id);
  }

  /** Replaces the texts. What events added after this version stays. */
  read(it: Read): void {
    const newer = <Item extends { shortId: string; version: number }>(items: Item[], known: { shortId: string }[]): Item[] => {
      const ids = new Set(known.map((item) => item.shortId));
      return items.filter((item) => !ids.has(item.shortId) && item.version > it.version);
    };
    const lateArguments = newer(this.arguments, it.arguments);
    const lateAttacks = newer(this.attacks, it.attacks);
    this.arguments = it.arguments.map((argument) => ({ ...argument, version: this.versions.get(argument.shortId) ?? 0 }));
    this.arguments.push(...lateArguments);
    this.attacks = it.attacks.map((attack) => ({
      ...attack,
      version: this.versions.get(attack.shortId) ?? 0,
      judgedVersion: this.judged.get(attack.shortId) ?? null,
    }));
    this.attacks.push(...lateAttacks);
    this.byId = new Map(this.arguments.map((argument) => [argument.shortId, argument]));
    this.version = it.version;
  }

  /** Sets the versions at which arguments and attacks were recorded and judged. */
  readVersions(it: Versions): void {
    for (const { shortId, version } of it.arguments) this.versions.set(shortId, version);
    for (const { shortId, version, judgement } of it.attacks) {
      this.versions.set(shortId, version);
      this.judged.set(shortId, judgement?.version ?? null);
    }
    for (const argument of this.arguments) argument.version = this.versions.get(argument.shortId) ?? argument.version;
    for (const attack of this.attacks) {
      attack.version = this.versions.get(attack.shortId) ?? attack.version;
      attack.judgedVersion = this.judged.get(attack.shortId) ?? attack.judgedVersion;
    }
  }

  advance(content: {
    argument: string; speaker: string; turn: string; claim: string; premises: string[]; assumptions: string[];
    evidence: { text: string }[]; answersTopic: boolean; distilled: boolean; carries: string | null;
  }, version: number): void {
    this.versions.set(content.argument, version);
    if (this.byId.has(content.argument)) return;
    const argument: Argument = {
      shortId: content.argument, speakerId: content.speaker, turnId: content.turn, claim: content.claim, premises: content.premises,
      assumptions: content.assumptions, evidence: content.evidence, answersTopic: content.answersTopic, distilled: content.distilled,
      attackId: content.carries, revisions: [], withdrawal: null, version,
    };
    this.arguments.push(argument);
    this.byId.set(argument.shortId, argument);
  }

  raise(content: {
    attack: string; speaker: string; turn: string; source: string; target: string; attackKind: AttackKind;
    component: { part: AttackComponent; index: number | null }; rationale: string;
  }, version: number): void {
    this.versions.set(content.attack, version);
    if (this.attacks.some((attack) => attack.shortId === content.attack)) return;
    this.attacks.push({
      shortId: content.attack, sourceId: content.source, targetId: content.target, speakerId: content.speaker, turnId: content.turn,
      kind: content.attackKind, component: content.component.part, componentIndex: content.component.index,
      mutual: content.attackKind === "REBUT", rationale: content.rationale, judgement: null, withdrawal: null, version, judgedVersion: null,
    });
  }

  clear(): void {
    this.arguments = [];
    this.attacks = [];
    this.byId.clear();
    this.versions.clear();
    this.judged.clear();
    this.version = 0;
  }
}

/** Claim of an argument at a version: its author may have narrowed it later. */
export function claimAt(argument: Argument, version: number): string {
  const later = argument.revisions.find((revision) => revision.version > version && revision.previousClaim !== null);
  return later?.previousClaim ?? argument.claim;
}
