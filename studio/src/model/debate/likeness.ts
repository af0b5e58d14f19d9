// Likeness of turns to earlier ones: the cosine of their character trigrams, as in docs/measures.md.

/** Most turns that are compared; the first ones are. */
export const MAX_TURNS = 400;
/** Most characters of a turn that are compared. */
const MAX_CHARS = 2_000;

export interface Likeness {
  shortId: string;
  /** Greatest likeness to an earlier turn of anybody. */
  toAny: number;
  /** Greatest likeness to an earlier turn of the same speaker; null in their first turn. */
  toOwn: number | null;
}

/** Compares each turn of a participant with all earlier ones. The first turn has none, and is left out. */
export function likeness(turns: readonly { shortId: string; speakerId: string | null; text: string }[]): Likeness[] {
  const said = turns.filter((it) => it.speakerId).slice(0, MAX_TURNS);
  // By trigram: the earlier turns that contain it, each followed by its weight there.
  const known = new Map<string, number[]>();
  return said
    .map(({ shortId, speakerId, text }, at) => {
      const found = new Float64Array(at);
      for (const [trigram, weight] of vector(text)) {
        const earlier = known.get(trigram) ?? [];
        for (let i = 0; i < earlier.length; i += 2) found[earlier[i]!]! += weight * earlier[i + 1]!;
        earlier.push(at, weight);
        known.set(trigram, earlier);
      }
      const own = found.filter((_, other) => said[other]!.speakerId === speakerId);
      return { shortId, toAny: Math.max(0, ...found), toOwn: own.length ? Math.max(...own) : null };
    })
    .slice(1);
}

function vector(text: string): Map<string, number> {
  const letters = ` ${[...text].slice(0, MAX_CHARS).join("").toLowerCase()} `.replace(/[^\p{Alphabetic}\p{N}]+/gu, " ");
  const all = [...letters];
  const counts = new Map<string, number>();
  for (let at = 2; at < all.length; at++) {
    const trigram = all[at - 2]! + all[at - 1]! + all[at]!;
    counts.set(trigram, (counts.get(trigram) ?? 0) + 1);
  }
  const length = Math.hypot(...counts.values());
  for (const [trigram, n] of counts) counts.set(trigram, n / length);
  return counts;
}
