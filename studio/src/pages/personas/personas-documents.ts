import { gql } from "../../wire";
import type {
  DocumentHeadQuery,
  DocumentHeadQueryVariables,
  DocumentPassagesQuery,
  DocumentPassagesQueryVariables,
  PassageReadingQuery,
  PassageReadingQueryVariables,
  PersonaDebatesQuery,
  PersonaDebatesQueryVariables,
  PersonaDocumentsQuery,
  PersonaDocumentsQueryVariables,
  PersonaListQuery,
  PersonaListQueryVariables,
  PersonaPageQuery,
  PersonaPageQueryVariables,
  SharedCorpusPageQuery,
  SharedCorpusPageQueryVariables,
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

export const DOCUMENTS = gql<PersonaDocumentsQuery, PersonaDocumentsQueryVariables>(/* GraphQL */ `
  query PersonaDocuments($id: ID!, $after: String) {
    persona(id: $id) {
      id
      documents(first: 50, after: $after) {
        nodes {
          id
          title
          kind
          source
          date
          passageCount
        }
        pageInfo {
          endCursor
          hasNextPage
        }
      }
    }
  }
`);

export const CORPUS = gql<SharedCorpusPageQuery, SharedCorpusPageQueryVariables>(/* GraphQL */ `
  query SharedCorpusPage($id: ID!, $after: String) {
    node(id: $id) {
      ... on SharedCorpus {
        id
        name
        about
        documentCount
        passageCount
        documents(first: 50, after: $after) {
          nodes {
            id
            title
            kind
            source
            date
            passageCount
          }
          pageInfo {
            endCursor
            hasNextPage
          }
        }
      }
    }
  }
`);

export const DOCUMENT = gql<DocumentHeadQuery, DocumentHeadQueryVariables>(/* GraphQL */ `
  query DocumentHead($id: ID!) {
    node(id: $id) {
      ... on Document {
        id
        title
        kind
        source
        date
        passageCount
        personaId
        persona {
          name
        }
        sharedCorpus {
          id
          name
        }
      }
    }
  }
`);

/** Passages of a document, in their order. */
export const PASSAGES = gql<DocumentPassagesQuery, DocumentPassagesQueryVariables>(/* GraphQL */ `
  query DocumentPassages($id: ID!, $after: String) {
    node(id: $id) {
      ... on Document {
        id
        passages(first: 100, after: $after) {
          nodes {
            id
            ordinal
            text
          }
          pageInfo {
            endCursor
            hasNextPage
          }
        }
      }
    }
  }
`);

export const PASSAGE = gql<PassageReadingQuery, PassageReadingQueryVariables>(/* GraphQL */ `
  query PassageReading($id: ID!) {
    passage(id: $id) {
      id
      ordinal
      text
      title
      kind
      source
      date
      previousId
      nextId
      personaId
      persona {
        name
      }
      sharedCorpus {
        id
        name
      }
      document {
        id
        passageCount
      }
    }
  }
`);

export type Persona = NonNullable<PersonaPageQuery["persona"]>;
export type DocumentLine = NonNullable<PersonaDocumentsQuery["persona"]>["documents"]["nodes"][number];
export type DocumentHead = Extract<NonNullable<DocumentHeadQuery["node"]>, { title: string }>;
