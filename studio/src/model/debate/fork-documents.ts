// The form for a fork.

import { gql } from "../../wire";
import type {
  DebateForkFormQuery,
  DebateForkFormQueryVariables,
  DebateForkMutation,
  DebateForkMutationVariables,
} from "../../wire/operations";

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
