// GraphQL documents of the page of a debate. Everything that depends on a version takes `$at`; null is the latest.
import { gql } from "../../wire";
import type {
  ArgumentWhyQuery,
  ArgumentWhyQueryVariables,
  DebateCompareQuery,
  DebateCompareQueryVariables,
  DebateEventsQuery,
  DebateEventsQueryVariables,
  DebateGraphQuery,
  DebateGraphQueryVariables,
  DebateMapQuery,
  DebateMapQueryVariables,
  DebateSheetQuery,
  DebateSheetQueryVariables,
  DebateTimelineQuery,
  DebateTimelineQueryVariables,
  DebateTurnsQuery,
  DebateTurnsQueryVariables,
  DebateWhatIfQuery,
  DebateWhatIfQueryVariables,
  TurnCitationsQuery,
  TurnCitationsQueryVariables,
} from "../../wire/operations";

/** Head and verdict at a version: the first paint, and each version that is shown. */
export const SHEET = gql<DebateSheetQuery, DebateSheetQueryVariables>(/* GraphQL */ `
  query DebateSheet($id: ID!, $at: Int) {
    debate(id: $id, at: $at) {
      id
      version
      topic
      engine
      engineRevision
      provider
      status
      phase
      round
      openedAt
      updatedAt
      endedAt
      turnCount
      forkedFrom { debateId at }
      outcome { kind reason }
      participants { personaId name about model left }
      phases { name round fromVersion }
      regime {
        kind
        reason
        exact
        limit
        algorithm
        unknownEvents
        coverage { examined pairs asked answered unreadTurns share }
        unanswered { acceptedCount unansweredCount share }
      }
      topicVerdict {
        disputeId
        question
        agreedSide
        positions { personaId firstSide side moved turnId quote words }
      }
      cruxes(resolved: true) {
        shortId
        question
        statement
        otherStatements
        origin
        open
        rank
        explanation
        pivotality
        consequence { changedCount thesisCount order }
        disputeId
        dependentIds
        assumptions
        turnIds
        positions { personaId side basis quote words turnId argumentId }
        card {
          kind
          kindReason
          diagnosis
          diagnosisRoomId
          horizon
          criteria
          criteriaMissing
          resolution
          resolutionMissing
          mindChanges { personaId words missing source turnId roomId }
        }
      }
      contestedPremises { shortId question positions { personaId side turnId words } }
      commonGround { disputeId question side holders { personaId side turnId quote } }
      grantedStatements {
        shortId
        point { statement turnId argumentId }
        author { personaId turnId }
        granters { personaId turnId quote }
      }
      camps { personaIds argumentIds tiedPersonaIds }
      campsExact
      extensionCount
      audit { state summary required auditedCount wordCount contestedCount }
      arguments { shortId label live }
      attacks { shortId judgement { valid } withdrawal { turnId } }
      events(last: 1) { nodes { version kind summary at } }
      usage { calls costMicros unpricedCount }
      disputes { shortId stances { personaId side } }
      rooms { shortId kind }
      tables { number }
      motion { reason }
      proposals { shortId }
      factChecks { shortId }
      searches { version }
    }
  }
`);

/** Texts of arguments, attacks and reasons. They are recorded once; labels come with each version. */
export const GRAPH = gql<DebateGraphQuery, DebateGraphQueryVariables>(/* GraphQL */ `
  query DebateGraph($id: ID!, $at: Int) {
    debate(id: $id, at: $at) {
      version
      arguments {
        shortId
        speakerId
        turnId
        claim
        premises
        assumptions
        evidence { text }
        answersTopic
        distilled
        attackId
        revisions { version claim previousClaim turnId }
        withdrawal { reason supersededBy turnId }
      }
      attacks {
        shortId
        sourceId
        targetId
        speakerId
        turnId
        kind
        component
        componentIndex
        mutual
        rationale
        judgement { valid reason strength }
        withdrawal { reason turnId }
      }
    }
  }
`);

/** Versions of arguments and attacks, and the versions at which the verdict changed. */
export const TIMELINE = gql<DebateTimelineQuery, DebateTimelineQueryVariables>(/* GraphQL */ `
  query DebateTimeline($id: ID!, $after: Int) {
    debate(id: $id) {
      version
      arguments { shortId version }
      attacks { shortId version judgement { version } }
      timeline(after: $after) { version regime labelChanges { argumentId from to } cruxesGained cruxesLost }
    }
  }
`);

export const MAP = gql<DebateMapQuery, DebateMapQueryVariables>(/* GraphQL */ `
  query DebateMap($id: ID!, $at: Int) {
    debate(id: $id, at: $at) {
      version
      map {
        width
        height
        boxes { boxId label speakerId text turnId x y width height }
        lines { sourceId targetId attackIds mutual relation path { x y } }
      }
    }
  }
`);

/** The latest 100 turns up to a version. Earlier ones are those up to the version before the first of them. */
export const TURNS = gql<DebateTurnsQuery, DebateTurnsQueryVariables>(/* GraphQL */ `
  query DebateTurns($id: ID!, $at: Int, $last: Int!) {
    debate(id: $id, at: $at) {
      version
      turns(last: $last) {
        pageInfo { hasPreviousPage }
        nodes {
          shortId
          version
          at
          speakerId
          text
          moves
          moveQuotes { move quote }
          repliesToTurnId
          roomId
          phase
          round
          rejectedParts
          citations { alias passageId page { title address } quotes { text check } }
          preparation { reflection critique }
          hint { kind text }
        }
      }
    }
  }
`);

export const EVENTS = gql<DebateEventsQuery, DebateEventsQueryVariables>(/* GraphQL */ `
  query DebateEvents($id: ID!, $at: Int) {
    debate(id: $id, at: $at) {
      version
      events(last: 100) { nodes { version kind summary at } }
    }
  }
`);

/** Citations of one turn with the texts of their passages. */
export const CITATIONS = gql<TurnCitationsQuery, TurnCitationsQueryVariables>(/* GraphQL */ `
  query TurnCitations($id: ID!) {
    node(id: $id) {
      ... on Turn {
        citations {
          alias
          passageId
          page { title address }
          quotes { text check ranges { start end } }
          passage { id title source kind date text personaId persona { name } sharedCorpus { name } }
        }
      }
    }
  }
`);

export const WHY = gql<ArgumentWhyQuery, ArgumentWhyQueryVariables>(/* GraphQL */ `
  query ArgumentWhy($id: ID!) {
    node(id: $id) {
      ... on Argument {
        shortId
        label
        explanation { sentences omittedSteps }
      }
    }
  }
`);

export const WHAT_IF = gql<DebateWhatIfQuery, DebateWhatIfQueryVariables>(/* GraphQL */ `
  query DebateWhatIf($id: ID!, $at: Int, $remove: [ID!]!) {
    debate(id: $id, at: $at) {
      version
      whatIf(remove: $remove) {
        exact
        labelChanges { argumentId from to }
        cruxesGained { shortId question }
        cruxesLost { shortId question }
        before { campCount cruxCount extensionCount regime { kind reason exact } }
        after { campCount cruxCount extensionCount regime { kind reason exact } }
      }
    }
  }
`);

export const COMPARE = gql<DebateCompareQuery, DebateCompareQueryVariables>(/* GraphQL */ `
  query DebateCompare($id: ID!, $from: Int!, $to: Int!, $with: ID) {
    compare(debateId: $id, from: $from, to: $to, withDebateId: $with) {
      exact
      before { campCount cruxCount regime { kind reason exact coverage { examined pairs } } }
      after { campCount cruxCount regime { kind reason exact coverage { examined pairs } } }
      from { id version topic engine provider turnCount phase status }
      to { id version topic engine provider turnCount phase status }
      labelChanges { argumentId from to }
      cruxesGained { shortId question }
      cruxesLost { shortId question }
      stanceChanges { disputeId personaId from to turnId }
      commonGroundGained { question side }
      commonGroundLost { question side }
      grantedGained { point { statement } }
      grantedLost { point { statement } }
    }
  }
`);
