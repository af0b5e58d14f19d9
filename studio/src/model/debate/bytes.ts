// Byte ranges of a UTF-8 text, as the service counts them, in the UTF-16 units that JavaScript counts.

export interface ByteRange {
  start: number;
  end: number;
}

/** Piece of a text, inside or outside of the given ranges. */
export interface Piece {
  text: string;
  marked: boolean;
}

/** Bytes that one code point takes in UTF-8. */
const bytesOf = (point: number): number => (point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4);

/**
 * UTF-16 offset of each byte offset; offsets must be in ascending order. An offset inside a character is moved to the
 * beginning of that character, and an offset beyond the end to the end.
 */
export function utf16Offsets(text: string, offsets: number[]): number[] {
  const found: number[] = [];
  let bytes = 0;
  let units = 0;
  for (const offset of offsets) {
    while (units < text.length) {
      const point = text.codePointAt(units)!;
      const size = bytesOf(point);
      if (bytes + size > offset) break;
      bytes += size;
      units += point > 0xffff ? 2 : 1;
    }
    found.push(units);
  }
  return found;
}

/** Cuts a text at byte ranges. Overlapping ranges are one piece; empty ranges are dropped. */
export function cut(text: string, ranges: readonly ByteRange[]): Piece[] {
  const merged: ByteRange[] = [];
  for (const range of [...ranges].filter((it) => it.end > it.start).sort((a, b) => a.start - b.start)) {
    const last = merged[merged.length - 1];
    if (last && range.start <= last.end) last.end = Math.max(last.end, range.end);
    else merged.push({ start: range.start, end: range.end });
  }
  const offsets = utf16Offsets(text, merged.flatMap((it) => [it.start, it.end]));
  const pieces: Piece[] = [];
  let at = 0;
  for (let i = 0; i < offsets.length; i += 2) {
    const [start, end] = [offsets[i]!, offsets[i + 1]!];
    if (start > at) pieces.push({ text: text.slice(at, start), marked: false });
    if (end > start) pieces.push({ text: text.slice(start, end), marked: true });
    at = end;
  }
  if (at < text.length) pieces.push({ text: text.slice(at), marked: false });
  return pieces;
}
