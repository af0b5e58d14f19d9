// Verdict, the chosen part, and transcript: side by side on a wide window, one at a time on a narrow one.

import type { ComponentType } from "preact";
import { useRef } from "preact/hooks";
import type { Sheet } from "../../model/debate/debate";
import { hrefWith } from "../../model/router";
import { Arguments } from "./drawing/arguments";
import { MapTab } from "./drawing/map";
import { Checks, Course, Disputes, Measures, MotionTab, Proposals, Rooms, TablesTab } from "./later-sections";
import { useDebateAddress } from "./state";
import { Transcript } from "./said/transcript";
import { Verdict } from "./verdict/verdict";
import { useView } from "./view";

interface Tab {
  id: string;
  label: (sheet: Sheet) => string;
  part: ComponentType;
  /** Engines that always have this part, and whether the debate has it otherwise. */
  engines: readonly string[];
  has: (sheet: Sheet) => boolean;
}

const TABS: readonly Tab[] = [
  { id: "arguments", label: () => "Arguments", part: Arguments, engines: ["graph", "dialogue"], has: (it) => it.arguments.length > 0 },
  { id: "motion", label: () => "Motion", part: MotionTab, engines: ["pro_con"], has: (it) => it.motion !== null },
  { id: "proposals", label: () => "Proposals", part: Proposals, engines: ["dialectic"], has: (it) => it.proposals.length > 0 },
  { id: "disputes", label: () => "Disputes", part: Disputes, engines: ["disputes", "crux_rooms", "forum", "blitz", "classical"], has: (it) => it.disputes.length > 0 },
  { id: "map", label: () => "Map", part: MapTab, engines: [], has: (it) => it.arguments.length > 0 || it.disputes.length > 0 || it.proposals.length > 0 },
  { id: "tables", label: () => "Tables", part: TablesTab, engines: ["blitz", "classical"], has: (it) => it.tables.length > 0 },
  { id: "rooms", label: (it) => (it.engine === "forum" || it.rooms.some((room) => room.kind === "THREAD") ? "Threads" : "Rooms"), part: Rooms, engines: ["crux_rooms", "forum"], has: (it) => it.rooms.length > 0 },
  { id: "checks", label: () => "Sources and checks", part: Checks, engines: [], has: () => true },
  { id: "course", label: () => "Course and cost", part: Course, engines: [], has: () => true },
  { id: "measures", label: () => "Measures", part: Measures, engines: [], has: () => true },
];

export function Panels() {
  const { sheet, isWide } = useView();
  const { tab } = useDebateAddress();
  // A part that the debate has at any version stays while the reader goes back in time.
  const seen = useRef(new Set<string>());
  for (const it of TABS) if (it.engines.includes(sheet.engine) || it.has(sheet)) seen.current.add(it.id);
  const tabs = TABS.filter((it) => seen.current.has(it.id));
  const chosen = tabs.find((it) => it.id === tab) ?? (isWide || (tab !== "transcript" && tab !== null && tab !== "verdict") ? (tabs.find((it) => it.engines.includes(sheet.engine)) ?? tabs[0]!) : null);
  const narrow = chosen ? "main" : tab === "transcript" ? "said" : "verdict";
  const Part = chosen?.part;
  const link = (id: string, label: string, isHere: boolean) => <a key={id} href={hrefWith({ tab: id })} aria-current={isHere ? "page" : undefined}>{label}</a>;
  return (
    <>
      {!isWide && (
        <nav class="tabs no-print" aria-label="Parts of the debate">
          {link("verdict", "Verdict", narrow === "verdict")}
          {link("transcript", "Transcript", narrow === "said")}
          {tabs.map((it) => link(it.id, it.label(sheet), chosen === it))}
        </nav>
      )}
      <div class={`panels show-${narrow}`}>
        {(isWide || narrow === "verdict") && <section class="panel panel-verdict" aria-label="Verdict"><h2 class="visually-hidden">Verdict</h2><div class="panel-body" data-scrolls tabIndex={isWide ? 0 : -1}><Verdict /></div></section>}
        {Part && (
          <section class="panel panel-main" aria-label={chosen.label(sheet)}>
            {isWide && <nav class="tabs no-print" aria-label="Parts of the debate">{tabs.map((it) => link(it.id, it.label(sheet), chosen === it))}</nav>}
            <h2 class="visually-hidden">{chosen.label(sheet)}</h2>
            <Part />
          </section>
        )}
        {(isWide || narrow === "said") && <section class="panel panel-said" aria-label="What is said"><h2 class={isWide ? "panel-title" : "visually-hidden"}>What is said <Count /></h2><Transcript /></section>}
      </div>
    </>
  );
}

function Count() {
  const { sheet } = useView();
  return <span class="soft small">{sheet.turnCount} {sheet.turnCount === 1 ? "turn" : "turns"}</span>;
}
