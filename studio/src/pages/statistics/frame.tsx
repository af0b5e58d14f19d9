/** What the pictures have in common: their data, their axes, and the same values as a table. */
import type { ComponentChildren } from "preact";
import type { Loaded } from "../../model/data";
import { hrefWith, useQueryValue } from "../../model/router";
import { Failed, Skeleton } from "../../parts/states";

/** Shows the previous picture while the next one is read. */
export function Answer<Data>({
  loaded: { data, error, loading, reload },
  children,
}: {
  loaded: Loaded<Data>;
  children: (data: Data) => ComponentChildren;
}) {
  if (error) return <Failed error={error} retry={reload} what="The picture" />;
  if (!data)
    return (
      <div class="card">
        <Skeleton lines={14} label="Loading statistics" />
      </div>
    );
  return (
    <div class={`statistics${loading ? " is-loading" : ""}`} aria-busy={loading}>
      {children(data)}
    </div>
  );
}

/** Two ways to draw a picture; the first one is not written to the address. */
export function Switch({ name, label, ways }: { name: string; label: string; ways: Record<string, string> }) {
  const [first] = Object.keys(ways);
  const [now] = useQueryValue(name, first);
  return (
    <nav class="view-switch" aria-label={label}>
      {Object.entries(ways).map(([way, text]) => (
        <a
          key={way}
          href={hrefWith({ [name]: way === first ? null : way })}
          aria-current={way === now ? "page" : undefined}
        >
          {text}
        </a>
      ))}
    </nav>
  );
}

/** Months from the first to the last, those without debates too unless they are too many to be seen. */
export function months(present: readonly string[]): string[] {
  const known = [...new Set(present)].sort();
  const all = [known[0]!];
  const at = new Date(known[0]!);
  while (all.at(-1) !== known.at(-1)) {
    if (all.length > 120) return known;
    at.setUTCMonth(at.getUTCMonth() + 1);
    all.push(at.toISOString().slice(0, 7));
  }
  return all;
}

/** A picture over months, between its axes. The label states what it shows. */
export function Chart({
  top,
  months,
  label,
  children,
}: {
  top: string;
  months: readonly string[];
  label: string;
  children: ComponentChildren;
}) {
  return (
    <div class="chart" role="img" aria-label={label}>
      <p>
        <span>{top}</span>
        <span>0</span>
      </p>
      <div class="plot">{children}</div>
      <p>
        <span>{months[0]}</span>
        {months.length > 1 && <span>{months.at(-1)}</span>}
      </p>
    </div>
  );
}

export function Scrolls({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    <div class="scrolls" tabIndex={0} role="region" aria-label={label}>
      {children}
    </div>
  );
}

/** The values of a picture as a table. The first cell of a row is its name. */
export function Values({
  of,
  head,
  rows,
}: {
  of: string;
  head: readonly string[];
  rows: readonly (readonly (string | number | null)[])[];
}) {
  return (
    <details>
      <summary class="small">Values as a table</summary>
      <Scrolls label={of}>
        <table class="values">
          <thead>
            <tr>
              {head.map((it) => (
                <th key={it} scope="col">
                  {it}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(([name, ...cells]) => (
              <tr key={name + String(cells[0])}>
                <th scope="row">{name}</th>
                {cells.map((it, at) => (
                  <td key={at}>{it ?? "–"}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </Scrolls>
    </details>
  );
}
