import { usePages } from "../../model/data";
import { useTitle } from "../../model/router";
import { gql } from "../../wire";
import type { DebateListQuery, DebateListQueryVariables } from "../../wire/operations";
import { Empty, Failed, More, Skeleton } from "../../parts/states";

const DEBATES = gql<DebateListQuery, DebateListQueryVariables>(/* GraphQL */ `
  query DebateList($after: String, $filter: DebateFilter) {
    debates(first: 20, after: $after, filter: $filter) {
      nodes { id topic engine status openedAt turnCount }
      pageInfo { endCursor hasNextPage }
    }
  }
`);

export function ListPage() {
  useTitle("Debates");
  const list = usePages(DEBATES, {}, (data) => data.debates);
  if (list.error && !list.nodes) return <Failed error={list.error} retry={list.reload} />;
  if (!list.nodes) return <Skeleton lines={12} />;
  if (!list.nodes.length) return <Empty title="No debates yet" />;
  return (
    <ul class="stack">
      {list.nodes.map((debate) => <li key={debate.id}><a href={`/debates/${debate.id}`}>{debate.topic}</a></li>)}
      <More {...list} />
    </ul>
  );
}
