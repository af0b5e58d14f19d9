/** Form that starts a debate. What is entered is in the address, so a draft can be shared and Back keeps it. */
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { ask, toWireError, useData } from "../../model/data";
import { address, navigate, useTitle } from "../../model/router";
import { tokenWanted } from "../../model/session";
import type { WireError } from "../../wire";
import { AreaField, Button } from "../../parts/controls";
import { capital } from "../../parts/format";
import { explain, Failed, Skeleton } from "../../parts/states";
import { CHOICES, START, type Choices, type Option } from "./start-documents";
import {
  check,
  draftFrom,
  fieldOf,
  inputOf,
  queryOf,
  randomId,
  unreadable,
  type Draft,
  type Errors,
} from "./start-form";
import { EngineChoice } from "./start-engine";
import { Personas } from "./start-personas";
import { Settings } from "./start-settings";

export function StartPage() {
  useTitle("Start a debate");
  const choices = useData(CHOICES, {});
  return (
    <>
      <div class="page-head">
        <div>
          <h1>Start a debate</h1>
          <p>
            Choose a question and who debates it. The debate runs by itself; you can follow it, pause it and add to it.
          </p>
        </div>
      </div>
      {choices.data ? (
        <StartForm choices={choices.data} />
      ) : choices.error ? (
        <Failed error={choices.error} retry={choices.reload} what="The form" />
      ) : (
        <div class="card">
          <Skeleton lines={14} />
        </div>
      )}
    </>
  );
}

const NONE: readonly Option[] = [];

function StartForm({ choices }: { choices: Choices }) {
  const [draft, setDraft] = useState<Draft>(() => draftFrom(address.get().query));
  const [errors, setErrors] = useState<Errors>({});
  const [busy, setBusy] = useState(false);
  const [refusal, setRefusal] = useState<WireError>();
  const form = useRef<HTMLFormElement>(null);
  // One id a draft: if the answer to the first attempt is lost, the second cannot open another debate.
  const id = useRef(randomId());
  const engine = choices.engines.find((it) => it.name === draft.engine);
  const options = engine?.options ?? NONE;
  const topics = useMemo(() => [...new Set(choices.personas.flatMap((it) => it.topics))], [choices]);

  const isOffline = choices.providers.every((it) => it.name === "offline");

  const change = (part: Partial<Draft>, ...fields: string[]) => {
    id.current = randomId();
    setDraft((it) => ({ ...it, ...part }));
    setRefusal(undefined);
    setErrors((it) =>
      Object.fromEntries(Object.entries(it).filter(([name]) => !fields.includes(name) && name !== "form")),
    );
  };
  useEffect(() => {
    // Browsers limit how often the address may change.
    const timer = setTimeout(() => {
      const query = queryOf(draft);
      if (location.pathname === "/start") navigate(`/start${query && `?${query}`}`, { replace: true });
    }, 400);
    return () => clearTimeout(timer);
  }, [draft]);

  /** Tells what is wrong with one field as soon as it is left. */
  const leave = (field: string) => {
    const wrong = { ...check(draft, engine, options), ...unreadable(form.current!) }[field];
    if (wrong !== errors[field] && wrong) setErrors((it) => ({ ...it, [field]: wrong }));
  };
  const refuse = (wrong: Errors) => {
    setErrors(wrong);
    // After rendering: settings that are folded away open if something in them is wrong.
    setTimeout(() => {
      const field = form.current?.querySelector<HTMLElement>("[aria-invalid=true], .wrong");
      field?.closest("details")?.setAttribute("open", "");
      field?.scrollIntoView({ block: "center" });
      field?.focus({ preventScroll: true });
    }, 30);
  };
  const submit = async (event: Event) => {
    event.preventDefault();
    if (busy) return;
    const wrong = { ...check(draft, engine, options), ...unreadable(form.current!) };
    if (!engine) wrong.engine = `There is no engine “${draft.engine}”. Choose one.`;
    if (Object.keys(wrong).length) return refuse(wrong);
    setBusy(true);
    setRefusal(undefined);
    try {
      const { startDebate } = await ask(START, { input: inputOf(draft, options, id.current) });
      navigate(`/debates/${startDebate.debate.id}`);
    } catch (thrown) {
      const error = toWireError(thrown);
      // A conflict means that an earlier attempt with this id arrived, although its answer did not.
      if (error.code === "CONFLICT") return navigate(`/debates/${id.current}`);
      setBusy(false);
      const field =
        error.code === "INVALID" || error.code === "NOT_FOUND" || error.code === "LIMIT"
          ? fieldOf(error.message, options)
          : "form";
      if (field === "form") setRefusal(error);
      refuse({ [field]: capital(error.message) });
    }
  };
  const suggest = (topic: string) => {
    const authors = choices.personas.filter((it) => it.topics.includes(topic)).map((it) => it.id);
    const most = engine ? Math.min(3, engine.maxParticipants) : 3;
    // Personas that the reader chose stay.
    const isSuggested =
      draft.personas.length === 0 ||
      topics.some((other) =>
        draft.personas.every((it) => choices.personas.find((persona) => persona.id === it)?.topics.includes(other)),
      );
    change({ topic, ...(isSuggested && { personas: authors.slice(0, most) }) }, "topic", "personas");
  };

  return (
    <form class="start" ref={form} onSubmit={submit} noValidate>
      <section>
        <h2>Topic</h2>
        <AreaField
          label="Question"
          name="topic"
          rows={2}
          value={draft.topic}
          error={errors.topic}
          onInput={(topic) => change({ topic }, "topic")}
          hint={
            isOffline
              ? "Only the provider offline is configured. It plays questions that personas wrote about; choose one below."
              : "For most engines, a question that can be answered with yes or no."
          }
        />
        {topics.length > 0 && (
          <div class="stack suggestions">
            <p class="small soft">Personas of this service wrote about:</p>
            <ul class="row">
              {topics.map((topic) => (
                <li key={topic}>
                  <button
                    type="button"
                    class="chip"
                    aria-pressed={draft.topic === topic}
                    onClick={() => suggest(topic)}
                  >
                    {topic}
                  </button>
                </li>
              ))}
            </ul>
          </div>
        )}
      </section>
      <section>
        <h2>Participants</h2>
        <Personas
          draft={draft}
          choices={choices}
          engine={engine}
          error={errors.personas}
          change={(personas) => change({ personas }, "personas")}
        />
      </section>
      <section>
        <h2>Engine</h2>
        <EngineChoice
          engines={choices.engines}
          value={draft.engine}
          error={errors.engine}
          change={(name) =>
            change(
              { engine: name, options: {} },
              "engine",
              "personas",
              ...Object.keys(errors).filter((it) => it.startsWith("option.")),
            )
          }
        />
      </section>
      <Settings draft={draft} choices={choices} options={options} errors={errors} change={change} leave={leave} />
      <footer class="start-foot">
        {refusal && (
          <div class="message failed" role="alert">
            <h3>{explain(refusal, "The debate")[0]}</h3>
            <p class="pre-line">{explain(refusal, "The debate")[1]}</p>
            {(refusal.code === "FORBIDDEN" || refusal.code === "UNAUTHENTICATED") && (
              <Button onClick={() => tokenWanted.set({ message: "Starting a debate needs the token of a writer." })}>
                Enter an access token
              </Button>
            )}
          </div>
        )}
        <div class="row">
          <Button type="submit" kind="primary" disabled={busy}>
            {busy ? "Starting" : "Start the debate"}
          </Button>
          {Object.keys(errors).some((it) => it !== "form") && (
            <p class="wrong" role="status">
              Something is missing or was refused; see above.
            </p>
          )}
        </div>
      </footer>
    </form>
  );
}
