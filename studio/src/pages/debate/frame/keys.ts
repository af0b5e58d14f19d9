// Keys of the page: arrows step through the events, Home and End go to the ends, the space bar plays, Escape leaves.

import { useEffect } from "preact/hooks";
import type { Debate } from "../../../model/debate/debate";
import { address, setQuery } from "../../../model/router";
import { playing } from "./play";

/** True if the element uses the keys itself. */
function isTaken(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable || target.closest("dialog, select, textarea")) return true;
  if (target instanceof HTMLInputElement) return target.type !== "range" && target.type !== "checkbox";
  return false;
}

const isScrolling = (target: EventTarget | null): boolean => target instanceof HTMLElement && target.closest("[data-scrolls]") !== null && target.hasAttribute("data-scrolls");

export function useKeys(debate: Debate): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTaken(event.target)) return;
      const isSlider = event.target instanceof HTMLInputElement && event.target.type === "range";
      const version = debate.shown;
      const timeline = debate.timeline.get();
      switch (event.key) {
        case "ArrowLeft":
        case "ArrowRight": {
          if (isSlider && !event.shiftKey) return;
          // A focused drawing scrolls sideways with the arrows; with Shift they always step.
          if (isScrolling(event.target) && !event.shiftKey) return;
          const step = event.key === "ArrowRight" ? 1 : -1;
          debate.show(event.shiftKey ? (timeline.neighbour(version, step) ?? (step > 0 ? null : 1)) : version + step);
          break;
        }
        case "Home":
          if (isSlider || isScrolling(event.target)) return;
          debate.show(1);
          break;
        case "End":
          if (isSlider || isScrolling(event.target)) return;
          debate.show(null);
          break;
        case " ":
          if (event.target instanceof HTMLElement && event.target.closest("button, a, summary, [data-scrolls]")) return;
          playing.set(!playing.get());
          break;
        case "Escape": {
          const { query } = address.get();
          if (query.has("without")) setQuery({ without: null }, { replace: false });
          else if (query.has("versus") || query.has("with")) setQuery({ versus: null, with: null }, { replace: false });
          else if (query.has("pick")) setQuery({ pick: null }, { replace: false });
          else if (query.has("around") || query.has("camp")) setQuery({ around: null, camp: null }, { replace: false });
          else return;
          break;
        }
        default:
          return;
      }
      event.preventDefault();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);
}
