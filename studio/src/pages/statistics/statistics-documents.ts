import { gql } from "../../wire";
import type {
  AgreementsQuery,
  AgreementsQueryVariables,
  DebateGroupsQuery,
  DebateGroupsQueryVariables,
  DebateNamesQuery,
  DebateNamesQueryVariables,
  RecurrenceQuery,
  RecurrenceQueryVariables,
  StatisticsChoicesQuery,
  StatisticsChoicesQueryVariables,
} from "../../wire/operations";

export const GROUPS = gql<DebateGroupsQuery, DebateGroupsQueryVariables>(/* GraphQL */ `
  query DebateGroups($filter: DebateFilter, $by: [DebateGrouping!]!, $measures: [String!]!) {
    debateStats(filter: $filter, by: $by, measures: $measures) {
      hasMoreGroups
      groups {
        properties {
          by
          value
        }
        debateCount
        regimes {
          regime
          count
        }
        figures {
          key
          count
          mean
          low
          high
        }
      }
    }
  }
`);

/** What can be chosen: filters, and measures with their formulas. */
export const CHOICES = gql<StatisticsChoicesQuery, StatisticsChoicesQueryVariables>(/* GraphQL */ `
  query StatisticsChoices {
    engines {
      name
    }
    providers {
      name
    }
    personas {
      id
      name
    }
    measureDefinitions {
      key
      name
      group
      unit
      formula
      needsTimeline
    }
  }
`);

export const RECURRENCE = gql<RecurrenceQuery, RecurrenceQueryVariables>(/* GraphQL */ `
  query Recurrence($debates: DebateFilter) {
    recurringCruxes(first: 20, debates: $debates) {
      question
      debateCount
      memberCount
      exact
      sidesByPersona {
        personaId
        persona {
          name
        }
        sides {
          side
          debateId
        }
      }
      members(first: 100) {
        nodes {
          shortId
          debateId
          pivotality
        }
      }
    }
  }
`);

/** Names of the debates that are columns; asked apart from the cruxes, which would each count their debate. */
export const NAMES = gql<DebateNamesQuery, DebateNamesQueryVariables>(/* GraphQL */ `
  query DebateNames($ids: [ID!]!) {
    nodes(ids: $ids) {
      ... on Debate {
        id
        topic
        engine
        openedAt
      }
    }
  }
`);

export const AGREEMENTS = gql<AgreementsQuery, AgreementsQueryVariables>(/* GraphQL */ `
  query Agreements($debates: DebateFilter) {
    personaAgreements(first: 500, debates: $debates) {
      oneId
      otherId
      oneName
      otherName
      debateCount
      questionCount
      agreedCount
      opposedCount
      agreement
    }
  }
`);

export type Group = DebateGroupsQuery["debateStats"]["groups"][number];
export type Definition = StatisticsChoicesQuery["measureDefinitions"][number];
/** Nothing while they are read. */
export type Choices = { choices: StatisticsChoicesQuery | undefined };
export type Cluster = RecurrenceQuery["recurringCruxes"][number];
export type Agreement = AgreementsQuery["personaAgreements"][number];
