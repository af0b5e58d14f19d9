import { gql } from "../../wire";
import type {
  ProjectionProgressSubscription,
  ProjectionProgressSubscriptionVariables,
  ProjectionsQuery,
  ProjectionsQueryVariables,
  RebuildProjectionMutation,
  RebuildProjectionMutationVariables,
  RetryDeadLettersMutation,
  RetryDeadLettersMutationVariables,
} from "../../wire/operations";

export const PROJECTIONS = gql<ProjectionsQuery, ProjectionsQueryVariables>(/* GraphQL */ `
  query Projections {
    projections {
      id
      name
      revision
      served {
        number
      }
      inProgress {
        number
      }
      deadLetters {
        id
        debateId
        version
        kind
        reason
        attempts
        position
        firstTriedAt
        lastTriedAt
        retryRequested
      }
      generations {
        id
        number
        state
        reason
        revision
        workers
        problem
        eventsDone
        eventsTotal
        behind
        eventsPerSecond
        debateCount
        requestedAt
        startedAt
        caughtUpAt
        servedAt
        retiredAt
        droppedAt
        heldUntil
      }
    }
  }
`);

export const PROGRESS = gql<ProjectionProgressSubscription, ProjectionProgressSubscriptionVariables>(/* GraphQL */ `
  subscription ProjectionProgress {
    projectionProgress {
      id
      name
      revision
      served {
        number
      }
      inProgress {
        number
      }
      deadLetters {
        id
        debateId
        version
        kind
        reason
        attempts
        position
        firstTriedAt
        lastTriedAt
        retryRequested
      }
      generations {
        id
        number
        state
        reason
        revision
        workers
        problem
        eventsDone
        eventsTotal
        behind
        eventsPerSecond
        debateCount
        requestedAt
        startedAt
        caughtUpAt
        servedAt
        retiredAt
        droppedAt
        heldUntil
      }
    }
  }
`);

export const REBUILD = gql<RebuildProjectionMutation, RebuildProjectionMutationVariables>(/* GraphQL */ `
  mutation RebuildProjection($input: RebuildProjectionInput!) {
    rebuildProjection(input: $input) {
      projection {
        id
        inProgress {
          number
        }
      }
    }
  }
`);

export const RETRY = gql<RetryDeadLettersMutation, RetryDeadLettersMutationVariables>(/* GraphQL */ `
  mutation RetryDeadLetters($input: RetryDeadLettersInput!) {
    retryDeadLetters(input: $input) {
      projection {
        id
        deadLetters {
          id
          retryRequested
        }
      }
    }
  }
`);

export type Projection = ProjectionsQuery["projections"][number];
export type Generation = Projection["generations"][number];
export type DeadLetter = Projection["deadLetters"][number];
