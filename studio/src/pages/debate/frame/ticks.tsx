// Marks below the slider: where phases begin, and where labels, cruxes or the overall state changed.

import { useMemo } from "preact/hooks";
import { phaseTitle } from "../../../model/debate/words";
import { useStore } from "../../../model/store";
import { useShown, useView } from "../view";

/** Marks nearer than this share of the track are one mark. */
const STEP = 1 / 900;

export function Ticks() {
  const { debate, sheet } = useView();
  const { head } = useShown(debate);
  const timeline = useStore(debate.timeline);
  const span = Math.max(1, head - 1);
  const flips = useMemo(() => {
    let path = "";
    let last = -1;
    for (const entry of timeline.entries) {
      if (!entry.labelChanges.length && !entry.cruxesGained.length && !entry.cruxesLost.length) continue;
      const x = (entry.version - 1) / span;
      if (x - last < STEP) continue;
      last = x;
      path += `M${(x * 1000).toFixed(1)},0v6`;
    }
    return path;
  }, [timeline, span]);
  const phases = sheet.phases;
  return (
    <div class="ticks" aria-hidden="true">
      <svg viewBox="0 0 1000 6" preserveAspectRatio="none"><path d={flips} /></svg>
      {phases.map((phase, at) => {
        const left = ((phase.fromVersion - 1) / span) * 100;
        const next = phases[at + 1] ? ((phases[at + 1]!.fromVersion - 1) / span) * 100 : 100;
        // A name that has no room is in the title only.
        const name = phaseTitle(phase.name, phase.round);
        return <span key={phase.fromVersion} class="phase" style={{ left: `${left}%`, width: `${Math.max(0, next - left)}%` }} title={name}>{next - left > 6 ? name : ""}</span>;
      })}
    </div>
  );
}
