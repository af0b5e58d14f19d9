// Frame of a section that is read when its tab is opened.

import type { ComponentChildren } from "preact";
import type { Loaded } from "../../../model/data";
import { Failed, Skeleton } from "../../../parts/states";
import { useView } from "../view";

interface Properties<Data> {
  loaded: Loaded<Data>;
  what: string;
  children: (data: Data) => ComponentChildren;
}

/** Shows the previous data while those of another version are read, marked as busy. */
export function Section<Data>({ loaded, what, children }: Properties<Data>) {
  const { sheet } = useView();
  if (loaded.error && !loaded.data) return <div class="panel-body"><Failed error={loaded.error} retry={loaded.reload} what={what} /></div>;
  if (!loaded.data) return <div class="panel-body"><Skeleton lines={8} label={`Loading ${what.toLowerCase()}`} /></div>;
  return <div class="panel-body section" data-scrolls tabIndex={0} aria-busy={loaded.loading} data-version={sheet.version}>{children(loaded.data)}</div>;
}
