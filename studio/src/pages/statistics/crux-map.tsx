/** Recurring questions by debate: a heat map that is a table. */
import { useMemo } from "preact/hooks";
import { useData } from "../../model/data";
import { useQueryValue } from "../../model/router";
import { tone } from "../../model/debate/words";
import { percent, plural, When } from "../../parts/format";
import { Failed } from "../../parts/states";
import { cruxHref } from "../cruxes/crux-card";
import { Nothing, useFilter } from "./filters";
import { Answer, Scrolls, Switch } from "./frame";
import { NAMES, RECURRENCE, type Cluster } from "./statistics-documents";

/** Maximum number of columns. */
const COLUMNS = 60;

export function CruxMap() {
  const debates = useFilter();
  const loaded = useData(RECURRENCE, { debates });
  const clusters = loaded.data?.recurringCruxes;
  // Debates in which most of the questions came up.
  const ids = useMemo(() => {
    const counts = new Map<string, number>();
    for (const cluster of clusters ?? [])
      for (const id of new Set(cluster.members.nodes.map((it) => it.debateId)))
        counts.set(id, (counts.get(id) ?? 0) + 1);
    return [...counts].sort((a, b) => b[1] - a[1]).map(([id]) => id);
  }, [clusters]);
  const names = useData(NAMES, ids.length ? { ids: ids.slice(0, COLUMNS) } : null);
  const isPivotality = useQueryValue("cells")[0] === "pivotality";
  const columns = (names.data?.nodes ?? [])
    .flatMap((it) => (it && "id" in it ? [it] : []))
    .sort((a, b) => a.openedAt.localeCompare(b.openedAt));
  return (
    <Answer loaded={loaded}>
      {({ recurringCruxes }) => {
        if (!recurringCruxes.length)
          return (
            <Nothing
              title="No question recurs"
              hint="A row appears when cruxes of several debates ask the same question: start another debate on a topic."
            />
          );
        return (
          <>
            <div class="row spread">
              <p class="small">
                {isPivotality
                  ? "Share of the other theses that settling the question changes"
                  : "Personas for it : against it"}
              </p>
              <Switch name="cells" label="Content of the cells" ways={{ sides: "Sides", pivotality: "Pivotality" }} />
            </div>
            {recurringCruxes.some((it) => !it.exact) && (
              <p class="message note small">The comparison of questions is not complete: rows can be missing.</p>
            )}
            {names.error && <Failed error={names.error} retry={names.reload} what="The list of debates" />}
            <Scrolls label="Questions by debate">
              <table class="heat">
                <thead>
                  <tr>
                    <th scope="col">Question</th>
                    {columns.map(({ id, topic }, at) => (
                      <th key={id} scope="col">
                        <a href={`/debates/${id}`} title={topic} aria-label={`${at + 1}: ${topic}`}>
                          {at + 1}
                        </a>
                      </th>
                    ))}
                  </tr>
                </thead>
                <tbody>
                  {recurringCruxes.map((cluster) => (
                    <tr key={cluster.question}>
                      <th scope="row">
                        <a class="words" href={`/cruxes?q=${encodeURIComponent(cluster.question.slice(0, 200))}`}>
                          {cluster.question}
                        </a>{" "}
                        <small class="soft">{plural(cluster.debateCount, "debate")}</small>
                      </th>
                      {columns.map(({ id }) => (
                        <Cell key={id} cluster={cluster} debateId={id} isPivotality={isPivotality} />
                      ))}
                    </tr>
                  ))}
                </tbody>
              </table>
            </Scrolls>
            <ol class="numbered small">
              {columns.map(({ id, topic, engine, openedAt }) => (
                <li key={id}>
                  <a href={`/debates/${id}`}>{topic}</a>{" "}
                  <span class="soft">
                    ({engine}, <When at={openedAt} />)
                  </span>
                </li>
              ))}
            </ol>
            {recurringCruxes.some((it, at) => at === 19 || it.memberCount > it.members.nodes.length) && (
              <p class="small soft">Only the 20 questions of most debates, with 100 cruxes of each, are listed.</p>
            )}
            {ids.length > COLUMNS && (
              <p class="small soft">{plural(ids.length - COLUMNS, "more debate")} with fewer of these questions.</p>
            )}
          </>
        );
      }}
    </Answer>
  );
}

function Cell({ cluster, debateId, isPivotality }: { cluster: Cluster; debateId: string; isPivotality: boolean }) {
  const cruxes = cluster.members.nodes.filter((it) => it.debateId === debateId);
  const crux = cruxes.sort((a, b) => (b.pivotality ?? -1) - (a.pivotality ?? -1))[0];
  if (!crux) return <td />;
  const share = crux.pivotality;
  const sides = cluster.sidesByPersona.flatMap((it) =>
    it.sides.filter((side) => side.debateId === debateId).map((it) => tone(it.side)),
  );
  const [good, open, bad] = (["good", "open", "bad"] as const).map(
    (it) => sides.filter((side) => side === it).length,
  ) as [number, number, number];
  const text = !isPivotality ? `${good}:${bad}` : share === null ? "–" : percent(share);
  return (
    <td style={isPivotality && share ? { background: shade("--link", share) } : undefined}>
      <a
        href={cruxHref(debateId, crux.shortId)}
        aria-label={`${text}: crux ${crux.shortId}, ${good} for, ${bad} against, ${open} neither, pivotality ${share === null ? "unknown" : percent(share)}`}
      >
        {text}
        {!isPivotality && (
          <span class="split">
            <i class="good" style={{ flexGrow: good }} />
            <i class="open" style={{ flexGrow: open }} />
            <i class="bad" style={{ flexGrow: bad }} />
          </span>
        )}
      </a>
    </td>
  );
}

/** Colour by a share from 0 to 1, on which text stays readable. */
export const shade = (colour: string, share: number): string =>
  `color-mix(in srgb, var(${colour}) ${Math.round(share * 40)}%, var(--card))`;
