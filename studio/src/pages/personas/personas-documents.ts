import { gql } from "../../wire";
import type {
  PersonaDebatesQuery,
  PersonaDebatesQueryVariables,
  PersonaDocumentsQuery,
  PersonaDocumentsQueryVariables,
  PersonaListQuery,
  PersonaListQueryVariables,
  PersonaPageQuery,
  PersonaPageQueryVariables,
} from "../../wire/operations";

export const PERSONAS = gql<PersonaListQuery, PersonaListQueryVariables>(/* GraphQL */ `
  query PersonaList {
    personas {
      id
      name
      about
      topics
      version
      versions {
        versionId
        debateCount
      }
    }
    sharedCorpora {
      id
      name
      about
      documentCount
      passageCount
    }
  }
`);

export const PERSONA = gql<PersonaPageQuery, PersonaPageQueryVariables>(/* GraphQL */ `
  query PersonaPage($id: ID!, $version: String) {
    persona(id: $id, version: $version) {
      id
      name
      about
      topics
      version
      versionId
      contract {
        personality
        bias
        stakes
        epistemology
        timeHorizon
        evidencePolicy
        flipConditions
        anchors
      }
      voice
      versions {
        id
        versionId
        number
        firstSeenAt
        debateCount
        changes {
          field
          added
          removed
        }
      }
    }
  }
`);

export const DEBATES = gql<PersonaDebatesQuery, PersonaDebatesQueryVariables>(/* GraphQL */ `
  query PersonaDebates($id: ID!, $after: String) {
    persona(id: $id) {
      id
      debates(first: 10, after: $after) {
        nodes {
          id
          topic
          engine
          status
          openedAt
          regime {
            kind
          }
          participants {
            personaId
            versionId
          }
        }
        pageInfo {
          endCursor
          hasNextPage
        }
      }
    }
  }
`);

/** A document of its own: an older service does not have this field. */
export const DOCUMENTS = gql<PersonaDocumentsQuery, PersonaDocumentsQueryVariables>(/* GraphQL */ `
  query PersonaDocuments($id: ID!) {
    persona(id: $id) {
      id
      documents {
        id
        title
        source
        passageCount
      }
    }
  }
`);

export type Persona = NonNullable<PersonaPageQuery["persona"]>;
