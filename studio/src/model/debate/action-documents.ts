// Mutations of the page of a debate, and what the form for a fork needs.

import { gql } from "../../wire";
import type {
  DebateCancelMutation,
  DebateCancelMutationVariables,
  DebateForkFormQuery,
  DebateForkFormQueryVariables,
  DebateForkMutation,
  DebateForkMutationVariables,
  DebateInterjectMutation,
  DebateInterjectMutationVariables,
  DebatePauseMutation,
  DebatePauseMutationVariables,
  DebateResumeMutation,
  DebateResumeMutationVariables,
} from "../../wire/operations";

export const PAUSE = gql<DebatePauseMutation, DebatePauseMutationVariables>(/* GraphQL */ `
  mutation DebatePause($input: PauseDebateInput!) { pauseDebate(input: $input) { debate { id version status } } }
`);

export const RESUME = gql<DebateResumeMutation, DebateResumeMutationVariables>(/* GraphQL */ `
  mutation DebateResume($input: ResumeDebateInput!) { resumeDebate(input: $input) { debate { id version status } } }
`);

export const CANCEL = gql<DebateCancelMutation, DebateCancelMutationVariables>(/* GraphQL */ `
  mutation DebateCancel($input: CancelDebateInput!) { cancelDebate(input: $input) { debate { id version status } } }
`);

export const INTERJECT = gql<DebateInterjectMutation, DebateInterjectMutationVariables>(/* GraphQL */ `
  mutation DebateInterject($input: InterjectInput!) { interject(input: $input) { debate { id version } } }
`);

export const FORK = gql<DebateForkMutation, DebateForkMutationVariables>(/* GraphQL */ `
  mutation DebateFork($input: ForkDebateInput!) { forkDebate(input: $input) { debate { id version } } }
`);

/** Options of the engine, and the values with which the debate was opened. */
export const FORK_FORM = gql<DebateForkFormQuery, DebateForkFormQueryVariables>(/* GraphQL */ `
  query DebateForkForm($id: ID!) {
    engines { name options { name about default type minimum maximum choices } }
    providers { name }
    debate(id: $id) {
      engine
      provider
      seed
      events(first: 1) {
        nodes {
          content {
            __typename
            ... on DebateOpened { options limits { turns } }
            ... on DebateForked { opened { options limits { turns } } }
          }
        }
      }
    }
  }
`);
