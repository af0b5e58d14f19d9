// Fork of the debate from an event, with changed options of its engine.

import { useState } from "preact/hooks";
import { ask, toWireError, useData } from "../../../model/data";
import { FORK, FORK_FORM } from "../../../model/debate/fork-documents";
import { navigate } from "../../../model/router";
import { Button, CheckField, SelectField, TextField } from "../../../parts/controls";
import { Dialog } from "../../../parts/dialog";
import { Failed, Skeleton } from "../../../parts/states";
import type { WireError } from "../../../wire";
import type { DebateForkFormQuery } from "../../../wire/operations";
import { useView } from "../view";

type Value = unknown;

const shownAs = (value: Value): string => (typeof value === "string" ? value : value === null || value === undefined ? "" : JSON.stringify(value));

type Option = DebateForkFormQuery["engines"][number]["options"][number];

/** Reads a value of the type that the option has; an error as a sentence otherwise. */
function readValue(text: string, { type, minimum, maximum }: Option): { value: Value } | { error: string } {
  if (type === "BOOLEAN") return { value: text === "true" };
  if (text.trim() === "") return { value: null };
  if (type === "INTEGER" || type === "NUMBER") {
    const value = Number(text);
    if (!Number.isFinite(value) || (type === "INTEGER" && !Number.isInteger(value))) return { error: `“${text}” is no ${type === "INTEGER" ? "whole number" : "number"}.` };
    if (minimum !== null && value < minimum) return { error: `At least ${minimum}.` };
    if (maximum !== null && value > maximum) return { error: `At most ${maximum}.` };
    return { value };
  }
  if (type === "TEXT" || type === "CHOICE") return { value: text };
  try {
    return { value: JSON.parse(text) as Value };
  } catch {
    return { error: "This is not valid JSON." };
  }
}

export function ForkDialog({ at, close }: { at: number; close: () => void }) {
  const { debate, people } = useView();
  const { data, error, reload } = useData(FORK_FORM, { id: debate.fullId });
  const [from, setFrom] = useState(String(at));
  const [changed, setChanged] = useState<Record<string, string>>({});
  const [provider, setProvider] = useState("");
  const [seed, setSeed] = useState("");
  const [turns, setTurns] = useState("");
  const [left, setLeft] = useState<readonly string[]>([]);
  const [isBusy, setBusy] = useState(false);
  const [refused, refuse] = useState<WireError>();
  // A second press must not make a second fork.
  const [id] = useState(() => crypto.randomUUID());

  const options = data?.engines.find((it) => it.name === data.debate?.engine)?.options ?? [];
  const first = data?.debate?.events.nodes[0]?.content;
  const opened = first?.__typename === "DebateOpened" ? first : first?.__typename === "DebateForked" ? first.opened : null;
  const current = (opened?.options ?? {}) as Record<string, Value>;
  const valueOf = (name: string, fallback: Value): Value => (name in current ? current[name] : fallback);

  const values: Record<string, Value> = {};
  const errors: Record<string, string> = {};
  for (const option of options) {
    const text = changed[option.name];
    const now = valueOf(option.name, option.default);
    if (text === undefined || text === shownAs(now)) continue;
    const read = readValue(text, option);
    if ("error" in read) errors[option.name] = read.error;
    else values[option.name] = read.value;
  }
  const version = /^\d+$/.test(from) ? Number(from) : NaN;
  if (!(version >= 1 && version <= debate.head.get())) errors[" from"] = `The debate has events 1 to ${debate.head.get()}.`;
  // The service names the option that it refuses.
  const refusedAt = refused && options.find((option) => refused.message.includes(option.name))?.name;

  const submit = async (event: Event) => {
    event.preventDefault();
    if (Object.keys(errors).length || isBusy) return;
    setBusy(true);
    refuse(undefined);
    try {
      const { forkDebate } = await ask(FORK, {
        input: {
          debateId: debate.fullId, id, at: version, options: Object.keys(values).length ? values : null, provider: provider || null, seed: seed || null,
          limits: turns ? { turns: Number(turns) } : null, personaIds: left.length ? people.all.map((it) => it.personaId).filter((it) => !left.includes(it)) : null,
        },
      });
      close();
      navigate(`/debates/${forkDebate.debate.id}`);
    } catch (thrown) {
      refuse(toWireError(thrown));
      setBusy(false);
    }
  };
  return (
    <Dialog title="Fork this debate" close={close} broad>
      {error && <Failed error={error} retry={reload} what="The form" />}
      {!data && !error && <Skeleton lines={6} />}
      {data && (
        <form class="stack" onSubmit={(event) => void submit(event)}>
          <p class="soft">A new debate that shares the events up to the chosen one and goes on from there. This one stays as it is; nothing that is shared is asked of a model again.</p>
          <div class="two">
            <TextField label="Share the events up to" type="number" value={from} onInput={setFrom} error={errors[" from"]} attributes={{ min: 1, max: debate.head.get() }} />
            <SelectField label="Provider" value={provider} onChange={setProvider} options={[["", `as before (${data.debate?.provider ?? ""})`], ...data.providers.map((it) => [it.name, it.name] as const)]} />
            <TextField label="Seed" value={seed} onInput={setSeed} hint={`Now ${data.debate?.seed ?? ""}. Another seed makes other random choices.`} />
            <TextField label="Most turns" type="number" value={turns} onInput={setTurns} hint={opened?.limits.turns ? `Now ${opened.limits.turns}.` : "Now without a limit of its own."} attributes={{ min: 1 }} />
          </div>
          <fieldset class="stack">
            <legend class="label">Participants from here on</legend>
            <div class="row">{people.all.map((it) => <CheckField key={it.personaId} label={it.name} checked={!left.includes(it.personaId)} onChange={(isIn) => setLeft(isIn ? left.filter((other) => other !== it.personaId) : [...left, it.personaId])} />)}</div>
          </fieldset>
          <details class="more" open={refusedAt !== undefined || Object.keys(changed).length > 0}>
            <summary>Options of the engine {data.debate?.engine.replaceAll("_", " ")}</summary>
            <div class="two">
              {options.map((option) => {
                const now = valueOf(option.name, option.default);
                const text = changed[option.name] ?? shownAs(now);
                const set = (value: string) => setChanged({ ...changed, [option.name]: value });
                const label = option.name.replaceAll("_", " ");
                if (option.type === "CHOICE") return <SelectField key={option.name} label={label} hint={option.about.replaceAll("`", "")} value={text} onChange={set} options={[...(option.default === null ? [["", "none"] as const] : []), ...option.choices.map((it) => [it, it] as const)]} />;
                if (option.type === "BOOLEAN") return <CheckField key={option.name} label={label} hint={option.about.replaceAll("`", "")} checked={text === "true"} onChange={(it) => set(String(it))} />;
                return <TextField key={option.name} label={label} hint={option.about.replaceAll("`", "")} value={text} onInput={set} error={errors[option.name] ?? (refusedAt === option.name ? refused!.message : undefined)} attributes={option.type === "INTEGER" || option.type === "NUMBER" ? { inputmode: "decimal" } : {}} />;
              })}
            </div>
          </details>
          {refused && !refusedAt && <p class="wrong" role="alert">{refused.message}</p>}
          <div class="dialog-foot">
            <Button onClick={close}>Back</Button>
            <Button type="submit" kind="primary" disabled={isBusy || Object.keys(errors).length > 0}>Fork from event {from}</Button>
          </div>
        </form>
      )}
    </Dialog>
  );
}
