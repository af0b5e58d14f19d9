//! Replies: the JSON that the engines expect, and the passages that it quotes.

use serde::Serialize;
use uuid::Uuid;

use crate::offline::arguments::ArgumentLines;
use crate::offline::corpus::corpus_index::{CorpusIndex, IndexedSentence};
use crate::offline::corpus::stance::CorpusSide;
use faultline_core::events::argument::{ArgumentPart, AttackKind};
use faultline_core::events::receipt::PassageRef;
use faultline_core::kernel::effect::EffectAttempt;

/// Reply to an opening task.
#[derive(Debug, Serialize)]
pub struct OpeningReply {
    /// Side of the topic.
    pub stance: CorpusSide,
    /// Words of the speech that state it.
    pub stance_words: &'static str,
    /// Speech of the opening.
    pub speech: String,
    /// Arguments; the first answers the topic.
    pub arguments: Vec<ReplyArgument>,
    /// Aliases of the quoted passages.
    pub passages: Vec<String>,
}

/// Argument in a reply.
#[derive(Debug, Serialize)]
pub struct ReplyArgument {
    /// Text of the claim.
    pub claim: String,
    /// Texts of the premises.
    pub premises: Vec<String>,
    /// Texts of the assumptions.
    pub assumptions: Vec<String>,
    /// Pieces of evidence.
    pub evidence: Vec<ReplyEvidence>,
}

/// Piece of evidence in a reply.
#[derive(Debug, Serialize)]
pub struct ReplyEvidence {
    /// Text of the evidence.
    pub text: String,
    /// Alias of its passage.
    pub passage: Option<String>,
}

/// Reply to a round of attacks.
#[derive(Debug, Serialize)]
pub struct AttacksReply {
    /// Speech of the round.
    pub speech: String,
    /// Attacks of the round.
    pub attacks: Vec<ReplyAttack>,
    /// Aliases of the quoted passages.
    pub passages: Vec<String>,
}

/// Attack in a reply.
#[derive(Debug, Serialize)]
pub struct ReplyAttack {
    /// Alias of the attacked argument: `a3`.
    pub target: String,
    /// `claim`, `premise` or `assumption`.
    pub component: &'static str,
    /// Index of the premise or assumption.
    pub index: Option<u32>,
    /// `rebut`, `undermine` or `undercut`.
    pub kind: AttackKind,
    /// Counter-argument.
    pub counter: ReplyArgument,
    /// Explanation of the attack.
    pub rationale: String,
    /// Confidence of the attacker, from 0 to 1.
    pub confidence: f64,
}

/// Reply of a judge.
#[derive(Debug, Serialize)]
pub struct Judgements {
    /// Judgements, one per attack, in order.
    pub judgements: Vec<Judgement>,
}

/// Judgement of an attack.
#[derive(Debug, Serialize)]
pub struct Judgement {
    /// Alias of the attack: `k2`.
    pub attack: String,
    /// True if the attack is valid.
    pub valid: bool,
    /// Strength of the attack, from 0 to 1.
    pub strength: f64,
    /// Explanation of the judgement.
    pub reason: String,
    /// Corrected kind of the attack.
    pub kind: Option<AttackKind>,
    /// Corrected component that is attacked.
    pub component: Option<&'static str>,
    /// Corrected index of the premise or assumption.
    pub index: Option<u32>,
}

/// Reply to a draft task.
#[derive(Debug, Serialize)]
pub struct ProposalReply {
    /// Text of the proposal.
    pub proposal: String,
    /// Reasons for the proposal.
    pub reasoning: String,
    /// Confidence of the generator, from 0 to 1.
    pub confidence: f64,
    /// Keywords of the proposal.
    pub terms: Vec<String>,
    /// Side of the topic.
    pub topic: ReplyTopic,
    /// Aliases of the quoted passages.
    pub passages: Vec<String>,
}

/// Reply of a critic.
#[derive(Debug, Serialize)]
pub struct CriticismReply {
    /// Issues found in the proposal.
    pub issues: Vec<ReplyIssue>,
    /// Cases that the proposal does not cover.
    pub edge_cases: Vec<String>,
    /// Statements that contradict the proposal.
    pub contradictions: Vec<String>,
    /// `no_objection`, `revise` or `reject`.
    pub recommendation: &'static str,
    /// Side of the topic.
    pub topic: ReplyTopic,
    /// Aliases of the quoted passages.
    pub passages: Vec<String>,
}

/// Side of the topic in a reply.
#[derive(Debug, Serialize)]
pub struct ReplyTopic {
    /// Side of the topic.
    pub side: CorpusSide,
    /// Phrase that states it.
    pub words: &'static str,
}

/// Issue in a reply.
#[derive(Debug, Serialize)]
pub struct ReplyIssue {
    /// `minor`, `major` or `critical`.
    pub severity: &'static str,
    /// Description of the issue.
    pub text: String,
}

/// Reply of a synthesizer.
#[derive(Debug, Serialize)]
pub struct Synthesis {
    /// Text of the new proposal.
    pub proposal: String,
    /// Reasons for the new proposal.
    pub reasoning: String,
    /// Changes, one per issue.
    pub changes: Vec<ReplyChange>,
    /// Confidence of the synthesizer, from 0 to 1.
    pub confidence: f64,
    /// Aliases of the quoted passages.
    pub passages: Vec<String>,
}

/// Change in a reply.
#[derive(Debug, Serialize)]
pub struct ReplyChange {
    /// Alias of the issue that it answers: `i1`.
    pub issue: String,
    /// Description of the change.
    pub text: String,
}

/// Returns the name of a component in replies, and its index.
pub fn part_of(component: ArgumentPart) -> (&'static str, Option<u32>) {
    match component {
        ArgumentPart::Claim => ("claim", None),
        ArgumentPart::Premise(at) => ("premise", Some(at)),
        ArgumentPart::Assumption(at) => ("assumption", Some(at)),
    }
}

/// Passages that a reply quotes, each under one alias: the alias from the prompt, or else `q1`, `q2`, ... in order of
/// quotation.
#[derive(Debug, Default)]
pub struct Citations {
    given: Vec<(Uuid, String)>,
    found: Vec<PassageRef>,
    order: Vec<String>,
}

impl Citations {
    /// Creates an empty list of quotations for a question.
    pub fn new(ask: &EffectAttempt) -> Self {
        let given = ask.grounds.iter().map(|passage| (passage.ground.chunk, passage.ground.alias.clone())).collect();
        Citations { given, ..Citations::default() }
    }

    /// Quotes a line and returns the alias of its passage. The score of a passage is that of its first quotation.
    pub fn quote(&mut self, line: &IndexedSentence, score: f64) -> String {
        let given = self.given.iter().find(|ground| ground.0 == line.chunk).map(|ground| ground.1.clone());
        let known = given.or_else(|| {
            self.found.iter().find(|passage| passage.chunk == line.chunk).map(|passage| passage.alias.clone())
        });
        let alias = known.unwrap_or_else(|| {
            let alias = format!("q{}", self.found.len() + 1);
            self.found.push(PassageRef { alias: alias.clone(), chunk: line.chunk, score });
            alias
        });
        if !self.order.contains(&alias) {
            self.order.push(alias.clone());
        }
        alias
    }

    /// Quotes all lines of an argument.
    pub fn argument(&mut self, papers: &CorpusIndex, drawn: &ArgumentLines, score: f64) -> ReplyArgument {
        for at in drawn.lines() {
            self.quote(&papers.lines[at], score);
        }
        let texts = |lines: &[usize]| lines.iter().map(|at| papers.lines[*at].text.clone()).collect();
        ReplyArgument {
            claim: papers.lines[drawn.claim].text.clone(),
            premises: texts(&drawn.premises),
            assumptions: texts(&drawn.assumptions),
            evidence: drawn
                .evidence
                .iter()
                .map(|at| {
                    let line = &papers.lines[*at];
                    ReplyEvidence { text: line.text.clone(), passage: Some(self.quote(line, score)) }
                })
                .collect(),
        }
    }

    /// Returns the quoted aliases in order, and the passages that are not from the prompt.
    pub fn finish(self) -> (Vec<String>, Vec<PassageRef>) {
        (self.order, self.found)
    }
}
