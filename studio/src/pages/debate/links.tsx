// Links to turns and arguments, and names of participants with their marks.

import { Speaker } from "../../parts/mark";
import { argumentHref, turnHref } from "./state";
import { useView } from "./view";

export function TurnLink({ id }: { id: string | null | undefined }) {
  const { isWide } = useView();
  if (!id) return null;
  return <a class="ref" href={turnHref(id, isWide)} aria-label={`turn ${id}`}>{id}</a>;
}

export function ArgumentLink({ id }: { id: string }) {
  return <a class="ref" href={argumentHref(id)} aria-label={`argument ${id}`}>{id}</a>;
}

export function Who({ id }: { id: string | null }) {
  const { people } = useView();
  return <Speaker place={people.place(id)} name={people.name(id)} />;
}
