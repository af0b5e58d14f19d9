// Foot of the page: replay of the debate, event by event.

import { useEffect, useRef, useState } from "preact/hooks";
import { count, eventWords, LABEL } from "../../../model/debate/words";
import { useStore } from "../../../model/store";
import { Button } from "../../../parts/controls";
import { playing, speed, SPEEDS, usePlay } from "./play";
import { Ticks } from "./ticks";
import { useShown, useView } from "../view";

export function TimeBar() {
  const { debate, sheet } = useView();
  const isOpen = (useStore(debate.state) ?? sheet).status === "RUNNING";
  const { version, head, isLatest } = useShown(debate);
  const isPlaying = useStore(playing);
  const rate = useStore(speed);
  usePlay(debate);
  useStore(debate.linesChanged);
  useEffect(() => debate.wantLine(version), [version]);
  const line = debate.lines.get(version);
    const set = (next: number) => {
    playing.set(false);
    debate.show(next);
  };
  return (
    <footer class="time no-print" aria-label="Replay">
      <Button kind="icon" label={isPlaying ? "Pause the replay" : "Replay"} title="Replay (space bar)" onClick={() => playing.set(!isPlaying)}>
        <svg viewBox="0 0 12 12" aria-hidden="true">{isPlaying ? <path d="M2 1h3v10H2zM7 1h3v10H7z" /> : <path d="M2 1l9 5-9 5z" />}</svg>
      </Button>
      <label class="speed">
        <span class="visually-hidden">Speed of the replay</span>
        <select class="input" value={String(rate)} onChange={(event) => speed.set(Number(event.currentTarget.value))}>
          {SPEEDS.map((it) => <option key={it} value={it} selected={it === rate}>×{it}</option>)}
        </select>
      </label>
      <Button kind="icon" label="One event back" title="One event back (←)" disabled={version <= 1} onClick={() => set(version - 1)}>‹</Button>
      <div class="track">
        <input
          type="range" min={1} max={Math.max(1, head)} step={1} value={version} aria-label="Shown event"
          aria-valuetext={`event ${version} of ${head}${line ? `: ${line.summary}` : ""}`}
          onInput={(event) => set(Number(event.currentTarget.value))}
        />
        <Ticks />
      </div>
      <Button kind="icon" label="One event on" title="One event on (→)" disabled={isLatest} onClick={() => set(version + 1)}>›</Button>
      <div class="where">
        <span class="number"><b>{version}</b> / {head}</span>
        {isLatest ? <span class={isOpen ? "tag good live" : "soft small"}>{isOpen ? "live" : "the end"}</span> : <Button kind="plain" onClick={() => (playing.set(false), debate.show(null))}>{isOpen ? "To live" : "To the end"}</Button>}
      </div>
      <p class="told" title={line?.summary}>
        {line ? <><span class="kind">{eventWords(line.kind)}{line.summary && ":"}</span> {line.summary}</> : "…"}
        <Changes />
      </p>
      <Announced text={`Event ${version}: ${line?.summary ?? ""}`} />
    </footer>
  );
}

/** What the event of the shown version changed: labels, cruxes, the overall state. */
function Changes() {
  const { debate } = useView();
  const { version } = useShown(debate);
  const timeline = useStore(debate.timeline);
  const entry = timeline.changesAt(version);
  if (!entry) return null;
  const before = timeline.regimeAt(version - 1);
  const parts = entry.labelChanges.map((it) => `${it.argumentId} ${it.from ? LABEL[it.from].word : "new"} → ${it.to ? LABEL[it.to].word : "no longer counts"}`);
  if (entry.cruxesGained.length) parts.push(`${count(entry.cruxesGained.length, "crux", "cruxes")} more`);
  if (entry.cruxesLost.length) parts.push(`${count(entry.cruxesLost.length, "crux", "cruxes")} fewer`);
  if (before && before !== entry.regime) parts.push(`${before.toLowerCase()} → ${entry.regime.toLowerCase()}`);
  return parts.length ? <b> · {parts.join(", ")}</b> : null;
}

/** Tells screen readers where the replay is: at most one message a second. */
function Announced({ text }: { text: string }) {
  const [said, say] = useState("");
  const last = useRef(0);
  const isFirst = useRef(true);
  useEffect(() => {
    if (isFirst.current) {
      isFirst.current = false;
      return;
    }
    const wait = Math.max(250, last.current + 1_000 - performance.now());
    const timer = setTimeout(() => {
      last.current = performance.now();
      say(text);
    }, wait);
    return () => clearTimeout(timer);
  }, [text]);
  return <p class="visually-hidden" role="status">{said}</p>;
}

