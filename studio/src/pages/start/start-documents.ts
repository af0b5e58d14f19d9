import { gql } from "../../wire";
import type {
  EngineOptionTypesQuery,
  EngineOptionTypesQueryVariables,
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
        default
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

/** Types and ranges of options. A document of its own: an older service does not have these fields. */
export const OPTION_TYPES = gql<EngineOptionTypesQuery, EngineOptionTypesQueryVariables>(/* GraphQL */ `
  query EngineOptionTypes {
    engines {
      name
      options {
        name
        type
        minimum
        maximum
        choices
      }
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

/** An option with its type, as far as the service tells it. */
export interface Option {
  name: string;
  about: string;
  default: unknown;
  type: EngineOptionTypesQuery["engines"][number]["options"][number]["type"];
  minimum: number | null;
  maximum: number | null;
  choices: string[] | null;
}

/** Options of an engine; without types from the service, the type is that of the default. */
export function optionsOf(engine: Engine, types: EngineOptionTypesQuery | undefined): Option[] {
  const known = new Map(types?.engines.find((it) => it.name === engine.name)?.options.map((it) => [it.name, it]));
  return engine.options.map((option) => {
    const typed = known.get(option.name);
    if (typed) return { ...option, ...typed };
    const type =
      typeof option.default === "boolean" ? "BOOLEAN" : typeof option.default === "number" ? "NUMBER" : "TEXT";
    return { ...option, type, minimum: null, maximum: null, choices: null };
  });
}
