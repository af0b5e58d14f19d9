/** Measures by month: means as lines, with the interval of each. */
import { useData } from "../../model/data";
import { measured } from "../../parts/format";
import { Nothing, useFilter } from "./filters";
import { Answer, Chart, months, Values } from "./frame";
import { interval, Legend, Picker, scaleEnd, useMeasures, type Chosen, type Figure } from "./measures";
import { GROUPS, type Choices, type Group } from "./statistics-documents";

export function Trends({ choices }: Choices) {
  const filter = useFilter();
  const chosen = useMeasures("novelty.circling", { choices });
  const loaded = useData(GROUPS, { filter, by: ["MONTH"], measures: chosen.measures });
  return (
    <>
      <Picker chosen={chosen} />
      <Answer loaded={loaded}>{({ debateStats: { groups } }) => <Charts groups={groups} chosen={chosen} />}</Answer>
    </>
  );
}

function Charts({ groups, chosen }: { groups: readonly Group[]; chosen: Chosen }) {
  const drawn = chosen.keys.flatMap((key) => {
    const known: [month: string, figure: Figure][] = groups.flatMap(({ properties, figures }) =>
      figures.filter((it) => it.key === key && it.mean !== null).map((it) => [properties[0]?.value ?? "", it]),
    );
    return known.length ? [{ ...chosen.of(key), known: known.sort() }] : [];
  });
  if (!drawn.length)
    return (
      <Nothing
        title="Nothing to draw"
        hint="Measures are those of debates that have ended. Choose others, or let a debate end."
      />
    );
  const shown = months(groups.map((it) => it.properties[0]?.value ?? ""));
  return (
    <>
      <div class="two">
        {drawn.map(({ key, name, unit, formula, known }) => {
          const top = scaleEnd(
            known.map(([, it]) => it),
            unit,
          );
          const means = known.map(([month, it]) => `${month} ${measured(it.mean!, unit)}`);
          return (
            <figure key={key}>
              <figcaption>
                {name} <small class="soft">{formula}</small>
              </figcaption>
              <Chart top={measured(top, unit)} months={shown} label={`${name} by month: ${means.join(", ")}`}>
                <Line months={shown} known={new Map(known)} top={top} />
              </Chart>
            </figure>
          );
        })}
      </div>
      <Legend />
      <Values
        of="Measures by month"
        head={["Measure", "Month", "Mean", "95 % interval"]}
        rows={drawn.flatMap(({ name, unit, known }) =>
          known.map(([month, it]) => [name, month, measured(it.mean!, unit), interval(it, unit)]),
        )}
      />
    </>
  );
}

/** Months without a value interrupt the line. */
function Line({ months, known, top }: { months: readonly string[]; known: Map<string, Figure>; top: number }) {
  const y = (value: number) => 100 - (Math.min(value, top) / top) * 100;
  let line = "";
  let whiskers = "";
  let dots = "";
  months.forEach((month, at) => {
    const it = known.get(month);
    if (!it) return;
    const x = ((at + 0.5) / months.length) * 100;
    line += `${known.has(months[at - 1]!) ? "L" : "M"}${x} ${y(it.mean!)}`;
    dots += `M${x} ${y(it.mean!)}h.01`;
    if (it.low === null || it.high === null) return;
    whiskers += `M${x} ${y(it.high)}V${y(it.low)}M${x - 1} ${y(it.low)}h2`;
    if (it.high <= top) whiskers += `M${x - 1} ${y(it.high)}h2`;
  });
  return (
    <svg viewBox="0 0 100 100" preserveAspectRatio="none">
      <path class="faint" d={whiskers} />
      <path d={line} />
      <path class="dot" d={dots} />
    </svg>
  );
}
