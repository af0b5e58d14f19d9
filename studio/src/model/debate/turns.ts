// Turns of a debate, read backwards in pages and appended live, and what is known of their completeness.

import type { DebateTurnsQuery } from "../../wire/operations";

export type Turn = NonNullable<DebateTurnsQuery["debate"]>["turns"]["nodes"][number];

/** Range of versions all of whose turns are known, ends included. */
interface Known {
  from: number;
  to: number;
}

export class Turns {
  /** In the order of their versions. */
  readonly all: Turn[] = [];
  private readonly byId = new Map<string, Turn>();
  private known: Known[] = [];

  get(shortId: string): Turn | undefined {
    return this.byId.get(shortId);
  }

  /** Number of known turns up to a version. */
  countAt(version: number): number {
    let low = 0;
    let high = this.all.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.all[middle]!.version <= version) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Adds a turn that follows everything known up to `after`. */
  append(turn: Turn): void {
    this.insert(turn);
    this.cover(turn.version, turn.version);
  }

  /** Adds a page of the turns up to `at`; `isFirst` tells that no turn precedes the page. */
  addPage(turns: readonly Turn[], at: number, isFirst: boolean): void {
    for (const turn of turns) this.insert(turn);
    this.cover(isFirst ? 0 : (turns[0]?.version ?? at), at);
  }

  /** States that all turns up to this version are known if those before it are: an event that is no turn arrived. */
  cover(from: number, to: number): void {
    const merged: Known = { from, to };
    this.known = this.known.filter((it) => {
      const touches = it.from <= merged.to + 1 && it.to >= merged.from - 1;
      if (touches) {
        merged.from = Math.min(merged.from, it.from);
        merged.to = Math.max(merged.to, it.to);
      }
      return !touches;
    });
    this.known.push(merged);
    this.known.sort((a, b) => a.from - b.from);
  }

  /** First version of the complete range that ends at or after a version; null if the version is in none. */
  knownFrom(version: number): number | null {
    return this.known.find((it) => it.from <= version && version <= it.to)?.from ?? null;
  }

  /** Highest version at or below `version` that no page covers; null if all are covered. */
  gapBelow(version: number): number | null {
    const from = this.knownFrom(version);
    if (from === null) return version;
    return from <= 1 ? null : from - 1;
  }

  clear(): void {
    this.all.length = 0;
    this.byId.clear();
    this.known = [];
  }

  private insert(turn: Turn): void {
    if (this.byId.has(turn.shortId)) return;
    this.byId.set(turn.shortId, turn);
    const at = this.countAt(turn.version);
    if (at === this.all.length) this.all.push(turn);
    else this.all.splice(at, 0, turn);
  }
}
