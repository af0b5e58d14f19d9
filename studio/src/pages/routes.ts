/** Pages by the pattern of their path. To add a page, add a line here. */
import type { ComponentType } from "preact";
import { match } from "../model/router";
import { DebatePage } from "./debate/debate-page";
import { CostPage } from "./cost/cost-page";
import { CruxesPage } from "./cruxes/cruxes-page";
import { ListPage } from "./list/list-page";
import { PersonaPage } from "./personas/persona-page";
import { PersonasPage } from "./personas/personas-page";
import { ProjectionsPage } from "./projections/projections-page";
import { StartPage } from "./start/start-page";

/** Parameters of the path, such as `id`. A page that is shown for another id is mounted anew. */
export type PageProperties = { parameters: Record<string, string> };

interface Route {
  pattern: string;
  page: ComponentType<PageProperties>;
  /** True if the page fills the window and scrolls inside its own parts. */
  full?: boolean;
}

const ROUTES: readonly Route[] = [
  { pattern: "/", page: ListPage },
  { pattern: "/start", page: StartPage },
  { pattern: "/cruxes", page: CruxesPage },
  { pattern: "/projections", page: ProjectionsPage },
  { pattern: "/cost", page: CostPage },
  { pattern: "/personas", page: PersonasPage },
  { pattern: "/personas/{id}", page: PersonaPage },
  { pattern: "/debates/{id}", page: DebatePage, full: true },
];

export function routeOf(path: string): { route: Route; parameters: Record<string, string> } | null {
  for (const route of ROUTES) {
    const parameters = match(route.pattern, path);
    if (parameters) return { route, parameters };
  }
  return null;
}
