/** Pages by the pattern of their path. To add a page, add a line here. */
import type { ComponentType } from "preact";
import { match } from "../model/router";
import { later, once } from "../parts/later";
import { ListPage } from "./list/list-page";

// The code of the other pages comes in two files, which `build.mjs` makes of these modules.
const debate = once(() => import("./part-debate"));
const pages = once(() => import("./part-pages"));

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
  { pattern: "/start", page: later(pages, (it) => it.StartPage) },
  { pattern: "/cruxes", page: later(pages, (it) => it.CruxesPage) },
  { pattern: "/projections", page: later(pages, (it) => it.ProjectionsPage) },
  { pattern: "/cost", page: later(pages, (it) => it.CostPage) },
  { pattern: "/statistics", page: later(pages, (it) => it.StatisticsPage) },
  { pattern: "/personas", page: later(pages, (it) => it.PersonasPage) },
  { pattern: "/personas/{id}", page: later(pages, (it) => it.PersonaPage) },
  { pattern: "/debates/{id}", page: later(debate, (it) => it.DebatePage), full: true },
];

export function routeOf(path: string): { route: Route; parameters: Record<string, string> } | null {
  for (const route of ROUTES) {
    const parameters = match(route.pattern, path);
    if (parameters) return { route, parameters };
  }
  return null;
}

/** Fetches the code of all pages, so that following a link need not wait for it. */
export function fetchAll(): void {
  for (const part of [debate, pages]) part().catch(() => {});
}
