// Drawing of arguments and attacks: boxes over lines, of which only those in view are in the document.

import type { ComponentChildren } from "preact";
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { memo } from "../../model/store";
import { curve, inWindow, lineInWindow, type Place, type Window } from "./geometry";

export interface DrawnBox {
  id: string;
  place: Place;
  /** Classes for colour of the author, label and state. */
  classes: string;
  mark: string;
  word: string;
  text: string;
  /** Who said it, for screen readers and where lanes do not tell. */
  author: string;
  /** What the box is to the picked one, or what just happened to it. */
  note: string;
  isPicked: boolean;
}

export interface DrawnLine {
  id: string;
  source: string;
  target: string;
  isMutual: boolean;
  classes: string;
  /** Points laid out by the service; without them the line is a curve between the boxes. */
  path?: readonly { x: number; y: number }[];
}

interface Properties {
  boxes: readonly DrawnBox[];
  lines: readonly DrawnLine[];
  width: number;
  height: number;
  scale?: number;
  /** Heads of lanes, which stay in view. */
  heads?: ComponentChildren;
  pick: (id: string) => void;
  /** Box to bring into view when it changes. */
  reveal: string | null;
}

/** Boxes this far outside of the view are drawn already. */
const MARGIN = 240;
/** Number of lines beyond which they are drawn fainter, and only at boxes in view. */
const MANY = 120;

export function Drawing({ boxes, lines, width, height, scale = 1, heads, pick, reveal }: Properties) {
  const frame = useRef<HTMLDivElement>(null);
  const [view, setView] = useState<Window>({ left: -MARGIN, top: -MARGIN, right: 1_400, bottom: 1_000 });
  const look = useCallback(() => {
    const { scrollLeft, scrollTop, clientWidth, clientHeight } = frame.current!;
    const next = { left: scrollLeft / scale - MARGIN, top: scrollTop / scale - MARGIN, right: (scrollLeft + clientWidth) / scale + MARGIN, bottom: (scrollTop + clientHeight) / scale + MARGIN };
    setView((it) => (Math.abs(it.left - next.left) + Math.abs(it.top - next.top) + Math.abs(it.right - next.right) + Math.abs(it.bottom - next.bottom) < MARGIN / 2 ? it : next));
  }, [scale]);
  useLayoutEffect(look, [look]);
  useEffect(() => {
    const observer = new ResizeObserver(look);
    observer.observe(frame.current!);
    return () => observer.disconnect();
  }, [look]);
  const places = new Map(boxes.map((box) => [box.id, box.place]));
  const revealed = reveal ? places.get(reveal) : undefined;
  useEffect(() => {
    if (!revealed) return;
    const element = frame.current!;
    const [top, left] = [revealed.y * scale, revealed.x * scale];
    const isSeen = top >= element.scrollTop && top + revealed.height * scale <= element.scrollTop + element.clientHeight - 40 && left >= element.scrollLeft && left + revealed.width * scale <= element.scrollLeft + element.clientWidth;
    if (!isSeen) element.scrollTo({ top: Math.max(0, top - element.clientHeight / 3), left: Math.max(0, left - element.clientWidth / 3) });
  }, [reveal, revealed?.x, revealed?.y, scale]);

  const first = boxes.find((box) => box.isPicked)?.id ?? boxes.find((box) => inWindow(box.place, view))?.id;
  const onKeyDown = (event: KeyboardEvent) => {
    const id = (event.target as HTMLElement).dataset.arg;
    const place = id && places.get(id);
    if (!place || event.shiftKey) return;
    const next = nearest(boxes, place, event.key);
    if (next === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    if (next) focusBox(frame.current!, next, scale);
  };
  return (
    <div class="drawing" ref={frame} onScroll={look} onKeyDown={onKeyDown} data-scrolls tabIndex={boxes.length ? -1 : 0} role="group" aria-label="Arguments; arrow keys move between boxes">
      {heads}
      <div class={heads ? "canvas-size" : "canvas-size spaced"} style={{ width: `${width * scale}px`, height: `${height * scale}px` }}>
        <div class="canvas" style={{ width: `${width}px`, height: `${height}px`, transform: scale === 1 ? "" : `scale(${scale})` }}>
          <svg class={lines.length > MANY ? "lines many" : "lines"} width={width} height={height} aria-hidden="true">
            <defs>
              {["", "lit-in", "lit-out"].map((name) => (
                <marker key={name} id={`head-${name}`} class={name} viewBox="0 0 8 8" refX="6.5" refY="4" markerWidth="7" markerHeight="7" markerUnits="userSpaceOnUse" orient="auto-start-reverse"><path d="M0,0.5L8,4L0,7.5z" /></marker>
              ))}
            </defs>
            {lines.map((line, at) => {
              const from = places.get(line.source);
              const to = places.get(line.target);
              if (!from || !to || line.path?.length === 0 || !lineInWindow(from, to, view)) return null;
              // Lines that only pass by are left out where there are many.
              if (lines.length > MANY && !inWindow(from, view) && !inWindow(to, view)) return null;
              return <Line key={line.id} id={line.id} d={line.path ? through(line.path) : curve(from, to, ((at % 5) - 2) * 5)} classes={line.classes} isMutual={line.isMutual} />;
            })}
          </svg>
          {boxes.map((box) => inWindow(box.place, view) && (
            <Box key={box.id} id={box.id} x={box.place.x} y={box.place.y} width={box.place.width} height={box.place.height} classes={box.classes} mark={box.mark} word={box.word} text={box.text} author={box.author} note={box.note} isPicked={box.isPicked} isStop={box.id === first} pick={pick} />
          ))}
        </div>
      </div>
    </div>
  );
}

type BoxProperties = Place & Omit<DrawnBox, "place"> & { isStop: boolean; pick: (id: string) => void };

const Box = memo(({ id, x, y, width, height, classes, mark, word, text, author, note, isPicked, isStop, pick }: BoxProperties) => (
  <button
    type="button" class={`box ${classes}`} data-arg={id} aria-pressed={isPicked} tabIndex={isStop ? 0 : -1} onClick={() => pick(id)}
    style={{ transform: `translate(${x}px,${y}px)`, width: `${width}px`, height: `${height}px` }}
  >
    <span class="box-head">
      <b>{id}</b>
      <span class="box-label"><span aria-hidden="true">{mark}</span> {word}</span>
    </span>
    {author && <span class="visually-hidden">{author}: </span>}
    {text && <span class="box-text" dir="auto">{text}</span>}
    {note && <span class="box-note">{note}</span>}
  </button>
));

const Line = memo(({ id, d, classes, isMutual }: { id: string; d: string; classes: string; isMutual: boolean }) => {
  const head = `url(#head-${classes.includes("lit-in") ? "lit-in" : classes.includes("lit-out") ? "lit-out" : ""})`;
  return <path d={d} class={`line ${classes}`} data-attack={id} marker-end={head} marker-start={isMutual ? head : undefined} />;
});

/** Path through points of the service: curves that leave and arrive vertically. */
function through(points: readonly { x: number; y: number }[]): string {
  const round = (value: number) => Math.round(value * 10) / 10;
  return points.map((point, at) => {
    const [x, y] = [round(point.x), round(point.y)];
    if (!at) return `M${x},${y}`;
    const before = points[at - 1]!;
    if (Math.abs(before.x - point.x) < 0.5) return `L${x},${y}`;
    const half = round((before.y + point.y) / 2);
    return `C${round(before.x)},${half} ${x},${half} ${x},${y}`;
  }).join("");
}

/** The nearest box in the direction of an arrow key; null if there is none, undefined for other keys. */
function nearest(boxes: readonly DrawnBox[], from: Place, key: string): DrawnBox | null | undefined {
  const along: Record<string, (to: Place) => [ahead: number, aside: number]> = {
    ArrowRight: (to) => [to.x - from.x, to.y - from.y],
    ArrowLeft: (to) => [from.x - to.x, to.y - from.y],
    ArrowDown: (to) => [to.y - from.y, to.x - from.x],
    ArrowUp: (to) => [from.y - to.y, to.x - from.x],
  };
  const direction = along[key];
  if (!direction) return undefined;
  let best: DrawnBox | null = null;
  let least = Infinity;
  for (const box of boxes) {
    const [ahead, aside] = direction(box.place);
    if (ahead <= 4) continue;
    const distance = ahead + 3 * Math.abs(aside);
    if (distance < least) [best, least] = [box, distance];
  }
  return best;
}

/** Scrolls to a box, which may not be in the document yet, and focuses it. */
function focusBox(frame: HTMLElement, box: DrawnBox, scale: number): void {
  const find = () => frame.querySelector<HTMLElement>(`[data-arg="${CSS.escape(box.id)}"]`);
  const now = find();
  if (now) return now.focus();
  frame.scrollTo({ top: box.place.y * scale - frame.clientHeight / 2, left: box.place.x * scale - frame.clientWidth / 2 });
  requestAnimationFrame(() => requestAnimationFrame(() => find()?.focus()));
}
