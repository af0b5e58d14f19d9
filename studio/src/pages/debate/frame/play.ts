// Replay of the events at a chosen speed.

import { useEffect } from "preact/hooks";
import type { Debate } from "../../../model/debate/debate";
import { Store, useStore } from "../../../model/store";

export const SPEEDS = [1, 2, 4, 8, 16] as const;
/** Events a second at the speed ×1. */
const BASE = 1;

export const playing = new Store(false);
export const speed = new Store<number>(2);

/** Steps through the events while playing; stops at the end. */
export function usePlay(debate: Debate): void {
  const isPlaying = useStore(playing);
  const rate = useStore(speed);
  useEffect(() => {
    if (!isPlaying) return;
    // From the end, the debate is played from its beginning.
    if (debate.at.get() === null) debate.show(1);
    const timer = setInterval(() => {
      if (debate.at.get() === null) playing.set(false);
      else debate.show(debate.shown + 1);
    }, 1000 / (BASE * rate));
    return () => clearInterval(timer);
  }, [isPlaying, rate]);
  useEffect(() => () => playing.set(false), []);
}
