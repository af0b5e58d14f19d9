// Where a turn quotes its sources: pieces of its text, each with the citation that it quotes.

import type { QuoteCheck } from "../../wire/operations";
import type { Turn } from "./turns";

export interface Quoted {
  text: string;
  /** Index of the citation, from 0; null for the speaker's own words. */
  citation: number | null;
  check: QuoteCheck | null;
}

/** Worst first: a passage whose quotes are not all verbatim reads so. */
const RANK: readonly QuoteCheck[] = ["UNVERIFIED", "ABRIDGED", "VERBATIM"];

export function quotedPieces(turn: Pick<Turn, "text" | "citations">): Quoted[] {
  const found: { start: number; end: number; citation: number; check: QuoteCheck }[] = [];
  turn.citations.forEach((citation, at) => {
    for (const quote of citation.quotes) {
      const start = quote.text ? turn.text.indexOf(quote.text) : -1;
      if (start >= 0) found.push({ start, end: start + quote.text.length, citation: at, check: quote.check });
    }
  });
  found.sort((a, b) => a.start - b.start || b.end - a.end);
  const pieces: Quoted[] = [];
  let at = 0;
  for (const { start, end, citation, check } of found) {
    if (start < at) continue; // within the quotation before it
    if (start > at) pieces.push({ text: turn.text.slice(at, start), citation: null, check: null });
    pieces.push({ text: turn.text.slice(start, end), citation, check });
    at = end;
  }
  if (at < turn.text.length) pieces.push({ text: turn.text.slice(at), citation: null, check: null });
  return pieces;
}

export function worstCheck(citation: Turn["citations"][number]): QuoteCheck | null {
  return RANK.find((check) => citation.quotes.some((quote) => quote.check === check)) ?? null;
}
