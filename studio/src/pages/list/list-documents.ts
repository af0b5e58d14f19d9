import { gql } from "../../wire";
import type {
  DebateListQuery,
  DebateListQueryVariables,
  DebateRowSubscription,
  DebateRowSubscriptionVariables,
  ListChangesSubscription,
  ListChangesSubscriptionVariables,
  ListChoicesQuery,
  ListChoicesQueryVariables,
} from "../../wire/operations";

export const DEBATES = gql<DebateListQuery, DebateListQueryVariables>(/* GraphQL */ `
  query DebateList($after: String, $filter: DebateFilter) {
    debates(first: 20, after: $after, filter: $filter) {
      nodes {
        id
        topic
        engine
        status
        openedAt
        endedAt
        turnCount
        phase
        round
        regime {
          kind
          reason
          exact
          coverage {
            examined
            pairs
          }
        }
        cruxes {
          id
          question
        }
        participants {
          personaId
          name
        }
        forkedFrom {
          debateId
        }
        usage {
          calls
          costMicros
          unpricedCount
        }
      }
      pageInfo {
        endCursor
        hasNextPage
      }
    }
  }
`);

/** The same fields of one debate, again whenever one of them changes. */
export const ROW = gql<DebateRowSubscription, DebateRowSubscriptionVariables>(/* GraphQL */ `
  subscription DebateRow($id: ID!) {
    debateView(debateId: $id) {
      id
      topic
      engine
      status
      openedAt
      endedAt
      turnCount
      phase
      round
      regime {
        kind
        reason
        exact
        coverage {
          examined
          pairs
        }
      }
      cruxes {
        id
        question
      }
      participants {
        personaId
        name
      }
      forkedFrom {
        debateId
      }
      usage {
        calls
        costMicros
        unpricedCount
      }
    }
  }
`);

/** Progress of what lists are read from: when it moves, a debate may have been opened. */
export const CHANGES = gql<ListChangesSubscription, ListChangesSubscriptionVariables>(/* GraphQL */ `
  subscription ListChanges {
    projectionProgress(name: "debates") {
      served {
        id
        eventsDone
      }
    }
  }
`);

export const CHOICES = gql<ListChoicesQuery, ListChoicesQueryVariables>(/* GraphQL */ `
  query ListChoices {
    engines {
      name
      about
    }
    personas {
      id
      name
    }
  }
`);

export type Row = DebateListQuery["debates"]["nodes"][number];
