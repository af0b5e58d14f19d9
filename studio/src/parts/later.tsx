/** Components whose code is fetched when they are shown for the first time. */
import { h, type ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Button } from "./controls";

/** Name of the build, set by `build.mjs`: files of different builds must not run together. */
declare const BUILD: string;

/** A part of the page: its components, and the build it belongs to. */
interface Part {
  build: string;
}

/** Fetches a part once. After a failure, the next call tries again. */
export function once<Loaded extends Part>(load: () => Promise<Loaded>): () => Promise<Loaded> {
  let part: Promise<Loaded> | undefined;
  return () =>
    (part ??= load().catch((error: unknown) => {
      part = undefined;
      throw error;
    }));
}

/** A component that stands for one of a part until that is there. */
export function later<Properties extends object, Loaded extends Part>(
  part: () => Promise<Loaded>,
  pick: (loaded: Loaded) => ComponentType<Properties>,
): ComponentType<Properties> {
  let there: ComponentType<Properties> | undefined;
  return function Later(properties: Properties) {
    const [state, set] = useState<"waiting" | "there" | "updated" | "failed">(there ? "there" : "waiting");
    useEffect(() => {
      if (state !== "waiting") return;
      let isShown = true;
      part().then(
        (loaded) => {
          if (loaded.build === BUILD) there = pick(loaded);
          if (isShown) set(there ? "there" : "updated");
        },
        () => isShown && set("failed"),
      );
      return () => {
        isShown = false;
      };
    }, [state]);
    if (there) return h(there, properties);
    if (state === "failed")
      // Some browsers keep a failed import in mind for as long as the page is open; the address contains its state.
      return (
        <div class="message failed" role="alert">
          <h3>The page did not arrive completely</h3>
          <p>Check that the service is running and that you are online.</p>
          <Button onClick={() => location.reload()}>Try again</Button>
        </div>
      );
    if (state === "updated")
      return (
        <div class="message note" role="alert">
          <h3>The service was updated</h3>
          <p>This page is of an earlier version. Reload it to go on.</p>
          <Button onClick={() => location.reload()}>Reload</Button>
        </div>
      );
    return <div role="status" aria-label="Loading" aria-busy="true" />;
  };
}
