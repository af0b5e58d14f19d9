import type { Engine } from "./start-documents";
import { capital } from "../../parts/format";
import { useId } from "../../parts/controls";

/** Engines as a list to choose from, with what each does. */
export function EngineChoice({
  engines,
  value,
  error,
  change,
}: {
  engines: readonly Engine[];
  value: string;
  error: string | undefined;
  change: (name: string) => void;
}) {
  const id = useId();
  return (
    <fieldset class="engines" aria-invalid={error ? true : undefined} aria-describedby={error ? id : undefined}>
      <legend class="visually-hidden">Engine</legend>
      {error && (
        <p class="wrong" id={id}>
          {error}
        </p>
      )}
      {engines.map((engine) => (
        <label key={engine.name} class={`choice${engine.name === value ? " chosen" : ""}`}>
          <input
            type="radio"
            name="engine"
            value={engine.name}
            checked={engine.name === value}
            onChange={() => change(engine.name)}
          />
          <span>
            <b>{engine.name}</b>{" "}
            <small class="soft nowrap">
              {engine.minParticipants} to {engine.maxParticipants} participants
            </small>
            <small class="soft own-line">{capital(engine.about)}</small>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
