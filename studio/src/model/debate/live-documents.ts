// Documents by which the page of a debate follows it.
import { gql } from "../../wire";
import type {
  DebateDraftsSubscription,
  DebateDraftsSubscriptionVariables,
  DebateFollowSubscription,
  DebateFollowSubscriptionVariables,
} from "../../wire/operations";

/** Events after a version. The contents are what the page shows before the next verdict arrives. */
export const FOLLOW = gql<DebateFollowSubscription, DebateFollowSubscriptionVariables>(/* GraphQL */ `
  subscription DebateFollow($id: ID!, $after: Int!) {
    debateEvents(debateId: $id, after: $after) {
      version
      kind
      at
      summary
      content {
        __typename
        ... on TurnTaken {
          turn
          speaker
          text
          moves
          moveQuotes { move quote }
          answers
          room
          round
          refused
          citations { alias chunk page { title address } quotes { text check } }
          preparation { reflection critique }
        }
        ... on Interjected { turn author: speaker text room }
        ... on ArgumentAdvanced { argument speaker turn claim premises assumptions evidence { text } answersTopic distilled carries }
        ... on AttackRaised { attack speaker turn source target attackKind: kind component { part index } rationale }
        ... on PhaseEntered { phase round }
      }
    }
  }
`);

/** Words of turns that a model is writing. */
export const DRAFTS = gql<DebateDraftsSubscription, DebateDraftsSubscriptionVariables>(/* GraphQL */ `
  subscription DebateDrafts($id: ID!) {
    turnDraft(debateId: $id) { draftId attempt offset speakerId state text turnId reason }
  }
`);
