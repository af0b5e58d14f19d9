/** Statistics across debates, as pictures with the same values as text. */
import { useData } from "../../model/data";
import { hrefWith, useQueryValue, useTitle } from "../../model/router";
import { Agreements } from "./agreements";
import { CruxMap } from "./crux-map";
import { Filters } from "./filters";
import { Groups } from "./groups";
import { CHOICES } from "./statistics-documents";
import { Trends } from "./trends";
import { Verdicts } from "./verdicts";

const VIEWS = [
  { view: "", label: "Verdicts", title: "Verdicts by engine, month by month", Picture: Verdicts },
  { view: "trends", label: "Trends", title: "Measures by month", Picture: Trends },
  { view: "groups", label: "Groups", title: "Statistics by group", Picture: Groups },
  { view: "cruxes", label: "Cruxes", title: "Questions that recur, by debate", Picture: CruxMap },
  { view: "agreement", label: "Agreement", title: "Agreement of personas", Picture: Agreements },
];

export function StatisticsPage() {
  useTitle("Statistics");
  const [chosen] = useQueryValue("view");
  const choices = useData(CHOICES, {}).data;
  const { title, Picture, view } = VIEWS.find((it) => it.view === chosen) ?? VIEWS[0]!;
  return (
    <>
      <div class="page-head">
        <div>
          <h1>Statistics</h1>
          <p>
            Verdicts, measures, cruxes and personas across debates. Months are those in which debates were opened, in
            UTC.
          </p>
        </div>
      </div>
      <Filters choices={choices} />
      <nav class="tabs no-print" aria-label="Pictures">
        {VIEWS.map((it) => (
          <a
            key={it.view}
            href={hrefWith({ view: it.view, sort: null })}
            aria-current={it.view === view ? "page" : undefined}
          >
            {it.label}
          </a>
        ))}
      </nav>
      <section class="statistics" key={view}>
        <h2>{title}</h2>
        <Picture choices={choices} />
      </section>
    </>
  );
}
