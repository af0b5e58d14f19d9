import { gql } from "../../wire";
import type {
  CruxFoundSubscription,
  CruxFoundSubscriptionVariables,
  CruxListQuery,
  CruxListQueryVariables,
  CruxPersonasQuery,
  CruxPersonasQueryVariables,
  RecurringCruxesQuery,
  RecurringCruxesQueryVariables,
} from "../../wire/operations";

export const CRUXES = gql<CruxListQuery, CruxListQueryVariables>(/* GraphQL */ `
  query CruxList($after: String, $filter: CruxFilter, $search: String, $orderBy: CruxOrder) {
    cruxes(first: 20, after: $after, filter: $filter, search: $search, orderBy: $orderBy) {
      edges {
        match {
          cosine
          words
        }
        node {
          id
          shortId
          question
          statement
          origin
          open
          pivotality
          explanation
          changedAt
          positions {
            personaId
            side
            quote
            words
            basis
            turnId
            participant {
              name
            }
          }
          debate {
            id
            topic
            engine
            status
            participants {
              personaId
            }
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

export const RECURRING = gql<RecurringCruxesQuery, RecurringCruxesQueryVariables>(/* GraphQL */ `
  query RecurringCruxes($filter: CruxFilter) {
    recurringCruxes(first: 30, filter: $filter) {
      question
      debateCount
      memberCount
      wordingCount
      exact
      cohesion {
        least
        mean
      }
      firstSeen
      lastSeen
      origins
      neighbours {
        question
        relation
        similarity
        debateCount
      }
      sidesByPersona {
        personaId
        changed
        persona {
          name
        }
        sides {
          side
          debateId
          turnId
          cruxId
          at
        }
      }
      members(first: 20) {
        nodes {
          id
          shortId
          question
          debateId
          open
          debate {
            topic
            engine
            openedAt
          }
        }
      }
    }
  }
`);

export const FOUND = gql<CruxFoundSubscription, CruxFoundSubscriptionVariables>(/* GraphQL */ `
  subscription CruxFound($filter: CruxFilter) {
    cruxFound(filter: $filter) {
      id
    }
  }
`);

export const PERSONAS = gql<CruxPersonasQuery, CruxPersonasQueryVariables>(/* GraphQL */ `
  query CruxPersonas {
    personas {
      id
      name
    }
  }
`);

export type CruxEdge = CruxListQuery["cruxes"]["edges"][number];
export type Cluster = RecurringCruxesQuery["recurringCruxes"][number];
