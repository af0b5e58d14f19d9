// Mutations of the page of a debate.

import { gql } from "../../wire";
import type {
  DebateCancelMutation,
  DebateCancelMutationVariables,
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
