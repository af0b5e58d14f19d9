/** Cruxes of all debates: one by one, or gathered by the question that several debates turn on. */
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { useData, usePages, useSubscription } from "../../model/data";
import { hrefWith, setQuery, useAddress, useTitle } from "../../model/router";
import type { CruxFilter, CruxOrder, CruxOrigin } from "../../wire/operations";
import { Button, SelectField, TextField } from "../../parts/controls";
import { plural } from "../../parts/format";
import { Empty, Failed, More, Skeleton } from "../../parts/states";
import { CRUXES, FOUND, PERSONAS, RECURRING } from "./cruxes-documents";
import { CruxCard, ORIGIN } from "./crux-card";
import { ClusterCard } from "./cluster-card";

const ORDER: Record<Exclude<CruxOrder, "RELEVANCE">, string> = {
  NEWEST: "newest first",
  CHANGED: "latest turn first",
  PIVOTALITY: "most pivotal first",
  DEPENDENTS: "most arguments first",
};

export function CruxesPage() {
  useTitle("Cruxes");
  const { query } = useAddress();
  const isRecurring = query.get("view") === "recurring";
  const open = query.get("open");
  const filter = useMemo<CruxFilter>(
    () => ({
      origin: (query.get("origin") || undefined) as CruxOrigin | undefined,
      personaId: query.get("persona") || undefined,
      open: open === null ? undefined : open === "yes",
    }),
    [query],
  );
  return (
    <>
      <div class="page-head">
        <div>
          <h1>Cruxes</h1>
          <p>A crux is a question that decides where participants stand. The same one can divide several debates.</p>
        </div>
        <nav class="view-switch" aria-label="View">
          <a href={hrefWith({ view: null })} aria-current={!isRecurring ? "page" : undefined}>
            All
          </a>
          <a
            href={hrefWith({ view: "recurring", q: null, order: null })}
            aria-current={isRecurring ? "page" : undefined}
          >
            Recurring
          </a>
        </nav>
      </div>
      <Filters isRecurring={isRecurring} />
      {isRecurring ? (
        <Recurring filter={filter} />
      ) : (
        <All filter={filter} search={query.get("q") ?? ""} order={query.get("order")} />
      )}
    </>
  );
}

function All({ filter, search, order }: { filter: CruxFilter; search: string; order: string | null }) {
  const orderBy = (order ?? (search ? "RELEVANCE" : "NEWEST")) as CruxOrder;
  const list = usePages(CRUXES, { filter, search: search || undefined, orderBy }, ({ cruxes }) => ({
    nodes: cruxes.edges,
    pageInfo: cruxes.pageInfo,
  }));
  const [found, setFound] = useState(0);
  useEffect(() => setFound(0), [filter, search, orderBy]);
  useSubscription(FOUND, { filter }, { next: () => setFound((n) => n + 1) });
  const reload = () => {
    setFound(0);
    list.reload();
  };
  if (list.error && !list.nodes) return <Failed error={list.error} retry={list.reload} what="The list" />;
  if (!list.nodes)
    return (
      <div class="card">
        <Skeleton lines={18} label="Loading cruxes" />
      </div>
    );
  return (
    <>
      <p class="found" role="status">
        {found > 0 && <Button onClick={reload}>Show {plural(found, "new crux", "new cruxes")}</Button>}
      </p>
      {list.error && <Failed error={list.error} retry={list.reload} what="The list" />}
      {list.nodes.length === 0 ? (
        <Empty title="No crux found">
          {search ? (
            <p>Nothing in the recorded debates is close to “{search}”. Try other words, or fewer filters.</p>
          ) : (
            <p>A crux appears when participants take different sides on a question.</p>
          )}
        </Empty>
      ) : (
        <ol class={`cards${list.loading ? " is-loading" : ""}`} aria-busy={list.loading}>
          {list.nodes.map((edge) => (
            <li key={edge.node.id}>
              <CruxCard edge={edge} />
            </li>
          ))}
        </ol>
      )}
      <More {...list} />
    </>
  );
}

function Recurring({ filter }: { filter: CruxFilter }) {
  const { data, error, loading, reload } = useData(RECURRING, { filter });
  if (error && !data) return <Failed error={error} retry={reload} what="The list" />;
  if (!data)
    return (
      <div class="card">
        <Skeleton lines={18} label="Comparing questions" />
      </div>
    );
  const clusters = data.recurringCruxes;
  if (!clusters.length)
    return (
      <Empty title="No question recurs yet">
        <p>A question is listed here when cruxes of several debates ask it, in the same or in other words.</p>
      </Empty>
    );
  return (
    <>
      {clusters.some((it) => !it.exact) && (
        <p class="message note small">
          The comparison is not complete: some questions are not embedded yet, or there are too many. Clusters can be
          missing, or two of them can be one.
        </p>
      )}
      <ol class={`cards${loading ? " is-loading" : ""}`} aria-busy={loading}>
        {clusters.map((cluster) => (
          <li key={cluster.question}>
            <ClusterCard cluster={cluster} />
          </li>
        ))}
      </ol>
    </>
  );
}

function Filters({ isRecurring }: { isRecurring: boolean }) {
  const { query } = useAddress();
  const personas = useData(PERSONAS, {}).data?.personas ?? [];
  const address = query.get("q") ?? "";
  const [text, setText] = useState(address);
  const typing = useRef<ReturnType<typeof setTimeout>>();
  useEffect(() => setText(address), [address]);
  const search = (value: string) => {
    setText(value);
    clearTimeout(typing.current);
    typing.current = setTimeout(() => setQuery({ q: value.trim(), order: null }), 350);
  };
  const choose = (name: string) => (value: string) => setQuery({ [name]: value }, { replace: false });
  const standard = text ? (["", "best match first"] as const) : (["", ORDER.NEWEST] as const);
  return (
    <search class="crux-filters no-print">
      {!isRecurring && (
        <TextField
          label="Search by meaning or words"
          type="search"
          value={text}
          onInput={search}
          attributes={{ name: "q", maxLength: 200, placeholder: "What is the question about?" }}
        />
      )}
      <SelectField
        label="Origin"
        name="origin"
        value={query.get("origin") ?? ""}
        onChange={choose("origin")}
        options={[["", "any"], ...Object.entries(ORIGIN)]}
      />
      <SelectField
        label="State"
        name="open"
        value={query.get("open") ?? ""}
        onChange={choose("open")}
        options={[
          ["", "any"],
          ["yes", "open"],
          ["no", "resolved"],
        ]}
      />
      <SelectField
        label="Persona"
        name="persona"
        value={query.get("persona") ?? ""}
        onChange={choose("persona")}
        options={[["", "anyone"], ...personas.map((it) => [it.id, it.name] as const)]}
      />
      {!isRecurring && (
        <SelectField
          label="Order"
          name="order"
          value={query.get("order") ?? ""}
          onChange={choose("order")}
          options={[standard, ...Object.entries(ORDER).filter(([key]) => text || key !== "NEWEST")]}
        />
      )}
    </search>
  );
}
