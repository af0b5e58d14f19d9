/** Cost of debates by model and by purpose. The service counts per debate; this page adds up what it has read. */
import { useMemo } from "preact/hooks";
import { usePages } from "../../model/data";
import { hrefWith, useQueryValue, useTitle } from "../../model/router";
import { cost, money } from "../../model/debate/words";
import { Bar, Button } from "../../parts/controls";
import { count, plural, When } from "../../parts/format";
import { Empty, Failed, Skeleton } from "../../parts/states";
import { COST, type Costed, type Share } from "./cost-documents";

const PERIODS: readonly (readonly [key: string, label: string, days: number])[] = [
  ["1d", "24 hours", 1],
  ["7d", "7 days", 7],
  ["30d", "30 days", 30],
  ["", "All time", 0],
];

export function CostPage() {
  useTitle("Cost");
  const [since] = useQueryValue("since");
  const days = PERIODS.find(([key]) => key === since)?.[2] ?? 0;
  // The hour, so that the query stays the same while the page is open.
  const openedAfter = useMemo(
    () => (days ? new Date(Math.floor(Date.now() / 3.6e6) * 3.6e6 - days * 8.64e7).toISOString() : undefined),
    [days],
  );
  const list = usePages(COST, { filter: { openedAfter } }, (data) => data.debates);
  return (
    <>
      <div class="page-head">
        <div>
          <h1>Cost</h1>
          <p>Requests to model providers, with tokens and cost as recorded in each debate.</p>
        </div>
        <nav class="view-switch" aria-label="Period, by the time at which debates were opened">
          {PERIODS.map(([key, label]) => (
            <a key={key} href={hrefWith({ since: key })} aria-current={key === since ? "page" : undefined}>
              {label}
            </a>
          ))}
        </nav>
      </div>
      {list.error && <Failed error={list.error} retry={list.reload} what="The costs" />}
      {!list.nodes && !list.error && (
        <div class="card">
          <Skeleton lines={16} label="Loading costs" />
        </div>
      )}
      {list.nodes?.length === 0 && <Empty title="No debates in this period" />}
      {list.nodes && list.nodes.length > 0 && (
        <div class={`cost${list.loading ? " is-loading" : ""}`} aria-busy={list.loading}>
          {list.hasMore && (
            <div class="message note small">
              <p>Only the latest {count(list.nodes.length)} debates are counted.</p>
              <Button disabled={list.loading} onClick={list.more}>
                Count earlier ones too
              </Button>
            </div>
          )}
          <Totals debates={list.nodes} />
          <Shares title="By model" shares={list.nodes.flatMap((it) => it.usage.byModel)} />
          <Shares title="By purpose" shares={list.nodes.flatMap((it) => it.usage.byPurpose)} />
          <Debates debates={list.nodes} />
        </div>
      )}
    </>
  );
}

const sum = <Item,>(items: readonly Item[], of: (item: Item) => number): number =>
  items.reduce((total, it) => total + of(it), 0);

function Totals({ debates }: { debates: readonly Costed[] }) {
  const total = (of: (usage: Costed["usage"]) => number) => sum(debates, (it) => of(it.usage));
  const unpricedCount = total((it) => it.unpricedCount);
  const estimated = total((it) => it.estimatedCount);
  const failed = total((it) => it.failed);
  return (
    <dl class="figures card">
      <div>
        <dt>Cost</dt>
        <dd>
          {money(total((it) => it.costMicros))}
          {unpricedCount > 0 && <small class="soft"> and {plural(unpricedCount, "call")} of unknown price</small>}
        </dd>
      </div>
      <div>
        <dt>Debates</dt>
        <dd>{count(debates.length)}</dd>
      </div>
      <div>
        <dt>Requests</dt>
        <dd>
          {count(total((it) => it.calls))}
          {failed > 0 && <small class="late"> {count(failed)} failed</small>}
        </dd>
      </div>
      <div>
        <dt>Tokens read</dt>
        <dd>{count(total((it) => it.inputTokens))}</dd>
      </div>
      <div>
        <dt>Tokens written</dt>
        <dd>
          {count(total((it) => it.outputTokens))}
          {estimated > 0 && <small class="soft"> estimated for {plural(estimated, "call")}</small>}
        </dd>
      </div>
      <div>
        <dt>Waiting for replies</dt>
        <dd>{duration(total((it) => it.millis))}</dd>
      </div>
    </dl>
  );
}

function duration(millis: number): string {
  const seconds = Math.round(millis / 1000);
  if (seconds < 60) return `${seconds} s`;
  return seconds < 3_600 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3_600).toFixed(1)} h`;
}

function Shares({ title, shares }: { title: string; shares: readonly Share[] }) {
  const rows = useMemo(() => {
    const all = new Map<string, Share>();
    for (const it of shares) {
      const known = all.get(it.name);
      all.set(
        it.name,
        known
          ? {
              name: it.name,
              calls: known.calls + it.calls,
              costMicros: known.costMicros + it.costMicros,
              inputTokens: known.inputTokens + it.inputTokens,
              outputTokens: known.outputTokens + it.outputTokens,
            }
          : it,
      );
    }
    return [...all.values()].sort((a, b) => b.costMicros - a.costMicros || b.calls - a.calls);
  }, [shares]);
  const isFree = rows.every((it) => it.costMicros === 0);
  const whole = sum(rows, (it) => (isFree ? it.calls : it.costMicros)) || 1;
  return (
    <section>
      <h2>{title}</h2>
      <div class="scrolls" tabIndex={0} role="region" aria-label={title}>
        <table>
          <thead>
            <tr>
              <th scope="col">{title.replace("By ", "").replace(/^./, (it) => it.toUpperCase())}</th>
              <th scope="col" class="number">
                Requests
              </th>
              <th scope="col" class="number">
                Tokens read
              </th>
              <th scope="col" class="number">
                Written
              </th>
              <th scope="col" class="number">
                Cost
              </th>
              <th scope="col">Share of {isFree ? "requests" : "cost"}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((it) => {
              const share = (isFree ? it.calls : it.costMicros) / whole;
              return (
                <tr key={it.name}>
                  <th scope="row">{it.name.replaceAll("_", " ")}</th>
                  <td class="number">{count(it.calls)}</td>
                  <td class="number">{count(it.inputTokens)}</td>
                  <td class="number">{count(it.outputTokens)}</td>
                  <td class="number">{money(it.costMicros)}</td>
                  <td class="nowrap">
                    <Bar share={share} label={`${Math.round(share * 100)} percent`} />{" "}
                    <small class="soft" aria-hidden="true">
                      {share > 0 && share < 0.005 ? "< 1" : Math.round(share * 100)} %
                    </small>
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
    </section>
  );
}

/** The debates that cost most, at most twenty. */
function Debates({ debates }: { debates: readonly Costed[] }) {
  const most = [...debates]
    .sort((a, b) => b.usage.costMicros - a.usage.costMicros || b.usage.calls - a.usage.calls)
    .slice(0, 20);
  return (
    <section>
      <h2>{debates.length > most.length ? `The ${most.length} most expensive debates` : "By debate"}</h2>
      <div class="scrolls" tabIndex={0} role="region" aria-label="By debate">
        <table class="cost-debates">
          <thead>
            <tr>
              <th scope="col">Debate</th>
              <th scope="col">Engine</th>
              <th scope="col">Provider</th>
              <th scope="col" class="number">
                Requests
              </th>
              <th scope="col" class="number">
                Tokens
              </th>
              <th scope="col" class="number">
                Cost
              </th>
            </tr>
          </thead>
          <tbody>
            {most.map((it) => (
              <tr key={it.id}>
                <th scope="row">
                  <a class="words" href={`/debates/${it.id}`}>
                    {it.topic}
                  </a>{" "}
                  <small class="soft">
                    <When at={it.openedAt} />
                  </small>
                </th>
                <td>{it.engine}</td>
                <td>{it.provider}</td>
                <td class="number">{count(it.usage.calls)}</td>
                <td class="number">{count(it.usage.inputTokens + it.usage.outputTokens)}</td>
                <td class="number">{cost(it.usage)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
