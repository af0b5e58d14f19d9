// States of the page that are in its address: version, tab, picked argument, hypothetical removals, camp, crux, comparison.

import { address, hrefWith, setQuery, useAddress } from "../../model/router";

export interface DebateAddress {
  /** Shown version; null for the latest. */
  at: number | null;
  tab: string | null;
  /** Picked argument, such as `a9`. */
  pick: string | null;
  /** Arguments that are removed hypothetically. */
  without: string[];
  /** Number of the camp whose arguments are lit, from 1. */
  camp: number | null;
  /** Short id of the crux around which arguments are shown. */
  around: string | null;
  /** Version to compare the shown one with. */
  versus: number | null;
  /** Debate to compare with; this one if null. */
  with: string | null;
  /** Fragment: the turn to show. */
  hash: string;
}

const whole = (text: string | null): number | null => (text !== null && /^\d{1,9}$/.test(text) ? Number(text) : null);

export function useDebateAddress(): DebateAddress {
  const { query, hash } = useAddress();
  return {
    at: whole(query.get("at")),
    tab: query.get("tab"),
    pick: query.get("pick"),
    without: (query.get("without") ?? "").split(".").filter(Boolean),
    camp: whole(query.get("camp")),
    around: query.get("around"),
    versus: whole(query.get("versus")),
    with: query.get("with"),
    hash,
  };
}

/** Picks an argument, or lets go of it if it is picked. The choice is an entry of the history. */
export const pick = (id: string | null): void => setQuery({ pick: id }, { replace: false });

export const setWithout = (ids: readonly string[]): void => setQuery({ without: ids.join(".") }, { replace: false });

/** Address of a turn. On a narrow window the transcript has a tab of its own. */
export const turnHref = (id: string, isWide: boolean): string => `${hrefWith(isWide ? {} : { tab: "transcript" })}#${id}`;

/** Address of an argument in the drawing. */
export const argumentHref = (id: string): string => hrefWith({ tab: address.get().query.get("tab") === "map" ? "map" : "arguments", pick: id });
