/** The part of the page that shows one debate: `debate.js`. */
export { DebatePage } from "./debate/debate-page";

declare const BUILD: string;
export const build = BUILD;
