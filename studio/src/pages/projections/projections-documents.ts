import { gql } from "../../wire";
import type {
  ApproveGenerationMutation,
  ApproveGenerationMutationVariables,
  GenerationDifferencesQuery,
  GenerationDifferencesQueryVariables,
  HoldGenerationMutation,
  HoldGenerationMutationVariables,
  ProjectionProgressSubscription,
  ProjectionProgressSubscriptionVariables,
  ProjectionsQuery,
  ProjectionsQueryVariables,
  RebuildProjectionMutation,
  RebuildProjectionMutationVariables,
  RejectGenerationMutation,
  RejectGenerationMutationVariables,
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

/** Differences between a generation and the served one, of the next thousand debates. */
export const DIFFERENCES = gql<GenerationDifferencesQuery, GenerationDifferencesQueryVariables>(/* GraphQL */ `
  query GenerationDifferences($id: ID!, $after: ID) {
    generationDiff(id: $id, after: $after, first: 10) {
      servedNumber
      number
      comparedCount
      unchangedCount
      onlyServedCount
      onlyNewCount
      movedCount
      unreadableCount
      fields {
        field
        debateCount
        changeCount
        kinds {
          kind
          changeCount
        }
      }
      changedDebates {
        debateId
        topic
        changeCount
        changes {
          view
          field
          item
          before
          after
        }
      }
      endCursor
      hasNextPage
    }
  }
`);

export const APPROVE = gql<ApproveGenerationMutation, ApproveGenerationMutationVariables>(/* GraphQL */ `
  mutation ApproveGeneration($input: ApproveGenerationInput!) {
    approveGeneration(input: $input) {
      projection {
        id
      }
    }
  }
`);

export const REJECT = gql<RejectGenerationMutation, RejectGenerationMutationVariables>(/* GraphQL */ `
  mutation RejectGeneration($input: RejectGenerationInput!) {
    rejectGeneration(input: $input) {
      projection {
        id
      }
    }
  }
`);

export const HOLD = gql<HoldGenerationMutation, HoldGenerationMutationVariables>(/* GraphQL */ `
  mutation HoldGeneration($input: HoldGenerationInput!) {
    holdGeneration(input: $input) {
      projection {
        id
      }
    }
  }
`);

export type Projection = ProjectionsQuery["projections"][number];
export type Generation = Projection["generations"][number];
export type DeadLetter = Projection["deadLetters"][number];
export type Differences = GenerationDifferencesQuery["generationDiff"];
