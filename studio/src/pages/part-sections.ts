/** The part of the page that a debate shows in tabs and dialogs, and not at first: `sections.js`. */
export { ForkDialog } from "./debate/frame/fork";
export { Checks } from "./debate/sections/checks";
export { Course } from "./debate/sections/course";
export { Disputes } from "./debate/sections/disputes";
export { Measures } from "./debate/sections/measures";
export { Proposals } from "./debate/sections/proposals";
export { Rooms } from "./debate/sections/rooms";
export { MotionTab, TablesTab } from "./debate/sections/rounds";

declare const BUILD: string;
export const build = BUILD;
