import { Store } from "../../model/store";

/** `wanted` shows the pages and prints once they are complete; `shown` is set by the browser's own command. */
export const printing = new Store<"no" | "wanted" | "shown">("no");
