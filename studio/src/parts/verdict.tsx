/** Marks of the overall state and the status of a debate: a word and a sign, never colour alone. */
import type { CruxSide, DebateStatus, RegimeKind } from "../wire/operations";
import { CRUX_SIDE, REGIME, STATUS, tone } from "../model/debate/words";

const REGIME_LOOK: Record<RegimeKind, readonly [sign: string, tone: string]> = {
  CONSENSUS: ["✓", "good"],
  PARTIAL: ["◐", "open"],
  POLARIZED: ["⇄", "bad"],
  UNDETERMINED: ["…", ""],
};

export function RegimeTag({ kind }: { kind: RegimeKind }) {
  const [sign, colour] = REGIME_LOOK[kind];
  return (
    <span class={`tag ${colour}`} title={REGIME[kind].meaning}>
      <span aria-hidden="true">{sign}</span> {REGIME[kind].word}
    </span>
  );
}

export function StatusTag({ status }: { status: DebateStatus }) {
  return (
    <span class={`tag ${status === "RUNNING" ? "good live" : status === "PAUSED" ? "open" : ""}`}>
      {STATUS[status]}
    </span>
  );
}

export function SideTag({ side }: { side: CruxSide }) {
  return <span class={`tag ${tone(side)}`}>{CRUX_SIDE[side]}</span>;
}
