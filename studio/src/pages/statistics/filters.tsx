/** Filters of all pictures. They are in the address, as is everything else that can be chosen. */
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { setQuery, useAddress } from "../../model/router";
import { STATUS } from "../../model/debate/words";
import { Button, SelectField, TextField } from "../../parts/controls";
import { Empty } from "../../parts/states";
import type { DebateFilter, DebateStatus } from "../../wire/operations";
import type { Choices } from "./statistics-documents";

const FILTERS = ["engine", "provider", "status", "since", "until"];

/** Start of a day in UTC, in which months are counted too; nothing if it is not a date. */
const start = (day: string | null): string | undefined =>
  day && /^\d{4}-\d\d-\d\d$/.test(day) && Date.parse(day) ? `${day}T00:00:00Z` : undefined;

export function useFilter(): DebateFilter {
  const { query } = useAddress();
  return useMemo(
    () => ({
      engine: query.get("engine") || undefined,
      provider: query.get("provider") || undefined,
      status: (query.get("status") || undefined) as DebateStatus | undefined,
      openedAfter: start(query.get("since")),
      openedBefore: start(query.get("until")),
    }),
    [query],
  );
}

const clear = () => setQuery(Object.fromEntries(FILTERS.map((name) => [name, null])), { replace: false });

export function Filters({ choices }: Choices) {
  const { query } = useAddress();
  // On small screens the choices are folded away; style sheets show them everywhere else.
  const [isOpen, open] = useState(false);
  const chosen = FILTERS.filter((name) => query.get(name)).length;
  const field = (name: string, label: string, known: readonly (readonly [string, string])[]) => {
    const value = query.get(name) ?? "";
    return (
      <SelectField
        label={label}
        name={name}
        value={value}
        onChange={(next) => setQuery({ [name]: next }, { replace: false })}
        options={[
          ["", "any"],
          ...known,
          ...(value && !known.some(([key]) => key === value) ? [[value, value] as const] : []),
        ]}
      />
    );
  };
  const names = (all: readonly { name: string }[] = []) => all.map(({ name }) => [name, name] as const);
  return (
    <search class={`filters no-print${isOpen ? " is-open" : ""}`}>
      {field("engine", "Engine", names(choices?.engines))}
      <button type="button" class="button filters-toggle" aria-expanded={isOpen} onClick={() => open(!isOpen)}>
        Filters{chosen ? ` (${chosen})` : ""}
      </button>
      {field("provider", "Provider", names(choices?.providers))}
      {field("status", "Status", Object.entries(STATUS))}
      <DateField name="since" label="Opened since" />
      <DateField name="until" label="Opened before" />
      <span class={`filters-clear${chosen ? "" : " is-off"}`}>
        <Button kind="plain" disabled={!chosen} onClick={clear}>
          Clear
        </Button>
      </span>
    </search>
  );
}

/** A date is several dates while its digits are typed, so the address follows with a delay. */
function DateField({ name, label }: { name: string; label: string }) {
  const value = useAddress().query.get(name) ?? "";
  const [text, setText] = useState(value);
  const typing = useRef<ReturnType<typeof setTimeout>>();
  useEffect(() => setText(value), [value]);
  const type = (next: string) => {
    setText(next);
    clearTimeout(typing.current);
    typing.current = setTimeout(() => setQuery({ [name]: next }), 500);
  };
  return <TextField label={label} type="date" value={text} onInput={type} attributes={{ name }} />;
}

/** States what is missing for a picture, and what to do. */
export function Nothing({ title, hint }: { title: string; hint: string }) {
  const { query } = useAddress();
  return FILTERS.some((name) => query.get(name)) ? (
    <Empty title={`${title} with these filters`}>
      <p>{hint}</p>
      <Button onClick={clear}>Clear the filters</Button>
    </Empty>
  ) : (
    <Empty title={`${title} yet`}>
      <p>{hint}</p>
      <a class="button primary" href="/start">
        Start a debate
      </a>
    </Empty>
  );
}
