// @graphql-eslint over the schema: its recommended rules and those for Relay, and where ours departs from them, why.
import { ESLint } from 'eslint';
import { isObjectType } from 'graphql';
import graphql from '@graphql-eslint/eslint-plugin';

/** Types without an `id`: none of them is a thing of its own that could be met again elsewhere. By what they are instead. */
export const VALUES = [
    // Parts of a list. A listed dispute names the dispute, which has all fields.
    'ListedDispute', 'PageInfo',
    // What one request had computed; the next one may hear otherwise. A hit is not the passage: it has the score of a search.
    'ChangedDebate', 'Cohesion', 'CruxCluster', 'DebateGroup', 'DebateStats', 'FigureSummary', 'GroupProperty', 'Measure',
    'MeasureDefinition', 'MeasurePart', 'PersonaAgreement', 'RegimeCount', 'DebateDiff', 'DebateDriver', 'DebateState', 'DefeatedAttacker', 'DifferenceKind', 'Explanation', 'ExplanationStep', 'Extensions',
    'FieldChange', 'FieldDifference', 'GenerationDiff', 'Label', 'LabelChange', 'NearQuestion', 'PassageHit', 'PassageRanking', 'RecurringSide', 'RecurringSides',
    'SearchMatch', 'StanceChange', 'VerdictChange', 'ViewChange', 'Viewer', 'WhatIf', 'WordMatch',
    // Figures and judgements of a whole that has a name: a debate, a participant, a crux.
    'AuditVerdict', 'Auditor', 'Camp', 'Consequence', 'ContestedEvidence', 'Coverage', 'DebateGrounding', 'DebateMap', 'Disagreement', 'EvidenceLedger', 'Factuality', 'FaultLine', 'FaultSide', 'FlipCondition', 'ForbiddenPhraseUse', 'Grounding', 'OfferedEvidence', 'ParticipantVoice',
    'Refinement', 'RefinementAverages', 'Regime', 'ResolutionPath', 'StanceMeasures', 'TimelineEntry', 'TopicVerdict', 'TurnAttribution', 'UnansweredShare', 'Usage', 'UsageShare', 'VoiceAttribution', 'VoiceDistance',
    // What was said or done in a turn to something that has a name: they name both, and nothing names them.
    'Acknowledgement', 'ArgumentRevision', 'AuditedWords', 'CommonGround', 'Concession', 'Criticism', 'CruxPosition', 'DisputeRevision', 'DisputeWording', 'GrantedPoint', 'Hint',
    'Judgement', 'LiteralChange', 'MoveQuote', 'Phase', 'ProgressSignal', 'ProposalAcceptance', 'ProposalChange', 'Stance', 'StanceHistoryEntry', 'StanceShift', 'StatementHolder', 'TopicPosition', 'Withdrawal',
    // Parts of the map of a debate: what they draw has a name, and they tell it.
    'MapBox', 'MapLine', 'MapPoint',
    // Parts of a text, a debate, a persona, a room or a check, told with it and never without.
    'Agenda', 'Announcement', 'AttentionScore', 'CheckedDraft', 'ConvergenceMeasurement', 'IntentEntry', 'MeasuredDispute', 'Table', 'ByteRange', 'CandidateSighting', 'CheckSource', 'Citation', 'Contract', 'CruxCard', 'EngineOption', 'Evidence', 'ExitCheck', 'Falsifier', 'FloorEntry', 'ForkOrigin', 'FoundPassage', 'MindChange', 'Motion', 'MotionTeam', 'Outcome', 'Quote',
    'RoomAspect', 'RoomCard', 'RoomSummary', 'Search', 'SkippedTurn', 'StatedCondition', 'StatedWords', 'SteelmanJudgement', 'SummarizedQuestion', 'SummarizedReason', 'SuspectedPassage', 'TrackedCondition', 'TurnAttention', 'TurnPreparation', 'UncheckedClaim', 'WebPage',
    // News of a draft, which is never stored: the turn that replaces it has a name.
    'TurnDraft',
];
/** The same by the ends of names: parts of lists, and results of mutations. */
export const VALUE_ENDS = ['Connection', 'Edge', 'Payload'];

/** Types of the contents of events: those of the kinds, and those that they share. The event is what has an `id`. */
function contents(schema) {
    const kinds = schema.getPossibleTypes(schema.getType('EventContent')).map((it) => it.name);
    const shared = Object.values(schema.getTypeMap()).filter((it) => isObjectType(it) && /^Event[A-Z]/.test(it.name));
    return [...kinds, ...shared.map((it) => it.name)];
}

const own = (schema) => ({
    '@graphql-eslint/strict-id-in-types': ['error', { exceptions: { types: [...VALUES, ...contents(schema)], suffixes: VALUE_ENDS } }],
    '@graphql-eslint/relay-edge-types': ['error', {
        // What is short and told whole is a plain list; what grows without bound is a connection.
        listTypeCanWrapOnlyEdgeType: false,
        // A dispute of the list across debates is a row of it: `node` returns the dispute that it names.
        shouldImplementNode: false,
    }],
    // The log of all debates goes one way: debates are told side by side, in an order that depends on where one begins. That
    // every other list goes both ways is a test of ours (tests/pure/schema.rs).
    '@graphql-eslint/relay-arguments': ['error', { includeBoth: false }],
});

/** What the rules remark on a schema, which stands in this folder under this name. */
export async function remarks(folder, name, schema) {
    const { configs, parser } = graphql;
    const eslint = new ESLint({
        cwd: folder,
        overrideConfigFile: true,
        overrideConfig: [{
            files: ['**/*.graphql'],
            languageOptions: { parser, parserOptions: { graphQLConfig: { schema: `${folder}/${name}` } } },
            plugins: { '@graphql-eslint': graphql },
            rules: { ...configs['flat/schema-recommended'].rules, ...configs['flat/schema-relay'].rules, ...own(schema) },
        }],
    });
    const found = await eslint.lintFiles([name]);
    return found.flatMap((it) => it.messages).map((it) => `${it.ruleId}: line ${it.line}: ${it.message}`);
}

/** Exceptions that are none: the type is not there, or has a name of its own by now. */
export function stale(schema) {
    return VALUES.filter((it) => !schema.getType(it) || schema.getType(it).getFields().id);
}
