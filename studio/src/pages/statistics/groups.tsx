/** Statistics by a chosen grouping: verdicts, and the mean of each chosen measure with its interval. */
import { useData } from "../../model/data";
import { hrefWith, setQuery, useQueryValue } from "../../model/router";
import { OUTCOME, STATUS } from "../../model/debate/words";
import { SelectField } from "../../parts/controls";
import { measured, plain } from "../../parts/format";
import { RegimeTag } from "../../parts/verdict";
import type { DebateGrouping, DebateStatus, OutcomeKind, RegimeKind } from "../../wire/operations";
import { Nothing, useFilter } from "./filters";
import { Answer, Scrolls } from "./frame";
import { interval, Legend, Picker, scaleEnd, useMeasures, type Chosen, type Figure } from "./measures";
import { GROUPS, type Choices, type Group } from "./statistics-documents";
import { Mix, mixText } from "./verdicts";

const BY: DebateGrouping[] = [
  "ENGINE",
  "PERSONA",
  "PROVIDER",
  "MODEL",
  "REGIME",
  "OUTCOME",
  "STATUS",
  "MONTH",
  "TOPIC",
];
/** Maximum number of properties. */
const MOST = 3;

const word = (by: DebateGrouping): string => (by === "REGIME" ? "Verdict" : plain(by));

export function Groups({ choices }: Choices) {
  const filter = useFilter();
  const [text] = useQueryValue("by", "engine");
  const names = new Set(text.toUpperCase().split("."));
  const by = ([...names] as DebateGrouping[]).filter((it) => BY.includes(it)).slice(0, MOST);
  const chosen = useMeasures("turns.novelty.crux_quality", { choices });
  const loaded = useData(GROUPS, { filter, by, measures: chosen.measures });
  const choose = (at: number) => (value: string) => {
    const next = new Set(value ? [...by.slice(0, at), value, ...by.slice(at + 1)] : by.slice(0, at));
    setQuery({ by: [...next].join(".").toLowerCase() || "all", sort: null }, { replace: false });
  };
  return (
    <>
      <div class="row no-print">
        {[...by, ""].slice(0, MOST).map((value, at) => (
          <SelectField
            key={at}
            name={`by${at}`}
            label={at ? "and by" : "Group by"}
            value={value}
            onChange={choose(at)}
            options={[["", "nothing"], ...BY.map((it) => [it, word(it).toLowerCase()] as const)]}
          />
        ))}
      </div>
      <Picker chosen={chosen} isByPersona={by.includes("PERSONA")} />
      <Answer loaded={loaded}>
        {({ debateStats: { groups, hasMoreGroups } }) =>
          groups.length ? (
            <>
              {hasMoreGroups && <p class="message note small">Only the 500 groups with the most debates are listed.</p>}
              <Table groups={groups} chosen={chosen} choices={choices} />
              <Legend />
              {by.some((it) => it === "PERSONA" || it === "MODEL") && (
                <p class="small soft">A debate counts once for each of its personas or models.</p>
              )}
            </>
          ) : (
            <Nothing title="No debates" hint="Statistics appear here as soon as a debate runs." />
          )
        }
      </Answer>
    </>
  );
}

/** Properties and figures are those of the data: while other ones are read, the previous table stays. */
function Table({ groups, chosen, choices }: { groups: readonly Group[]; chosen: Chosen } & Choices) {
  const [sort] = useQueryValue("sort");
  const figureOf = (group: Group, key: string) => group.figures.find((it) => it.key === key);
  const mean = (group: Group) => figureOf(group, sort)?.mean ?? -1;
  const rows = sort ? [...groups].sort((a, b) => mean(b) - mean(a)) : groups;
  const [first] = groups;
  const columns = chosen.keys.flatMap((key) => {
    const figures = groups.flatMap((it) => figureOf(it, key) ?? []);
    const known = chosen.of(key);
    return figures.length ? [{ ...known, top: scaleEnd(figures, known.unit) }] : [];
  });
  return (
    <Scrolls label="Groups">
      <table class="groups">
        <thead>
          <tr>
            {first!.properties.length ? (
              first!.properties.map(({ by }) => (
                <th key={by} scope="col">
                  {word(by)}
                </th>
              ))
            ) : (
              <th scope="col">Group</th>
            )}
            <th scope="col">Debates</th>
            <th scope="col">Verdicts</th>
            {columns.map(({ key, name, unit, formula, top }) => (
              <th
                key={key}
                scope="col"
                title={formula || undefined}
                aria-sort={sort === key ? "descending" : undefined}
              >
                <a href={hrefWith({ sort: sort === key ? null : key })}>
                  {name}
                  {sort === key && " ↓"}
                </a>
                <br />0 to {measured(top, unit)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((group) => (
            <tr key={group.properties.map((it) => it.value).join()}>
              {group.properties.map((it, at) =>
                at ? (
                  <td key={it.by}>
                    <Property {...it} choices={choices} />
                  </td>
                ) : (
                  <th key={it.by} scope="row">
                    <Property {...it} choices={choices} />
                  </th>
                ),
              )}
              {!group.properties.length && <th scope="row">All debates</th>}
              <td>{group.debateCount}</td>
              <td>
                <Mix group={group} />
                <small>{mixText(group)}</small>
              </td>
              {columns.map(({ key, unit, top }) => {
                const figure = figureOf(group, key);
                return (
                  <td key={key} data-of={key}>
                    {figure && figure.mean !== null ? (
                      <>
                        <b>{measured(figure.mean, unit)}</b> <small>{interval(figure, unit)}</small>
                        <Whiskers figure={figure} top={top} />
                      </>
                    ) : (
                      "–"
                    )}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </Scrolls>
  );
}

function Property({ by, value, choices }: Group["properties"][number] & Choices) {
  if (value === null) return <>none</>;
  switch (by) {
    case "PERSONA":
      return <a href={`/personas/${value}`}>{choices?.personas.find((it) => it.id === value)?.name ?? value}</a>;
    case "ENGINE":
      return <a href={`/?engine=${value}`}>{value}</a>;
    case "REGIME":
      return <RegimeTag kind={value.toUpperCase() as RegimeKind} />;
    case "OUTCOME":
      return <>{OUTCOME[value.toUpperCase() as OutcomeKind]}</>;
    case "STATUS":
      return <>{STATUS[value.toUpperCase() as DebateStatus]}</>;
    default:
      return <>{value}</>;
  }
}

/** The numbers beside it are its text. */
function Whiskers({ figure: { mean, low, high }, top }: { figure: Figure; top: number }) {
  const x = (value: number) => (Math.min(value, top) / top) * 100;
  const end = high !== null && high <= top ? `M${x(high)} 1v8` : "";
  return (
    <svg class="whiskers" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
      <path class="faint" d="M0 9.5H100" />
      {low !== null && high !== null && <path d={`M${x(low)} 1v8m0-4H${x(high)}${end}`} />}
      <path class="dot" d={`M${x(mean!)} 5h.01`} />
    </svg>
  );
}
