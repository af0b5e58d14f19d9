/** The part of the page that consists of all pages except the list and the debate: `pages.js`. */
export { CostPage } from "./cost/cost-page";
export { CruxesPage } from "./cruxes/cruxes-page";
export { PersonaPage } from "./personas/persona-page";
export { PersonasPage } from "./personas/personas-page";
export { ProjectionsPage } from "./projections/projections-page";
export { StartPage } from "./start/start-page";
export { StatisticsPage } from "./statistics/statistics-page";

declare const BUILD: string;
export const build = BUILD;
