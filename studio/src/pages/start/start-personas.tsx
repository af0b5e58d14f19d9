import { useRef, useState } from "preact/hooks";
import { Button, TextField } from "../../parts/controls";
import { Mark, markClass } from "../../parts/mark";
import type { Choices, Engine, PersonaChoice } from "./start-documents";
import type { Draft } from "./start-form";

/** Sides without a character, which the service accepts in place of personas. */
const SIDES: readonly PersonaChoice[] = [
  { id: "pro", name: "Pro", about: "A side without a character, for the motion", topics: [] },
  { id: "con", name: "Con", about: "A side without a character, against the motion", topics: [] },
];

interface Properties {
  draft: Draft;
  choices: Choices;
  engine: Engine | undefined;
  error: string | undefined;
  change: (personas: readonly string[]) => void;
}

/** Participants in speaking order, and personas to add. */
export function Personas({ draft, choices, engine, error, change }: Properties) {
  const [search, setSearch] = useState("");
  const list = useRef<HTMLOListElement>(null);
  const chosen = draft.personas;
  const hasModel = choices.providers.some((it) => it.name !== "offline");
  const everyone: readonly PersonaChoice[] = hasModel ? [...choices.personas, ...SIDES] : choices.personas;
  const byId = new Map(everyone.map((it) => [it.id, it]));
  const wanted = search.trim().toLowerCase();
  const others = everyone.filter(
    (it) => !chosen.includes(it.id) && `${it.name} ${it.about}`.toLowerCase().includes(wanted),
  );
  const topic = draft.topic.trim();
  const authors = others.filter((it) => it.topics.includes(topic));
  const rest = others.filter((it) => !it.topics.includes(topic));
  const max = engine?.maxParticipants ?? 12;

  const move = (from: number, to: number) => {
    const next = [...chosen];
    next.splice(to, 0, ...next.splice(from, 1));
    change(next);
    // The button stays under the finger of the keyboard: focus moves with the persona.
    const name = to < from ? "up" : "down";
    setTimeout(
      () =>
        list.current?.children[to]
          ?.querySelector<HTMLElement>(`[data-move=${name}]:not(:disabled), [data-move]:not(:disabled)`)
          ?.focus(),
      0,
    );
  };
  const remove = (id: string, at: number) => {
    change(chosen.filter((it) => it !== id));
    setTimeout(
      () =>
        (list.current?.children[Math.min(at, chosen.length - 2)] as HTMLElement | undefined)
          ?.querySelector<HTMLElement>("[data-remove]")
          ?.focus(),
      0,
    );
  };
  const option = (persona: PersonaChoice) => (
    <li key={persona.id}>
      <button
        type="button"
        class="choice"
        disabled={chosen.length >= max}
        onClick={() => change([...chosen, persona.id])}
      >
        <span class="add">
          <span aria-hidden="true">+</span>
          <span class="visually-hidden">Add </span>
        </span>
        <span>
          <b>{persona.name}</b>
          <small class="soft own-line">{persona.about}</small>
        </span>
      </button>
    </li>
  );

  return (
    <div class="cast">
      <div
        class="field"
        role="group"
        aria-label="Participants in speaking order"
        aria-invalid={error ? true : undefined}
      >
        <p class="label">
          In speaking order{" "}
          <span class="soft">
            ({chosen.length} chosen; {engine?.name ?? "the engine"} takes {engine?.minParticipants ?? 2} to {max})
          </span>
        </p>
        {error && (
          <p class="wrong" tabIndex={-1}>
            {error}
          </p>
        )}
        {chosen.length === 0 && <p class="message small">Nobody yet. Choose from the list.</p>}
        <ol class="chosen" ref={list}>
          {chosen.map((id, at) => {
            const persona = byId.get(id);
            return (
              <li key={id} class={markClass(at)}>
                <Mark place={at} />
                <span class="chosen-name">
                  <b>{persona?.name ?? id}</b>
                  <small class="soft own-line">{persona?.about ?? "This service has no such persona."}</small>
                </span>
                <span class="chosen-buttons">
                  <button
                    type="button"
                    class="button icon"
                    data-move="up"
                    disabled={at === 0}
                    aria-label={`Move ${persona?.name ?? id} up`}
                    onClick={() => move(at, at - 1)}
                  >
                    ↑
                  </button>
                  <button
                    type="button"
                    class="button icon"
                    data-move="down"
                    disabled={at === chosen.length - 1}
                    aria-label={`Move ${persona?.name ?? id} down`}
                    onClick={() => move(at, at + 1)}
                  >
                    ↓
                  </button>
                  <button
                    type="button"
                    class="button icon"
                    data-remove
                    aria-label={`Remove ${persona?.name ?? id}`}
                    onClick={() => remove(id, at)}
                  >
                    ✕
                  </button>
                </span>
              </li>
            );
          })}
        </ol>
        {chosen.length > 1 && (
          <Button kind="plain" onClick={() => change([...chosen].reverse())}>
            Reverse the order
          </Button>
        )}
      </div>
      <div class="field">
        <TextField
          label="Add personas"
          type="search"
          value={search}
          onInput={setSearch}
          attributes={{ placeholder: "Name or description" }}
        />
        <div class="offers" tabIndex={0} role="group" aria-label="Personas to add">
          {authors.length > 0 && (
            <>
              <p class="overline">wrote about this topic</p>
              <ul>{authors.map(option)}</ul>
            </>
          )}
          {rest.length > 0 && (
            <>
              {authors.length > 0 && <p class="overline">others</p>}
              <ul>{rest.map(option)}</ul>
            </>
          )}
          {others.length === 0 && (
            <p class="small soft">{wanted ? "No other persona matches." : "Everybody takes part."}</p>
          )}
        </div>
      </div>
    </div>
  );
}
