// GraphQL documents of the sections that are read when their tab is opened, each at a version.
import { gql } from "../../wire";
import type {
  DebateChecksQuery,
  DebateChecksQueryVariables,
  DebateCourseQuery,
  DebateCourseQueryVariables,
  DebateDisputesQuery,
  DebateDisputesQueryVariables,
  DebateMeasuresQuery,
  DebateMeasuresQueryVariables,
  DebateRoomsQuery,
  DebateRoomsQueryVariables,
  DebateRoundsQuery,
  DebateRoundsQueryVariables,
} from "../../wire/operations";

export const DISPUTES = gql<DebateDisputesQuery, DebateDisputesQueryVariables>(/* GraphQL */ `
  query DebateDisputes($id: ID!, $at: Int) {
    debate(id: $id, at: $at) {
      version
      disputes {
        shortId
        question
        isTopic
        status
        horizon
        criteria
        openedTurnId
        settledTurnId
        retiredReason
        measures { yes no neither entropy }
        stances { personaId side confidence quote turnId }
        stanceHistory { personaId from side quote statement turnId }
        reasons { shortId version speakerId side supportedSide polarity claim turnId label attackedReasonIds withdrawal { reason } }
      }
      concessions { personaId kind effect from to words quote turnId argumentId disputeId granted { statement } }
    }
  }
`);

export const ROOMS = gql<DebateRoomsQuery, DebateRoomsQueryVariables>(/* GraphQL */ `
  query DebateRooms($id: ID!, $at: Int) {
    debate(id: $id, at: $at) {
      version
      rooms {
        shortId
        kind
        question
        status
        outcome
        openedReason
        openedVersion
        closedReason
        closedVersion
        turnCount
        turnIds
        memberIds
        disputeId
        parentId
        stages
        sourceTurnIds
        card { kind diagnosis resolution falsifiers { personaId text } }
        stances { personaId side quote turnId }
        exitChecks { surfaced reason turnId }
        steelmanJudgements { speakerId accepted quote turnId steelmanTurnId }
        summary { questions { disputeId question label agreedSide positions { personaId side turnId } } }
      }
      roomCandidates { shortId question participantIds roomId isExpired streak sightings { version confidence yes { speakerId quote turnId } no { speakerId quote turnId } } }
    }
  }
`);

/** Tables, agendas, sides of a motion and proposals: what single engines add. */
export const ROUNDS = gql<DebateRoundsQuery, DebateRoundsQueryVariables>(/* GraphQL */ `
  query DebateRounds($id: ID!, $at: Int) {
    debate(id: $id, at: $at) {
      version
      tables {
        number
        isFinal
        state
        reason
        version
        participantIds
        disputeIds
        turnIds
        intents { round speakerId action urgency intent version }
        measurements { round state reason version disputes { disputeId yes no neither withoutCount entropy distance } }
      }
      agendas { version reason disputeIds }
      disputes { shortId question status stances { personaId side confidence turnId } }
      motion {
        reason
        announcements { phase round text version }
        pro { personaIds turnCount wordCount rejectedDraftCount violationCount factuality { trueClaims falseClaims unverifiableClaims uncheckedClaims share } }
        con { personaIds turnCount wordCount rejectedDraftCount violationCount factuality { trueClaims falseClaims unverifiableClaims uncheckedClaims share } }
        drafts { shortId speakerId round attempt text rejection turnId version }
      }
      proposals {
        shortId
        round
        speakerId
        turnId
        text
        reasoning
        confidence
        revisesId
        similarity
        changes { issueId text }
        criticism { turnId recommendation issues { shortId severity text } contradictions edgeCases }
        acceptances { personaId reason words turnId changeOfMind }
      }
      refinement { proposalCount roundCount issueCount answeredIssueCount initialConfidence finalConfidence addedWordCount removedWordCount contradictionCount }
    }
  }
`);

/** Fact checks, searches and the grounding of what was said. */
export const CHECKS = gql<DebateChecksQuery, DebateChecksQueryVariables>(/* GraphQL */ `
  query DebateChecks($id: ID!, $at: Int) {
    debate(id: $id, at: $at) {
      version
      factChecks {
        shortId
        claim
        verdict
        confidence
        explanation
        quote
        by
        speakerId
        turnId
        draftId
        version
        sources { title address excerpt excerptCheck }
      }
      uncheckedClaims { shortId claim quote speakerId turnId draftId reason version }
      searches { query speakerId turnId by failure version found { alias passageId page { title address } passage { title } } }
      grounding {
        total { turnCount citationCount given grounded verbatim abridged unverified uncited dangling rate }
        suspected { alias passageId suspicions version }
      }
      audit { state required summary auditedCount wordCount contestedCount words { personaId turnId question words recorded reading audited contested } }
    }
  }
`);

/** How the talk was led: hints, the floor, skipped turns, progress; and what it cost. */
export const COURSE = gql<DebateCourseQuery, DebateCourseQueryVariables>(/* GraphQL */ `
  query DebateCourse($id: ID!, $at: Int) {
    debate(id: $id, at: $at) {
      version
      hints { kind text personaId turnId aboutTurnId }
      skippedTurns { speakerId reason roomId afterTurnId version }
      floor { speakerId reason roomId turnId version attention }
      progress { version turnId phase examined pairs liveCount attackCount novelty concessionRate repetition }
      usage {
        calls
        failed
        costMicros
        unpricedCount
        estimatedCount
        inputTokens
        outputTokens
        millis
        byModel { name calls costMicros inputTokens outputTokens }
        byPurpose { name calls costMicros inputTokens outputTokens }
      }
    }
  }
`);

/** Measures, each with the turns behind it. */
export const MEASURES = gql<DebateMeasuresQuery, DebateMeasuresQueryVariables>(/* GraphQL */ `
  query DebateMeasures($id: ID!, $at: Int) {
    debate(id: $id, at: $at) {
      version
      measures { ...Measured }
      ofTimeline: measures(keys: ["crux_persistence", "crux_turnover", "label_changes"]) { ...Measured }
    }
  }
  fragment Measured on Measure {
    definition { key name group unit formula }
    value
    numerator
    denominator
    absentReason
    parts { label personaId value turnIds }
  }
`);
