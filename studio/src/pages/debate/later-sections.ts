// Tabs and dialogs whose code is fetched beside the data of the first view.

import { later, once } from "../../parts/later";

const sections = once(() => import("../part-sections"));
sections().catch(() => {}); // shown, and tried again, where a section is

export const Checks = later(sections, (it) => it.Checks);
export const Course = later(sections, (it) => it.Course);
export const Disputes = later(sections, (it) => it.Disputes);
export const ForkDialog = later(sections, (it) => it.ForkDialog);
export const Measures = later(sections, (it) => it.Measures);
export const MotionTab = later(sections, (it) => it.MotionTab);
export const Proposals = later(sections, (it) => it.Proposals);
export const Rooms = later(sections, (it) => it.Rooms);
export const TablesTab = later(sections, (it) => it.TablesTab);
