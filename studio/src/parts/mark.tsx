/** Marks of participants: colour and shape, as in the exports (crates/core/src/export/marks.rs). */
const TRIANGLE = "M0,-6.6L6.4,5.2L-6.4,5.2z";
const CIRCLE = "M6,0A6,6 0 1 1 -6,0A6,6 0 1 1 6,0z";
const SQUARE = "M-5.4,-5.4L5.4,-5.4L5.4,5.4L-5.4,5.4z";
const DIAMOND = "M0,-7.2L7.2,0L0,7.2L-7.2,0z";
const POINT_DOWN = "M0,6.6L6.4,-5.2L-6.4,-5.2z";
const STAR = "M0,-7.4L1.8,-2.4L7,-2.3L2.9,0.9L4.4,6L0,3L-4.4,6L-2.9,0.9L-7,-2.3L-1.8,-2.4z";
const QUESTION = "M-3.4,-2.6C-3.4,-7.4 3.4,-7.4 3.4,-2.8C3.4,0.2 0,0 0,2.6M0,6L0,6.4";
const SHAPES = [
  TRIANGLE,
  CIRCLE,
  SQUARE,
  DIAMOND,
  POINT_DOWN,
  STAR,
  TRIANGLE,
  CIRCLE,
  SQUARE,
  POINT_DOWN,
  STAR,
  DIAMOND,
];

/** Path around the origin, about 14 units wide, and whether only its outline is drawn. A negative place is nobody's. */
export function markShape(place: number): { path: string; hollow: boolean } {
  if (place < 0) return { path: QUESTION, hollow: true };
  const at = place % SHAPES.length;
  return { path: SHAPES[at]!, hollow: at >= 6 };
}

/** Style class that sets `--c` to the colour of the participant at this place in speaking order. */
export const markClass = (place: number): string => (place < 0 ? "nobody" : `s${place % 8}`);

/** The mark alone. It repeats what a name beside it says, so it is hidden from screen readers. */
export function Mark({ place }: { place: number }) {
  const { path, hollow } = markShape(place);
  return (
    <svg class={`mark ${markClass(place)}${hollow ? " hollow" : ""}`} viewBox="-8 -8 16 16" aria-hidden="true">
      <path d={path} />
    </svg>
  );
}

/** Mark and name of a participant; `href` makes the name a link. */
export function Speaker({ place, name, href }: { place: number; name: string; href?: string }) {
  return (
    <span class={`speaker ${markClass(place)}`}>
      <Mark place={place} />
      {href ? <a href={href}>{name}</a> : name}
    </span>
  );
}
