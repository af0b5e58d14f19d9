// What is said, up to the shown version: live, with the words that are being written.

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { count, phaseTitle } from "../../../model/debate/words";
import { useStore } from "../../../model/store";
import { Button } from "../../../parts/controls";
import { Skeleton } from "../../../parts/states";
import { markClass } from "../../../parts/mark";
import { Who } from "../links";
import { useDebateAddress } from "../state";
import { TurnCard } from "./turn";
import { useRoomFilter } from "./room-filter";
import { useShown, useView } from "../view";

/** Turns that are in the document at first, and that are added at a time. */
const PAGE = 24;
/** Turns in the document while the reader moves through the events: as many as are seen at once. */
const STEPPING = 10;
/** Time without a step after which the others are added, in milliseconds. */
const REST = 150;

export function Transcript() {
  const { debate, sheet, isWide } = useView();
  const { version, isLatest } = useShown(debate);
  useStore(debate.turnsChanged);
  const isComplete = useStore(debate.isComplete);
  const { hash } = useDebateAddress();
  const room = useRoomFilter();
  const [size, setSize] = useState(PAGE);
  const upTo = debate.turns.all.slice(0, debate.turns.countAt(version));
  const turns = room.id === null ? upTo : upTo.filter((turn) => (turn.roomId ?? "main") === room.id);
  const target = hash ? turns.findIndex((turn) => turn.shortId === hash) : -1;
  const isResting = useRest(isLatest ? null : version);
  const most = isResting ? size : Math.min(size, STEPPING);
  const from = Math.max(0, Math.min(turns.length - most, target < 0 ? Infinity : target - 3));
  const shown = turns.slice(from);
  const isKnown = debate.turns.knownFrom(version) !== null;
  const scroll = useFollow(shown.length ? shown[shown.length - 1]!.shortId : "", `${version} ${isResting}`, isLatest, isWide);
  useTarget(hash, target >= 0);
  const last = turns[turns.length - 1];
  return (
    <div class="transcript" ref={scroll.box} data-scrolls onScroll={scroll.onScroll} tabIndex={isWide ? 0 : -1} role="region" aria-label="Transcript">
      {room.choice}
      {from > 0 && <p class="earlier"><Button onClick={() => setSize(size + PAGE)}>Show earlier turns</Button> <span class="small soft">{count(from, "turn")} before</span></p>}
      {!isKnown && <Skeleton lines={8} label="Loading the turns" />}
      {isKnown && !turns.length && <p class="soft">{sheet.status === "RUNNING" && isLatest ? "Nobody has spoken yet. The first turn is on its way." : "Nothing has been said up to this event."}</p>}
      {shown.map((turn, at) => {
        const before = at ? shown[at - 1]! : turns[from - 1];
        const phase = phaseAt(sheet.phases, turn.version);
        const isNew = phase && (!before || phaseAt(sheet.phases, before.version) !== phase);
        return [
          isNew && <h3 key={`phase-${phase.fromVersion}`} class="phase-title overline">{phaseTitle(phase.name, phase.round)}</h3>,
          <TurnCard key={turn.shortId} turn={turn} isTarget={turn.shortId === hash} isNow={!isLatest && turn === last} />,
        ];
      })}
      {isLatest && <WritingNow />}
      {!isComplete && from === 0 && isKnown && <p class="small soft">Reading earlier turns …</p>}
      {scroll.hasNews && <p class="news no-print"><Button kind="primary" onClick={scroll.toEnd}>New turns below</Button></p>}
    </div>
  );
}

/** True unless the reader has just moved to this version; null for the latest one, which moves by itself. */
function useRest(version: number | null): boolean {
  const [rested, setRested] = useState(version);
  useEffect(() => {
    const timer = setTimeout(() => setRested(version), REST);
    return () => clearTimeout(timer);
  }, [version]);
  return version === null || rested === version;
}

type Phases = readonly { name: string; round: number | null; fromVersion: number }[];

/** The phase that a version belongs to. */
function phaseAt(phases: Phases, version: number): Phases[number] | undefined {
  let found: Phases[number] | undefined;
  for (const phase of phases) if (phase.fromVersion <= version) found = phase;
  return found;
}

/** Words that a model is writing: not said yet, and not recorded. */
function WritingNow() {
  const { debate, people } = useView();
  const drafts = useStore(debate.drafts.current);
  return (
    <>
      {drafts.map((draft) => (
        <article key={draft.id} class={`turn draft ${markClass(people.place(draft.speakerId))}`} aria-label={`${people.name(draft.speakerId)} is writing`}>
          <header><Who id={draft.speakerId} /> <span class="soft small">is writing; not said yet{draft.attempt > 1 && ` (attempt ${draft.attempt})`}</span></header>
          <p class="words" dir="auto">{draft.text}</p>
        </article>
      ))}
    </>
  );
}

/** Keeps the end in view while the reader is there, or whenever the reader steps through the events. */
function useFollow(last: string, step: string, isLatest: boolean, isWide: boolean) {
  const box = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  const [hasNews, setNews] = useState(false);
  const scroller = () => (isWide ? box.current! : document.scrollingElement!);
  const toEnd = () => {
    const element = scroller();
    element.scrollTop = element.scrollHeight;
    // Turns that come into view get their true height only then.
    requestAnimationFrame(() => (element.scrollTop = element.scrollHeight));
    isAtEnd.current = true;
    setNews(false);
  };
  const top = useRef(0);
  const onScroll = () => {
    if (!box.current) return; // a scroll that began before the transcript was left
    const element = scroller();
    const rest = element.scrollHeight - element.scrollTop - element.clientHeight;
    // Only the reader scrolls up; content that grows does not.
    if (element.scrollTop < top.current - 4 && rest > 80) isAtEnd.current = false;
    top.current = element.scrollTop;
    if (rest < 80) {
      isAtEnd.current = true;
      setNews(false);
    }
  };
  const isFirst = useRef(true);
  useLayoutEffect(() => {
    if (!last) return;
    const isTargeted = isFirst.current && location.hash;
    isFirst.current = false;
    if (isTargeted || !isWide) return;
    if (isAtEnd.current || !isLatest) toEnd();
    else setNews(true);
  }, [last, step, isWide]);
  return { box, onScroll, hasNews, toEnd };
}

/** Brings the turn of the address into view, and gives it the focus for screen readers. */
function useTarget(hash: string, isThere: boolean): void {
  useEffect(() => {
    if (!hash || !isThere) return;
    const element = document.getElementById(hash);
    element?.scrollIntoView({ block: "center" });
    element?.focus({ preventScroll: true });
  }, [hash, isThere]);
}

