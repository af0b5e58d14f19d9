// Text of the service with its references to turns and arguments as links: "says yes in t21".

import type { ComponentChildren } from "preact";
import { ArgumentLink, TurnLink } from "./links";

const REFERENCE = /\b([ta])(\d{1,5})\b/g;

export function Refs({ text }: { text: string }) {
  const parts: ComponentChildren[] = [];
  let at = 0;
  for (const found of text.matchAll(REFERENCE)) {
    parts.push(text.slice(at, found.index));
    parts.push(found[1] === "t" ? <TurnLink id={found[0]} /> : <ArgumentLink id={found[0]} />);
    at = found.index + found[0].length;
  }
  parts.push(text.slice(at));
  return <span dir="auto">{parts}</span>;
}

/** First letter upper case, and a full stop: the service states reasons as clauses. */
export const sentence = (text: string): string => {
  const trimmed = text.trim();
  if (!trimmed) return "";
  if (/^[a-z]\d/.test(trimmed)) return trimmed + (/[.!?”"]$/.test(trimmed) ? "" : "."); // the name of an argument
  return trimmed.charAt(0).toUpperCase() + trimmed.slice(1) + (/[.!?”"]$/.test(trimmed) ? "" : ".");
};
