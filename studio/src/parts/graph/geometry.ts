// Places of boxes and lines. In lanes, a box has the place of its author and of its number among the author's arguments:
// the log only grows, so no box ever moves.

export interface Place {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** What a drawing needs to know of an argument or a reason. */
export interface Node {
  id: string;
  lane: number;
}

export const BOX = { width: 192, height: 94, gapX: 38, gapY: 16, left: 26, top: 12 } as const;

/** Width with which all lanes fill a frame, within what is well readable. */
export const fittingWidth = (frame: number, lanes: number): number =>
  Math.max(BOX.width, Math.min(300, Math.floor((frame - BOX.left - 16) / Math.max(1, lanes) - BOX.gapX)));

/** Places in lanes: nodes must be in the order in which they were recorded. */
export function lanes(nodes: readonly Node[], width: number): Map<string, Place> {
  const rows: number[] = [];
  const places = new Map<string, Place>();
  for (const node of nodes) {
    const row = (rows[node.lane] = (rows[node.lane] ?? -1) + 1);
    places.set(node.id, {
      x: laneX(node.lane, width),
      y: BOX.top + row * (BOX.height + BOX.gapY),
      width,
      height: BOX.height,
    });
  }
  return places;
}

export const laneX = (lane: number, width: number): number => BOX.left + lane * (width + BOX.gapX);

export const lanesWidth = (count: number, width: number): number => BOX.left + count * (width + BOX.gapX) - BOX.gapX / 2;

/** Curve from the edge of one box to the edge of another; within a lane it runs through the gap on the left. */
export function curve(from: Place, to: Place, shift: number): string {
  const y1 = Math.round(from.y + from.height / 2 + shift);
  const y2 = Math.round(to.y + to.height / 2 - shift);
  if (Math.abs(from.x - to.x) < 4) {
    const out = from.x - 8 - Math.min(14, 4 + Math.abs(y1 - y2) / 60);
    return `M${from.x},${y1}C${out},${y1} ${out},${y2} ${to.x - 2},${y2}`;
  }
  const right = to.x > from.x;
  const x1 = right ? from.x + from.width : from.x;
  const x2 = right ? to.x - 2 : to.x + to.width + 2;
  const bend = Math.max(18, Math.min(60, Math.abs(x2 - x1) / 2)) * (right ? 1 : -1);
  return `M${x1},${y1}C${x1 + bend},${y1} ${x2 - bend},${y2} ${x2},${y2}`;
}

export interface Window {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** True if any part of the box is in the window. */
export const inWindow = (place: Place, window: Window): boolean =>
  place.x < window.right && place.x + place.width > window.left && place.y < window.bottom && place.y + place.height > window.top;

/** True if a line between two boxes may cross the window. */
export const lineInWindow = (from: Place, to: Place, window: Window): boolean =>
  Math.min(from.y, to.y) < window.bottom &&
  Math.max(from.y + from.height, to.y + to.height) > window.top &&
  Math.min(from.x, to.x) - 30 < window.right &&
  Math.max(from.x + from.width, to.x + to.width) > window.left;
