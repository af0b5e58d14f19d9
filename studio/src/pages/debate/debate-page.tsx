import type { PageProperties } from "../routes";

export function DebatePage({ parameters }: PageProperties) {
  return <h1>{parameters.id}</h1>;
}
