/** All debates, newest first. Filters and search are in the address; running debates change in place. */
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { ask, useData, usePages, useSubscription } from "../../model/data";
import { setQuery, useAddress, useTitle } from "../../model/router";
import type { DebateFilter, DebateStatus, RegimeKind } from "../../wire/operations";
import { Empty, Failed, More, Skeleton } from "../../parts/states";
import { Button, SelectField, TextField } from "../../parts/controls";
import { REGIME, STATUS } from "../../model/debate/words";
import { CHANGES, CHOICES, DEBATES, type Row } from "./list-documents";
import { DebateRow } from "./list-row";

const FILTERS = ["q", "engine", "status", "regime", "persona"] as const;
/** Shortest time between two readings of the list because of changes, in milliseconds. */
const REFRESH = 1_000;

export function ListPage() {
  useTitle("Debates");
  const { query } = useAddress();
  const of = (name: (typeof FILTERS)[number]) => query.get(name) ?? "";
  const filter = useMemo<DebateFilter>(
    () => ({
      search: of("q") || undefined,
      engine: of("engine") || undefined,
      status: (of("status") || undefined) as DebateStatus | undefined,
      regime: (of("regime") || undefined) as RegimeKind | undefined,
      personaId: of("persona") || undefined,
    }),
    [query],
  );
  const isFiltered = FILTERS.some((name) => of(name));
  const list = usePages(DEBATES, { filter }, (data) => data.debates);
  const fresh = useFresh(filter, list.nodes);
  const rows = useMemo(() => {
    const known = new Set(list.nodes?.map((row) => row.id));
    return list.nodes && [...fresh.filter((row) => !known.has(row.id)), ...list.nodes];
  }, [list.nodes, fresh]);

  return (
    <>
      <div class="page-head">
        <div>
          <h1>Debates</h1>
          <p>
            Each debate is recorded event by event. A verdict says where the participants stand, on what it turns, and
            how much was examined.
          </p>
        </div>
      </div>
      <Filters of={of} isFiltered={isFiltered} />
      {list.error && <Failed error={list.error} retry={list.reload} what="The list" />}
      {!rows && !list.error && (
        <div class="card">
          <Skeleton lines={18} label="Loading debates" />
        </div>
      )}
      {rows &&
        rows.length === 0 &&
        (isFiltered ? (
          <Empty title="No debate matches">
            <p>Nothing matches all of these filters.</p>
            <Button onClick={clear}>Clear the filters</Button>
          </Empty>
        ) : (
          <Empty title="No debates yet">
            <p>
              Choose a topic and two or more personas. With the provider “offline” this costs nothing and takes a few
              seconds.
            </p>
            <a class="button primary" href="/start">
              Start a debate
            </a>
          </Empty>
        ))}
      {rows && rows.length > 0 && (
        <ol class={`debates${list.loading ? " is-loading" : ""}`} aria-busy={list.loading}>
          {rows.map((row) => (
            <li key={row.id}>
              <DebateRow row={row} />
            </li>
          ))}
        </ol>
      )}
      <More {...list} />
    </>
  );
}

const clear = () => setQuery(Object.fromEntries(FILTERS.map((name) => [name, null])), { replace: false });

/**
 * Reads the first page again when the stored list has changed, and returns it: debates that were opened meanwhile. One
 * reading at a time, so that no answer replaces a later one; a reading ends with its filter.
 */
function useFresh(filter: DebateFilter, known: Row[] | undefined): Row[] {
  const [rows, set] = useState<Row[]>([]);
  const seen = useRef<number>();
  const reading = useRef<AbortController>();
  useEffect(() => {
    set([]);
    return () => {
      reading.current?.abort();
      reading.current = undefined;
    };
  }, [filter]);
  const read = async () => {
    const { signal } = (reading.current = new AbortController());
    let done: number | undefined;
    do {
      await new Promise((end) => setTimeout(end, REFRESH));
      if (signal.aborted) return;
      done = seen.current;
      // A failure is no news here: the next change reads the list again.
      const data = await ask(DEBATES, { filter }, signal).catch(() => undefined);
      if (signal.aborted) return;
      if (data) set(data.debates.nodes);
    } while (seen.current !== done);
    reading.current = undefined;
  };
  useSubscription(CHANGES, known ? {} : null, {
    next({ projectionProgress }) {
      const done = projectionProgress.served?.eventsDone;
      const isChanged = done !== seen.current;
      seen.current = done;
      // Also at the first answer: the list was read before, and may have changed in between.
      if (isChanged && !reading.current) void read();
    },
  });
  return rows;
}

function Filters({ of, isFiltered }: { of: (name: (typeof FILTERS)[number]) => string; isFiltered: boolean }) {
  const choices = useData(CHOICES, {}).data;
  const [text, setText] = useState(of("q"));
  // On small screens the choices are folded away; style sheets show them everywhere else.
  const [isOpen, open] = useState(false);
  const chosen = FILTERS.filter((name) => name !== "q" && of(name)).length;
  const typing = useRef<ReturnType<typeof setTimeout>>();
  // Back and links change the address without typing.
  useEffect(() => setText(of("q")), [of("q")]);
  const search = (value: string) => {
    setText(value);
    clearTimeout(typing.current);
    typing.current = setTimeout(() => setQuery({ q: value.trim() }), 250);
  };
  const choose = (name: string) => (value: string) => setQuery({ [name]: value }, { replace: false });
  const keep = (
    name: (typeof FILTERS)[number],
    known: readonly (readonly [string, string])[],
  ): readonly (readonly [string, string])[] => {
    const value = of(name);
    return value && !known.some(([key]) => key === value) ? [...known, [value, value]] : known;
  };
  return (
    <search class={`filters no-print${isOpen ? " is-open" : ""}`}>
      <TextField
        label="Search topics"
        type="search"
        value={text}
        onInput={search}
        attributes={{ name: "q", placeholder: "Part of a topic" }}
      />
      <button type="button" class="button filters-toggle" aria-expanded={isOpen} onClick={() => open(!isOpen)}>
        Filters{chosen ? ` (${chosen})` : ""}
      </button>
      <SelectField
        label="Engine"
        name="engine"
        value={of("engine")}
        onChange={choose("engine")}
        options={[["", "any"], ...keep("engine", choices?.engines.map((it) => [it.name, it.name] as const) ?? [])]}
      />
      <SelectField
        label="Status"
        name="status"
        value={of("status")}
        onChange={choose("status")}
        options={[["", "any"], ...Object.entries(STATUS)]}
      />
      <SelectField
        label="Verdict"
        name="regime"
        value={of("regime")}
        onChange={choose("regime")}
        options={[["", "any"], ...Object.entries(REGIME).map(([key, { word }]) => [key, word] as const)]}
      />
      <SelectField
        label="Persona"
        name="persona"
        value={of("persona")}
        onChange={choose("persona")}
        options={[["", "anyone"], ...keep("persona", choices?.personas.map((it) => [it.id, it.name] as const) ?? [])]}
      />
      <span class={isFiltered ? "filters-clear" : "filters-clear is-off"}>
        <Button kind="plain" disabled={!isFiltered} onClick={clear}>
          Clear
        </Button>
      </span>
    </search>
  );
}
