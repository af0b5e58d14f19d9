/** Figures and measures: their names and units, the choice of them, and scales. */
import { setQuery, useQueryValue } from "../../model/router";
import { CheckField } from "../../parts/controls";
import { measured, plain, plural } from "../../parts/format";
import type { Choices, Definition, Group } from "./statistics-documents";

export type Figure = Group["figures"][number];
type Known = Omit<Definition, "group" | "needsTimeline"> & { group: string };

const figure = (key: string, unit: Definition["unit"] = "NUMBER", formula = "", group = "Debates"): Known => ({
  key,
  name: plain(key.toUpperCase()),
  unit,
  formula,
  group,
});
/** Figures that every group has. */
const FIGURES = [
  figure("turns"),
  figure("tokens", "TOKENS"),
  figure("cost", "US_DOLLARS"),
  figure("seconds", "SECONDS", "From opening to end."),
];
/** Figures of the participant alone, if debates are grouped by it. */
const OWN = "turns words grounded_turns citations arguments attacks concessions reversals"
  .split(" ")
  .map((key) => figure(`own_${key}`, "NUMBER", "", "Participant"));

const isFigure = (key: string) => [...FIGURES, ...OWN].some((it) => it.key === key);

export interface Chosen {
  keys: string[];
  /** Those that have to be asked for. */
  measures: string[];
  all: readonly Known[];
  of: (key: string) => Known;
}

/** Measures in the address, or the standard ones: keys with dots between them. */
export function useMeasures(standard: string, { choices }: Choices): Chosen {
  const [text] = useQueryValue("measures", standard);
  // Those that take the timeline of a debate are not summarized.
  const definitions: readonly Known[] = choices?.measureDefinitions.filter((it) => !it.needsTimeline) ?? [];
  const keys = text === "none" ? [] : text.split(".").filter(Boolean);
  const all = [...FIGURES, ...OWN, ...definitions.filter(({ key }) => !isFigure(key))];
  return {
    keys,
    measures: keys.filter((key) => !isFigure(key)),
    all,
    of: (key) => all.find((it) => it.key === key) ?? figure(key),
  };
}

export function Picker({ chosen: { keys, all }, isByPersona }: { chosen: Chosen; isByPersona?: boolean }) {
  const offered = all.filter((it) => isByPersona || it.group !== "Participant" || keys.includes(it.key));
  return (
    <details class="no-print">
      <summary>{plural(keys.length, "measure")} chosen</summary>
      <div class="picker">
        {[...new Set(offered.map((it) => it.group))].map((group) => (
          <fieldset key={group} class="stack">
            <legend class="overline">{plain(group)}</legend>
            {offered
              .filter((it) => it.group === group)
              .map(({ key, name, formula }) => (
                <CheckField
                  key={key}
                  name={key}
                  label={name}
                  hint={formula}
                  checked={keys.includes(key)}
                  onChange={(on) =>
                    setQuery(
                      { measures: (on ? [...keys, key] : keys.filter((it) => it !== key)).join(".") || "none" },
                      { replace: false },
                    )
                  }
                />
              ))}
          </fieldset>
        ))}
      </div>
    </details>
  );
}

/** End of a scale that begins at 0. A wide interval of few debates must not flatten everything else. */
export function scaleEnd(figures: readonly Figure[], unit: Definition["unit"]): number {
  const greatest = (of: (figure: Figure) => number | null) => Math.max(0, ...figures.map((it) => of(it) ?? 0));
  return unit === "SHARE"
    ? 1
    : Math.min(
        greatest((it) => it.high ?? it.mean),
        2 * greatest((it) => it.mean),
      ) || 1;
}

/** Interval of a mean: `94.5 % to 100.0 %, n = 6`. */
export const interval = ({ low, high, count }: Figure, unit: Definition["unit"]): string =>
  `${low === null || high === null ? "" : `${measured(low, unit)} to ${measured(high, unit)}, `}n = ${count}`;

/** Explains dots and whiskers. */
export function Legend() {
  return (
    <p class="small soft">
      A dot is the mean of the debates. Its whiskers are the interval that contains the mean of all such debates with a
      confidence of 95 %; one without an end goes on beyond the scale. A single debate has none. Measures are those of
      debates that have ended.
    </p>
  );
}
