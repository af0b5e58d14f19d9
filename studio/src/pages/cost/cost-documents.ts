import { gql } from "../../wire";
import type { CostQuery, CostQueryVariables } from "../../wire/operations";

export const COST = gql<CostQuery, CostQueryVariables>(/* GraphQL */ `
  query Cost($after: String, $filter: DebateFilter) {
    debates(first: 100, after: $after, filter: $filter) {
      nodes {
        id
        topic
        engine
        provider
        status
        openedAt
        usage {
          calls
          failed
          costMicros
          inputTokens
          outputTokens
          millis
          estimatedCount
          unpricedCount
          byModel {
            name
            calls
            costMicros
            inputTokens
            outputTokens
          }
          byPurpose {
            name
            calls
            costMicros
            inputTokens
            outputTokens
          }
        }
      }
      pageInfo {
        endCursor
        hasNextPage
      }
    }
  }
`);

export type Costed = CostQuery["debates"]["nodes"][number];
export type Share = Costed["usage"]["byModel"][number];
