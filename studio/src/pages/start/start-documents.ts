import { gql } from "../../wire";
import type {
  StartChoicesQuery,
  StartChoicesQueryVariables,
  StartDebateMutation,
  StartDebateMutationVariables,
} from "../../wire/operations";

export const CHOICES = gql<StartChoicesQuery, StartChoicesQueryVariables>(/* GraphQL */ `
  query StartChoices {
    engines {
      name
      about
      minParticipants
      maxParticipants
      options {
        name
        about
        type
        default
        minimum
        maximum
        choices
        notBelow
      }
    }
    personas {
      id
      name
      about
      topics
    }
    providers {
      name
      about
    }
    sharedCorpora {
      id
      name
      passageCount
    }
  }
`);

export const START = gql<StartDebateMutation, StartDebateMutationVariables>(/* GraphQL */ `
  mutation StartDebate($input: StartDebateInput!) {
    startDebate(input: $input) {
      debate {
        id
      }
    }
  }
`);

export type Choices = StartChoicesQuery;
export type Engine = Choices["engines"][number];
export type PersonaChoice = Pick<Choices["personas"][number], "id" | "name" | "about" | "topics">;
export type Option = Engine["options"][number];
