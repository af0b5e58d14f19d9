// Counts and labels of the debate after its events, and the likeness of its turns to earlier ones.

import { useMemo } from "preact/hooks";
import type { Debate } from "../../../model/debate/debate";
import { likeness, MAX_TURNS, type Likeness } from "../../../model/debate/likeness";
import { count } from "../../../model/debate/words";
import { useStore } from "../../../model/store";
import type { LabelValue } from "../../../wire/operations";
import { useView } from "../view";

/** Most events at which a series has a value. */
const MAX_POINTS = 400;
/** Likeness from which a turn is not new. */
const REPEATED = 0.6;
const BANDS: readonly [LabelValue, color: string][] = [["IN", "--good"], ["UNDEC", "--open"], ["OUT", "--bad"]];

type Point = readonly [x: number, y: number];
interface Series {
  text: string;
  color: string;
  dash?: string;
  path: string;
  isBand?: boolean;
}

/** From the foot of the drawing, which is 100 by 100, to its top. */
const at = ([x, y]: Point): string => `${+x.toFixed(2)} ${+(100 - y).toFixed(2)}`;
const line = (points: readonly Point[]): string => `M${points.map(at).join("L")}`;
/** A value holds until the next one. */
const steps = (points: readonly Point[]): Point[] => [...points.flatMap(([x, y], i): Point[] => (i ? [[x, points[i - 1]![1]], [x, y]] : [[x, y]])), [100, points.at(-1)![1]]];

export function Charts() {
  const { debate, sheet } = useView();
  const timeline = useStore(debate.timeline);
  useStore(debate.turnsChanged);
  useStore(debate.graphChanged);
  const isComplete = useStore(debate.isComplete);
  const said = debate.turns.all.slice(0, debate.turns.countAt(sheet.version));
  const turns = useMemo(() => (isComplete ? likeness(said) : []), [isComplete, said.length]);
  if (!isComplete) return null;
  const end = Math.min(sheet.version, timeline.version);
  const counts = end > 1 ? counted(debate, end) : [];
  return (
    <section>
      <h3 class="overline">Course</h3>
      <div class="two">
        {counts.length > 1 && <><Counts counts={counts} end={end} /><Labels counts={counts} end={end} /></>}
        {turns.length > 1 && <Turns turns={turns} />}
      </div>
    </section>
  );
}

interface Counted {
  x: number;
  turns: number;
  attacks: number;
  cruxes: number;
  labels: number[];
}

/** Counts at the versions up to `end` at which one of them changes. */
function counted({ turns, graph, timeline }: Debate, end: number): Counted[] {
  const known = timeline.get();
  const said = turns.all.filter((it) => it.speakerId);
  const attacks = graph.attacks.filter((it) => it.judgement?.valid);
  const versions = [1, end, ...said.map((it) => it.version), ...known.entries.map((it) => it.version), ...attacks.map((it) => it.judgedVersion ?? it.version)];
  const distinct = [...new Set(versions)].filter((it) => it <= end).sort((a, b) => a - b);
  const step = Math.ceil(distinct.length / MAX_POINTS);
  return distinct.filter((it, i) => i % step === 0 || it === end).map((version) => {
    const labels = known.labelsAt(version)!;
    const values = [...labels.values()];
    const isActive = (it: (typeof attacks)[number]) =>
      (it.judgedVersion ?? it.version) <= version && labels.has(it.sourceId) && labels.has(it.targetId) && !(it.withdrawal && (turns.get(it.withdrawal.turnId)?.version ?? Infinity) <= version);
    return {
      x: ((version - 1) / (end - 1)) * 100,
      turns: said.filter((it) => it.version <= version).length,
      attacks: attacks.filter(isActive).length,
      cruxes: known.entries.reduce((n, it) => (it.version <= version ? n + it.cruxesGained.length - it.cruxesLost.length : n), 0),
      labels: BANDS.map(([label]) => values.filter((it) => it === label).length),
    };
  });
}

const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);

interface Properties {
  counts: readonly Counted[];
  end: number;
}

function Counts({ counts, end }: Properties) {
  const last = counts.at(-1)!;
  const all: [text: string, color: string, dash: string, value: (it: Counted) => number][] = [
    [count(last.turns, "turn"), "--soft", "", (it) => it.turns],
    [count(sum(last.labels), "argument"), "--link", "", (it) => sum(it.labels)],
    [count(last.attacks, "valid attack"), "--open", "6 3", (it) => it.attacks],
    [count(last.cruxes, "open crux", "open cruxes"), "--bad", "2 2", (it) => it.cruxes],
  ];
  const drawn = all.filter(([, , , value]) => counts.some((it) => value(it)));
  const top = Math.max(...drawn.flatMap(([, , , value]) => counts.map(value)));
  if (!drawn.length) return null;
  return (
    <Drawing
      title="Counts by event" about="Arguments and attacks are those that count." top={top} ends={["event 1", `event ${end}`]}
      series={drawn.map(([text, color, dash, value]) => ({ text, color, dash, path: line(steps(counts.map((it): Point => [it.x, (value(it) / top) * 100]))) }))}
    />
  );
}

function Labels({ counts, end }: Properties) {
  const top = Math.max(...counts.map((it) => sum(it.labels)));
  if (!top) return null;
  const edge = (n: number) => steps(counts.map((it): Point => [it.x, (sum(it.labels.slice(0, n)) / top) * 100]));
  return (
    <Drawing
      title="Labels by event" about="Arguments by their grounded labels, from the foot to the top." top={top} ends={["event 1", `event ${end}`]}
      series={BANDS.map(([label, color], i) => ({ text: `${counts.at(-1)!.labels[i]} ${label}`, color, isBand: true, path: `${line([...edge(i + 1), ...edge(i).reverse()])}Z` }))}
    />
  );
}

function Turns({ turns }: { turns: readonly Likeness[] }) {
  const x = (i: number) => (i / (turns.length - 1)) * 100;
  const own = turns.flatMap(({ toOwn }, i): Point[] => (toOwn === null ? [] : [[x(i), toOwn * 100]]));
  const fresh = turns.filter((it) => it.toAny < REPEATED).length;
  const series: Series[] = [{ text: `to any turn: ${fresh} of ${turns.length} below ${REPEATED}`, color: "--link", path: line(turns.map((it, i) => [x(i), it.toAny * 100])) }];
  if (own.length) series.push({ text: `to own turns: ${(sum(own.map(([, y]) => y)) / own.length / 100).toFixed(2)} on average`, color: "--open", dash: "6 3", path: line(own) });
  return <Drawing title="Novelty and circling by turn" about={`Greatest likeness to an earlier turn${turns.length + 1 < MAX_TURNS ? "" : `, among the first ${MAX_TURNS}`}.`} top={1} ends={[turns[0]!.shortId, turns.at(-1)!.shortId]} series={series} mark={REPEATED} />;
}

function Drawing({ title, about, top, ends, series, mark }: { title: string; about: string; top: number; ends: readonly [string, string]; series: readonly Series[]; mark?: number }) {
  const style = ({ color, dash, isBand }: Series) => (isBand ? { fill: `var(${color})`, stroke: "var(--paper)" } : { stroke: `var(${color})`, strokeDasharray: dash });
  return (
    <figure>
      <figcaption>{title} <small class="soft">{about}</small></figcaption>
      <div class="chart" role="img" aria-label={`${title}, ${ends.join(" to ")}: ${series.map((it) => it.text).join(", ")}`}>
        <p><span>{top}</span><span>0</span></p>
        <div class="plot">
          <svg viewBox="0 0 100 100" preserveAspectRatio="none">
            {mark && <path class="faint" d={`M0 ${100 - mark * 100}H100`} />}
            {series.map((it) => <path key={it.color} d={it.path} style={style(it)} />)}
          </svg>
        </div>
        <p><span>{ends[0]}</span><span>{ends[1]}</span></p>
      </div>
      <ul class="row small">
        {series.map((it) => <li key={it.color} class="row"><svg class="swatch" viewBox="0 0 14 14" aria-hidden="true"><path d={it.isBand ? "M0 0h14v14H0z" : "M0 7h14"} stroke-width="2" style={style(it)} /></svg> {it.text}</li>)}
      </ul>
    </figure>
  );
}
