// Labels of arguments at a version, from the list of changes that the service sends. Nothing is computed here.

import type { DebateTimelineQuery, LabelValue, RegimeKind } from "../../wire/operations";

export type Entry = NonNullable<DebateTimelineQuery["debate"]>["timeline"][number];
export type Labels = ReadonlyMap<string, LabelValue>;

export class Timeline {
  constructor(
    /** Version up to which the list is complete. */
    readonly version = 0,
    readonly entries: readonly Entry[] = [],
  ) {}

  private last: { version: number; index: number; labels: Map<string, LabelValue> } | null = null;

  /** Labels at a version, or null if the list does not reach it. Arguments that do not count have none. */
  labelsAt(version: number): Labels | null {
    if (version > this.version) return null;
    let from = this.last && this.last.version <= version ? this.last : { index: 0, labels: new Map<string, LabelValue>() };
    const labels = new Map(from.labels);
    let index = from.index;
    for (; index < this.entries.length && this.entries[index]!.version <= version; index++) {
      for (const change of this.entries[index]!.labelChanges) {
        if (change.to) labels.set(change.argumentId, change.to);
        else labels.delete(change.argumentId);
      }
    }
    this.last = { version, index, labels };
    return labels;
  }

  /** The last entry at or before a version. */
  entryAt(version: number): Entry | null {
    let low = 0;
    let high = this.entries.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.entries[middle]!.version <= version) low = middle + 1;
      else high = middle;
    }
    return this.entries[low - 1] ?? null;
  }

  regimeAt(version: number): RegimeKind | null {
    return version > this.version ? null : (this.entryAt(version)?.regime ?? null);
  }

  /** The entry of exactly this version: what changed with its event. */
  changesAt(version: number): Entry | null {
    const entry = this.entryAt(version);
    return entry?.version === version ? entry : null;
  }

  /** Version of the next change after a version, or of the last before it; null if there is none. */
  neighbour(version: number, step: 1 | -1): number | null {
    if (step > 0) return this.entries.find((it) => it.version > version)?.version ?? null;
    return this.entryAt(version - 1)?.version ?? null;
  }
}
