/** Verdicts by engine and month: stacked columns, one picture for each engine. */
import { useData } from "../../model/data";
import { useQueryValue } from "../../model/router";
import { REGIME } from "../../model/debate/words";
import { plural } from "../../parts/format";
import type { RegimeKind } from "../../wire/operations";
import { Nothing, useFilter } from "./filters";
import { Answer, Chart, months, Switch, Values } from "./frame";
import { GROUPS, type Group } from "./statistics-documents";

/** From the foot of a column to its top. */
const KINDS = Object.keys(REGIME) as RegimeKind[];

const countOf = (group: Group, kind: RegimeKind): number => group.regimes.find((it) => it.regime === kind)?.count ?? 0;
const monthOf = (group: Group): string => group.properties[0]?.value ?? "";
const engineOf = (group: Group): string => group.properties[1]?.value ?? "";

export function Verdicts() {
  const filter = useFilter();
  const loaded = useData(GROUPS, { filter, by: ["MONTH", "ENGINE"], measures: [] });
  return (
    <Answer loaded={loaded}>
      {({ debateStats: { groups, hasMoreGroups } }) =>
        groups.length ? (
          <>
            <div class="row spread">
              <ul class="row small">
                {KINDS.map((kind) => (
                  <li key={kind} class="row" title={REGIME[kind].meaning}>
                    <i class={`swatch ${kind}`} /> {REGIME[kind].word}
                  </li>
                ))}
              </ul>
              <Switch name="scale" label="Height of the columns" ways={{ count: "Debates", share: "Shares" }} />
            </div>
            {hasMoreGroups && (
              <p class="message note small">There are too many months and engines, so some are missing.</p>
            )}
            <Engines groups={groups} />
          </>
        ) : (
          <Nothing title="No debates" hint="Verdicts appear here as soon as a debate runs." />
        )
      }
    </Answer>
  );
}

function Engines({ groups }: { groups: readonly Group[] }) {
  const isShare = useQueryValue("scale")[0] === "share";
  const shown = months(groups.map(monthOf));
  const most = Math.max(...groups.map((it) => it.debateCount));
  const engines = [...new Set(groups.map(engineOf))].map((engine) => {
    const own = groups.filter((it) => engineOf(it) === engine);
    return { engine, own: own.sort((a, b) => monthOf(a).localeCompare(monthOf(b))) };
  });
  return (
    <>
      <div class="two">
        {engines.map(({ engine, own }) => {
          const sum = (of: (group: Group) => number) => own.reduce((total, it) => total + of(it), 0);
          const total = KINDS.map((kind) => `${REGIME[kind].word} ${sum((it) => countOf(it, kind))}`);
          return (
            <figure key={engine}>
              <figcaption>
                <a href={`/?engine=${engine}`}>{engine}</a>{" "}
                <small class="soft">
                  {plural(
                    sum((it) => it.debateCount),
                    "debate",
                  )}
                </small>
              </figcaption>
              <Chart top={isShare ? "100 %" : String(most)} months={shown} label={`${engine}: ${total.join(", ")}`}>
                {shown.map((month) => {
                  const group = own.find((it) => monthOf(it) === month);
                  return (
                    <div key={month} class="column" title={group && `${month}: ${mixText(group)}`}>
                      {group && <Mix group={group} size={isShare ? 1 : group.debateCount / most} />}
                    </div>
                  );
                })}
              </Chart>
            </figure>
          );
        })}
      </div>
      <Values
        of="Verdicts by engine and month"
        head={["Engine", "Month", "Debates", ...KINDS.map((kind) => REGIME[kind].word)]}
        rows={engines.flatMap(({ engine, own }) =>
          own.map((it) => [engine, monthOf(it), it.debateCount, ...KINDS.map((kind) => countOf(it, kind))]),
        )}
      />
    </>
  );
}

export const mixText = (group: Group): string =>
  KINDS.filter((kind) => countOf(group, kind))
    .map((kind) => `${countOf(group, kind)} ${REGIME[kind].word.toLowerCase()}`)
    .join(", ");

/** Verdicts of a group as parts of a bar, which is upright in a column. */
export function Mix({ group, size = 1 }: { group: Group; size?: number }) {
  return (
    <span class="mix" style={{ "--size": `${size * 100}%` }}>
      {KINDS.map((kind) => (
        <i key={kind} class={kind} style={{ flexGrow: countOf(group, kind) }} />
      ))}
    </span>
  );
}
