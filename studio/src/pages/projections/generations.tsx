import type { GenerationReason, GenerationState } from "../../wire/operations";
import { count, When } from "../../parts/format";
import { Approval } from "./approval";
import type { Generation, Projection } from "./projections-documents";

const STATE: Record<GenerationState, readonly [word: string, tone: string]> = {
  APPROVED: ["approved", "good"],
  BUILDING: ["being built", "open"],
  DROPPED: ["deleted", ""],
  HELD: ["waits for approval", "open"],
  REJECTED: ["rejected", "bad"],
  REQUESTED: ["requested", "open"],
  RETIRED: ["replaced", ""],
  SERVED: ["✓ served", "good"],
};
const REASON: Record<GenerationReason, string> = {
  FIRST: "there was none",
  REQUESTED: "a rebuild was requested",
  REVISION: "the service computes views differently now",
};

/** Generations, latest first: those that matter now, and older ones folded away. */
export function Generations({ projection, changed }: { projection: Projection; changed: () => void }) {
  const all = [...projection.generations].reverse();
  const isOver = (it: Generation) => it.state === "DROPPED" || it.state === "RETIRED" || it.state === "REJECTED";
  const past = all.filter(isOver);
  return (
    <div class="stack">
      {all
        .filter((it) => !isOver(it))
        .map((it) => (
          <OneGeneration key={it.id} generation={it} changed={changed} />
        ))}
      {past.length > 0 && (
        <details>
          <summary class="small">Earlier generations ({past.length})</summary>
          <div class="stack past">
            {past.map((it) => (
              <OneGeneration key={it.id} generation={it} changed={changed} />
            ))}
          </div>
        </details>
      )}
    </div>
  );
}

function OneGeneration({ generation: it, changed }: { generation: Generation; changed: () => void }) {
  const [word, tone] = STATE[it.state];
  const isBuilding = it.state === "BUILDING" || it.state === "REQUESTED" || it.state === "APPROVED";
  const share = it.eventsTotal ? it.eventsDone / it.eventsTotal : 0;
  return (
    <div class="generation">
      <p class="row">
        <b>Generation {it.number}</b>
        <span class={`tag ${tone}`}>{word}</span>
        <span class="small soft">
          {REASON[it.reason]}; revision {it.revision}; requested <When at={it.requestedAt} />
          {it.servedAt && (
            <>
              , served <When at={it.servedAt} />
            </>
          )}
        </span>
      </p>
      {isBuilding && (
        <p class="row small">
          <progress max={1} value={share} aria-label={`Progress of generation ${it.number}`} />
          <span class="number">
            {count(it.eventsDone)} of {count(it.eventsTotal)} events
            {it.eventsPerSecond ? `, ${count(Math.round(it.eventsPerSecond))} a second` : ""}
          </span>
        </p>
      )}
      {it.problem && <p class="message note small">{it.problem}</p>}
      {it.state === "HELD" && <Approval generation={it} changed={changed} />}
    </div>
  );
}
