import { useEffect, useRef, useState } from "preact/hooks";
import { useSubscription } from "../../model/data";
import { Speaker } from "../../parts/mark";
import { cost, count, phaseTitle } from "../../model/debate/words";
import { capital, When } from "../../parts/format";
import { RegimeTag, StatusTag } from "../../parts/verdict";
import { ROW, type Row } from "./list-documents";

/** True while the element is on the screen or near it. */
function useInView(): [{ current: HTMLElement | null }, boolean] {
  const element = useRef<HTMLElement>(null);
  const [isInView, set] = useState(false);
  useEffect(() => {
    const observer = new IntersectionObserver((entries) => set(entries.at(-1)!.isIntersecting), {
      rootMargin: "200px",
    });
    observer.observe(element.current!);
    return () => observer.disconnect();
  }, []);
  return [element, isInView];
}

/** One debate of the list. While it runs and is in view, the row follows it: a socket carries 64 subscriptions at most. */
export function DebateRow({ row }: { row: Row }) {
  const [live, follow] = useState<Row>();
  const [element, isInView] = useInView();
  const isOpen = row.status === "RUNNING" || row.status === "PAUSED";
  // A list that was read after the end of a debate is newer than the last message about it.
  const shown = live && isOpen ? live : row;
  useSubscription(ROW, isOpen && isInView ? { id: row.id } : null, { next: ({ debateView }) => follow(debateView) });
  const first = shown.cruxes[0];
  const more = shown.cruxes.length - 1;
  const { examined, pairs } = shown.regime.coverage;
  return (
    <article class="debate" ref={element}>
      <div class="debate-main">
        <h2>
          <a href={`/debates/${shown.id}`}>{shown.topic}</a>
        </h2>
        <p class="debate-turns-on">
          {first ? (
            <>
              <span class="soft">Turns on</span> “{first.question}”
              {more > 0 && <span class="soft"> and {more} more</span>}
            </>
          ) : (
            <span class="soft">{capital(shown.regime.reason)}</span>
          )}
        </p>
        <p class="row small">
          {shown.participants.slice(0, 5).map((it, place) => (
            <Speaker key={it.personaId} place={place} name={it.name} />
          ))}
          {shown.participants.length > 5 && <span class="soft">and {shown.participants.length - 5} more</span>}
        </p>
      </div>
      <div class="debate-side">
        <p class="row">
          <RegimeTag kind={shown.regime.kind} />
          {shown.status !== "CONCLUDED" && <StatusTag status={shown.status} />}
        </p>
        <p class="small soft">
          {pairs ? `${count(examined, "pair")} of ${pairs.toLocaleString("en")} examined` : "nothing to compare yet"}
          {shown.regime.exact ? "" : ", not exact"}
        </p>
        <p class="small soft">
          {shown.engine},{" "}
          {shown.status === "RUNNING" && shown.phase ? `${phaseTitle(shown.phase, shown.round).toLowerCase()}, ` : ""}
          {count(shown.turnCount, "turn")}
          {shown.usage.calls > 0 && (shown.usage.costMicros > 0 || shown.usage.unpricedCount > 0)
            ? `, ${cost(shown.usage)}`
            : ""}
          {shown.forkedFrom && ", fork"}
        </p>
        <p class="small soft">
          <When at={shown.openedAt} />
        </p>
      </div>
    </article>
  );
}
