// What all parts of the page of a debate share.

import { createContext } from "preact";
import { useContext, useEffect, useState } from "preact/hooks";
import { useData, type Loaded } from "../../model/data";
import type { Debate, Sheet } from "../../model/debate/debate";
import { People } from "../../model/debate/people";
import { useStore } from "../../model/store";
import type { Document } from "../../wire";

export interface View {
  debate: Debate;
  /** Verdict of the shown version, or of an earlier one while that is being read. */
  sheet: Sheet;
  people: People;
  /** True if verdict, arguments and transcript stand side by side. */
  isWide: boolean;
}

export const ViewContext = createContext<View | null>(null);

export function useView(): View {
  const view = useContext(ViewContext);
  if (!view) throw new Error("used outside of the page of a debate");
  return view;
}

/** Version that is shown, and whether it is the latest. */
export function useShown(debate: Debate): { version: number; head: number; isLatest: boolean } {
  const head = useStore(debate.head);
  const at = useStore(debate.at);
  return { version: at ?? head, head, isLatest: at === null };
}

export function useMedia(query: string): boolean {
  const [matches, set] = useState(() => matchMedia(query).matches);
  useEffect(() => {
    const list = matchMedia(query);
    const check = () => set(list.matches);
    check();
    list.addEventListener("change", check);
    return () => list.removeEventListener("change", check);
  }, [query]);
  return matches;
}

/**
 * Reads a section at the version of the verdict, so that it follows the slider and live changes at its pace. Sections of
 * past versions never change and are kept.
 */
export function useSection<Data, Variables extends { id: string; at?: number | null }>(document: Document<Data, Variables>): Loaded<Data> {
  const { debate, sheet } = useView();
  const variables = { id: debate.fullId, at: sheet.version } as Variables;
  return useData(document, variables, { keep: true });
}
