// Words for what the service names by enums; the same as in the report and on the terminal.

import type {
  AttackComponent, AttackKind, CheckVerdict, ConcessionKind, CruxSide, DebateStatus, DisagreementKind, LabelValue, Move, OutcomeKind,
  PositionBasis, QuoteCheck, Recommendation, RegimeKind, RoomOutcome, Side, TableState,
} from "../../wire/operations";

export const LABEL: Record<LabelValue | "NONE", { mark: string; word: string }> = {
  IN: { mark: "✓", word: "accepted" },
  OUT: { mark: "✕", word: "rejected" },
  UNDEC: { mark: "?", word: "undecided" },
  NONE: { mark: "–", word: "does not count" },
};

export const labelOf = (label: LabelValue | null | undefined): { mark: string; word: string } => LABEL[label ?? "NONE"];

export const REGIME: Record<RegimeKind, { word: string; meaning: string }> = {
  CONSENSUS: { word: "Consensus", meaning: "the participants agree on what was examined" },
  PARTIAL: { word: "Partial agreement", meaning: "they agree on some points and not on others" },
  POLARIZED: { word: "Polarized", meaning: "they take opposite sides" },
  UNDETERMINED: { word: "Undetermined", meaning: "too little was examined to tell" },
};

export const STATUS: Record<DebateStatus, string> = { RUNNING: "running", PAUSED: "paused", CONCLUDED: "concluded", CANCELLED: "cancelled" };

export const OUTCOME: Record<OutcomeKind, string> = {
  CANCELLED: "cancelled", EXHAUSTED: "nothing new was said", FAILED: "failed", LIMIT: "a limit was reached", SETTLED: "settled", STALLED: "stalled",
};

export const SIDE: Record<Side, string> = { YES: "yes", NO: "no", NUANCED: "it depends", UNDECIDED: "undecided" };

export const CRUX_SIDE: Record<CruxSide, string> = {
  ...SIDE,
  RESTS_ON: "rests on it",
  ATTACKS: "attacks it",
  UNDERCUTS: "denies that it follows",
  CONFLICTS_WITH: "conflicts with it",
  PROPOSES_CRUX: "proposed it as the crux",
  AGREES_ON_CRUX: "agrees that it is the crux",
};

/** Tone of a side, for its colour; the word stands beside it. */
export const tone = (side: CruxSide): "good" | "bad" | "open" | "plain" => {
  switch (side) {
    case "YES": case "RESTS_ON": return "good";
    case "NO": case "ATTACKS": case "UNDERCUTS": case "CONFLICTS_WITH": return "bad";
    case "NUANCED": case "UNDECIDED": return "open";
    default: return "plain";
  }
};

export const MOVE: Record<Move, string> = {
  CHALLENGE: "challenges", CLAIM: "claims", CLARIFY: "clarifies", CONCEDE: "concedes", PROPOSE: "proposes", PROPOSE_CRUX: "proposes a crux", REFRAME: "reframes",
};

export const ATTACK: Record<AttackKind, string> = { REBUT: "rebuts", UNDERCUT: "undercuts", UNDERMINE: "undermines" };

/** Attacked part, counted from one: `assumption 1`. An undercut of a claim denies that it follows. */
export function attackedPart(kind: AttackKind, component: AttackComponent, index: number | null): string {
  if (component === "CLAIM") return kind === "UNDERCUT" ? "the inference" : "the claim";
  return `${component === "PREMISE" ? "premise" : "assumption"} ${(index ?? 0) + 1}`;
}

export const BASIS: Record<PositionBasis, string | null> = {
  SAID: null,
  UNQUOTED: "not in the words of the turn",
  WRITTEN: "written in the argument, not said in the turn",
  ASSUMED: "taken for granted by the argument, not said",
};

export const KIND: Record<DisagreementKind, string> = {
  CLAIM: "about a claim", DEFINITION: "about a definition", EVIDENCE: "about evidence", HORIZON: "about the time frame",
  INFERENCE: "about an inference", PREMISE: "about a premise", VALUES: "about values",
};

export const CONCESSION: Record<ConcessionKind, string> = { FULL: "concedes fully", PARTIAL: "concedes partly", SCOPE: "narrows", STANCE: "changes side" };

export const QUOTE: Record<QuoteCheck, { word: string; meaning: string }> = {
  VERBATIM: { word: "verbatim", meaning: "these words are in the passage, exactly" },
  ABRIDGED: { word: "abridged", meaning: "these words are in the passage, with omissions" },
  UNVERIFIED: { word: "not in the passage", meaning: "the passage does not contain these words" },
};

export const CHECK: Record<CheckVerdict, { mark: string; word: string }> = {
  TRUE: { mark: "✓", word: "true" }, FALSE: { mark: "✕", word: "false" }, UNVERIFIABLE: { mark: "?", word: "cannot be verified" },
};

export const RECOMMENDATION: Record<Recommendation, string> = {
  ACCEPT: "says accept", NO_OBJECTION: "has no objection", REVISE: "raises issues", REJECT: "says reject",
};

export const ROOM_OUTCOME: Record<RoomOutcome, string> = {
  ABANDONED: "closed early", EXHAUSTED: "it used up its turns, or nothing new came", FAILED: "failed", RESOLVED: "they came to the same side", SURFACED: "they stated what divides them",
};

export const TABLE: Record<TableState, string> = { CONVERGED: "converged", DIVERGED: "still divided", OPEN: "open", SILENT: "nobody had anything new to say" };

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Title of a part of the transcript: `Attacks, round 1`. */
export function phaseTitle(phase: string | null, round: number | null): string {
  const name = capital((phase ?? "debate").replaceAll("_", " "));
  const isAfterRounds = phase === "closing" || phase === "answers";
  return round && round > 0 && !isAfterRounds ? `${name}, round ${round}` : name;
}

const EVENT: Record<string, string> = {
  effect_requested: "a model is asked", effect_answered: "a model answered", effect_failed: "a call failed", effect_abandoned: "a call was given up",
  turn_taken: "a turn", turn_skipped: "a skipped turn", turns_crystallized: "the clerk read turns", claims_compared: "the clerk compared claims",
  argument_advanced: "an argument", attack_raised: "an attack", attack_judged: "an attack was judged", stance_taken: "a stance", dispute_raised: "a dispute",
  reason_given: "a reason", concession_made: "a concession", phase_entered: "a phase", words_audited: "the audit", debate_opened: "opened", debate_concluded: "concluded",
  interjected: "an interjection", hint_given: "a hint", floor_given: "the floor", progress_measured: "progress", crux_proposed: "a proposed crux", crux_acknowledged: "agreement on a crux",
};

/** Kind of an event in words: `argument_revised` as `argument revised`. */
export const eventWords = (kind: string): string => {
  const words = EVENT[kind] ?? kind.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
};

export const count = (n: number, one: string, many = one + "s"): string => `${n.toLocaleString("en")} ${n === 1 ? one : many}`;

export const percent = (share: number): string => `${Math.round(share * 100)} %`;

/** Amount in millionths of a US dollar; four decimals below ten cents. */
export function money(micros: number): string {
  const dollars = micros / 1e6;
  return "$" + dollars.toFixed(micros > 0 && dollars < 0.1 ? 4 : 2);
}

/** Cost of calls, with what is unknown of it. */
export function cost(usage: { costMicros: number | string; unpricedCount: number }): string {
  const micros = Number(usage.costMicros);
  if (!usage.unpricedCount) return money(micros);
  return micros ? `${money(micros)} and ${count(usage.unpricedCount, "call")} of unknown price` : "price unknown";
}
