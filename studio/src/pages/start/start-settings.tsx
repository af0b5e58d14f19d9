import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { AreaField, CheckField, SelectField, TextField } from "../../parts/controls";
import { capital, count } from "../../parts/format";
import type { Choices, Option } from "./start-documents";
import { isNumeric, LIMITS, type Draft, type Errors } from "./start-form";

interface Properties {
  draft: Draft;
  choices: Choices;
  options: readonly Option[];
  errors: Errors;
  change: (part: Partial<Draft>, ...fields: string[]) => void;
  /** The reader left a field: what is wrong with it can be told. */
  leave: (field: string) => void;
}

/** Provider, seed, options of the engine and limits. Folded away, because every default works. */
export function Settings({ draft, choices, options, errors, change, leave }: Properties) {
  const hasModel = choices.providers.some((it) => it.name !== "offline");
  const provider = choices.providers.find((it) => it.name === draft.provider) ?? choices.providers[0];
  const nameOf = (id: string) => choices.personas.find((it) => it.id === id)?.name ?? id;
  return (
    <>
      <section>
        <h2>Provider</h2>
        <div class="grid">
          <SelectField
            label="Provider"
            name="provider"
            value={draft.provider}
            error={errors.provider}
            hint={provider && capital(provider.about)}
            onChange={(it) => change({ provider: it }, "provider")}
            options={[
              ["", `preferred (${choices.providers[0]?.name ?? "none"})`],
              ...choices.providers.map((it) => [it.name, it.name] as const),
            ]}
          />
          <TextField
            label="Seed"
            value={draft.seed}
            error={errors.seed}
            onInput={(seed) => change({ seed }, "seed")}
            hint="The same seed, personas and corpus produce the same offline debate. Random if empty."
            attributes={{ name: "seed", inputMode: "numeric", placeholder: "random", autocomplete: "off" }}
          />
        </div>
        {hasModel && draft.personas.length > 0 && (
          <Group
            title="Models"
            summary="one for each participant, if not the provider's own"
            fields={Object.keys(draft.models).length}
            open={false}
          >
            {draft.personas.map((id) => (
              <TextField
                key={id}
                label={nameOf(id)}
                value={draft.models[id] ?? ""}
                onInput={(it) => change({ models: { ...draft.models, [id]: it } })}
                attributes={{ placeholder: "the provider's own", autocomplete: "off" }}
              />
            ))}
          </Group>
        )}
      </section>
      <section class="groups">
        <Group
          title="Options"
          summary={`of the engine ${draft.engine}`}
          fields={Object.values(draft.options).filter(Boolean).length}
          open={Object.keys(errors).some((it) => it.startsWith("option."))}
        >
          {options.map((option) => (
            <OptionField
              key={`${draft.engine} ${option.name}`}
              option={option}
              corpora={choices.sharedCorpora}
              personas={draft.personas.map((it) => [it, nameOf(it)])}
              value={draft.options[option.name] ?? ""}
              error={errors[`option.${option.name}`]}
              leave={() => leave(`option.${option.name}`)}
              change={(it) =>
                change(
                  { options: { ...draft.options, [option.name]: it } },
                  // What is wrong with an option may be that it is less than this one.
                  ...options
                    .filter((other) => other === option || other.notBelow === option.name)
                    .map((other) => `option.${other.name}`),
                )
              }
            />
          ))}
        </Group>
        <Group
          title="Limits"
          summary="on cost and length"
          fields={Object.values(draft.limits).filter(Boolean).length}
          open={Object.keys(errors).some((it) => it.startsWith("limit."))}
        >
          {LIMITS.map(({ name, label, hint, step }) => (
            <TextField
              key={name}
              label={label}
              hint={hint}
              value={draft.limits[name] ?? ""}
              error={errors[`limit.${name}`]}
              onInput={(it) => change({ limits: { ...draft.limits, [name]: it } }, `limit.${name}`)}
              attributes={{
                name: `limit.${name}`,
                inputMode: step ? "decimal" : "numeric",
                placeholder: "default",
                autocomplete: "off",
              }}
            />
          ))}
        </Group>
      </section>
    </>
  );
}

function Group({
  title,
  summary,
  fields,
  open,
  children,
}: {
  title: string;
  summary: string;
  fields: number;
  open: boolean;
  children: ComponentChildren;
}) {
  const [isOpen, set] = useState(open || fields > 0);
  return (
    <details class="group" open={isOpen || open} onToggle={(event) => set(event.currentTarget.open)}>
      <summary>
        <b>{title}</b> <span class="soft">{summary}</span>{" "}
        {fields > 0 && <span class="tag open">{count(fields)} changed</span>}
      </summary>
      <div class="grid">{children}</div>
    </details>
  );
}

const label = (name: string) => capital(name.replaceAll("_", " "));
const shown = (value: unknown) =>
  value === null || value === undefined || (Array.isArray(value) && !value.length)
    ? "none"
    : typeof value === "object"
      ? JSON.stringify(value)
      : String(value);

/** The control that the type of the option asks for. An empty value stands for the default. */
function OptionField({
  option,
  corpora,
  personas,
  value,
  error,
  change,
  leave,
}: {
  option: Option;
  corpora: Choices["sharedCorpora"];
  personas: readonly (readonly [id: string, name: string])[];
  value: string;
  error: string | undefined;
  change: (value: string) => void;
  leave: () => void;
}) {
  const name = `option.${option.name}`;
  const field = { label: label(option.name), hint: <Code text={capital(option.about)} />, error };
  const standard = ["", `${shown(option.default)} (default)`] as const;
  if (option.type === "BOOLEAN" && option.default !== null)
    return (
      <CheckField
        {...field}
        name={name}
        checked={(value || String(option.default)) === "true"}
        onChange={(it) => change(it === option.default ? "" : String(it))}
      />
    );
  const choices =
    option.type === "BOOLEAN"
      ? ["true", "false"].map((it) => [it, it] as const)
      : option.type === "CHOICE"
        ? option.choices.filter((it) => it !== option.default).map((it) => [it, it] as const)
        : option.name === "shared_corpus" && corpora.length
          ? corpora.map((it) => [it.id, `${it.name} (${count(it.passageCount)} passages)`] as const)
          : null;
  if (choices)
    return (
      <SelectField
        {...field}
        name={name}
        value={value}
        onChange={change}
        // A value from the address that cannot be chosen stays visible, so that it can be refused and changed.
        options={[
          standard,
          ...choices,
          ...(!value || choices.some(([it]) => it === value) ? [] : [[value, value] as const]),
        ]}
      />
    );
  if (option.type === "TEXT_LIST")
    return (
      <TextField
        {...field}
        hint={
          <>
            {field.hint}, separated by commas
            {personas.length > 0 && <>. Chosen: {personas.map(([id, who]) => `${id} (${who})`).join(", ")}</>}
          </>
        }
        value={value}
        onInput={change}
        attributes={{ name, placeholder: shown(option.default), autocomplete: "off" }}
      />
    );
  if (option.type === "JSON")
    return <AreaField {...field} name={name} value={value} onInput={change} onBlur={leave} rows={2} />;
  if (!isNumeric(option))
    return (
      <TextField
        {...field}
        value={value}
        onInput={change}
        attributes={{ name, placeholder: shown(option.default), autocomplete: "off" }}
      />
    );
  return (
    <TextField
      {...field}
      type="number"
      value={value}
      onInput={change}
      attributes={{
        name,
        min: option.minimum ?? undefined,
        max: option.maximum ?? undefined,
        step: option.type === "INTEGER" ? 1 : "any",
        placeholder: shown(option.default),
        autocomplete: "off",
        onBlur: leave,
        // Scrolling the page must not change a number that happens to be under the pointer.
        onWheel: (event: WheelEvent) => (event.currentTarget as HTMLElement).blur(),
      }}
    />
  );
}

/** Text in which names stand between backticks. */
function Code({ text }: { text: string }) {
  return <>{text.split("`").map((part, at) => (at % 2 ? <code key={at}>{part}</code> : part))}</>;
}
