//! Replies: the JSON that the engines ask for, and the passages that it quotes.

use serde::Serialize;
use uuid::Uuid;

use crate::events::argument::{AttackKind, Component};
use crate::events::receipt::Ground;
use crate::kernel::effect::Ask;
use crate::providers::offline::arguments::Drawn;
use crate::providers::offline::papers::{Line, Papers};
use crate::providers::offline::stance::Side;

/// The reply to an opening.
#[derive(Debug, Serialize)]
pub struct Opening {
    /// The side of the topic.
    pub stance: Side,
    /// What is said.
    pub speech: String,
    /// The arguments; the first answers the topic.
    pub arguments: Vec<Argument>,
    /// The passages quoted.
    pub passages: Vec<String>,
}

/// An argument in a reply.
#[derive(Debug, Serialize)]
pub struct Argument {
    /// What it concludes.
    pub claim: String,
    /// What from.
    pub premises: Vec<String>,
    /// What it takes for granted.
    pub assumptions: Vec<String>,
    /// What it points to.
    pub evidence: Vec<Evidence>,
}

/// A piece of evidence in a reply.
#[derive(Debug, Serialize)]
pub struct Evidence {
    /// What it says.
    pub text: String,
    /// The passage that it is from.
    pub passage: Option<String>,
}

/// The reply to a round of attacks.
#[derive(Debug, Serialize)]
pub struct Attacks {
    /// What is said.
    pub speech: String,
    /// The attacks.
    pub attacks: Vec<Attack>,
    /// The passages quoted.
    pub passages: Vec<String>,
}

/// An attack in a reply.
#[derive(Debug, Serialize)]
pub struct Attack {
    /// The attacked argument: `a3`.
    pub target: String,
    /// `claim`, `premise` or `assumption`.
    pub component: &'static str,
    /// Which premise or assumption.
    pub index: Option<u32>,
    /// `rebut`, `undermine` or `undercut`.
    pub kind: AttackKind,
    /// With what.
    pub counter: Argument,
    /// Why it tells against the target.
    pub rationale: String,
    /// How sure the attacker is, from 0 to 1.
    pub confidence: f64,
}

/// The reply of a judge.
#[derive(Debug, Serialize)]
pub struct Judgements {
    /// One for each attack, in order.
    pub judgements: Vec<Judgement>,
}

/// What the judge makes of an attack.
#[derive(Debug, Serialize)]
pub struct Judgement {
    /// The attack: `k2`.
    pub attack: String,
    /// Whether it tells against its target.
    pub valid: bool,
    /// How strongly, from 0 to 1.
    pub strength: f64,
    /// Why.
    pub reason: String,
    /// What kind it really is.
    pub kind: Option<AttackKind>,
    /// What it really hits.
    pub component: Option<&'static str>,
    /// Which premise or assumption it really hits.
    pub index: Option<u32>,
}

/// The reply to a draft.
#[derive(Debug, Serialize)]
pub struct Draft {
    /// The proposal.
    pub proposal: String,
    /// Why it.
    pub reasoning: String,
    /// How sure the generator is, from 0 to 1.
    pub confidence: f64,
    /// The words that carry it.
    pub terms: Vec<String>,
    /// The passages quoted.
    pub passages: Vec<String>,
}

/// The reply of a critic.
#[derive(Debug, Serialize)]
pub struct Criticism {
    /// What is wrong.
    pub issues: Vec<Issue>,
    /// What the proposal passes over.
    pub edge_cases: Vec<String>,
    /// What it is at odds with.
    pub contradictions: Vec<String>,
    /// `accept`, `revise` or `reject`.
    pub recommendation: &'static str,
    /// The passages quoted.
    pub passages: Vec<String>,
}

/// An issue in a reply.
#[derive(Debug, Serialize)]
pub struct Issue {
    /// `minor`, `major` or `critical`.
    pub severity: &'static str,
    /// What is wrong.
    pub text: String,
}

/// The reply of a synthesizer.
#[derive(Debug, Serialize)]
pub struct Synthesis {
    /// The new proposal.
    pub proposal: String,
    /// Why it.
    pub reasoning: String,
    /// What each issue changed.
    pub changes: Vec<Change>,
    /// How sure the synthesizer is, from 0 to 1.
    pub confidence: f64,
    /// The passages quoted.
    pub passages: Vec<String>,
}

/// A change in a reply.
#[derive(Debug, Serialize)]
pub struct Change {
    /// The issue that it answers: `i1`.
    pub issue: String,
    /// What was done.
    pub text: String,
}

/// A component as replies name it.
pub fn part_of(component: Component) -> (&'static str, Option<u32>) {
    match component {
        Component::Claim => ("claim", None),
        Component::Premise(at) => ("premise", Some(at)),
        Component::Assumption(at) => ("assumption", Some(at)),
    }
}

/// The passages that a reply quotes, each under one alias: the one under which the prompt laid it beside the question,
/// else `q1`, `q2`, ... in order of quotation.
#[derive(Debug, Default)]
pub struct Quoted {
    given: Vec<(Uuid, String)>,
    found: Vec<Ground>,
    order: Vec<String>,
}

impl Quoted {
    /// Nothing quoted yet.
    pub fn new(ask: &Ask) -> Self {
        let given = ask.grounds.iter().map(|it| (it.ground.chunk, it.ground.alias.clone())).collect();
        Quoted { given, ..Quoted::default() }
    }

    /// Quotes a line: its passage's alias. The score of a passage is that of its first quotation.
    pub fn quote(&mut self, line: &Line, score: f64) -> String {
        let given = self.given.iter().find(|it| it.0 == line.chunk).map(|it| it.1.clone());
        let known = given.or_else(|| self.found.iter().find(|it| it.chunk == line.chunk).map(|it| it.alias.clone()));
        let alias = known.unwrap_or_else(|| {
            let alias = format!("q{}", self.found.len() + 1);
            self.found.push(Ground { alias: alias.clone(), chunk: line.chunk, score });
            alias
        });
        if !self.order.contains(&alias) {
            self.order.push(alias.clone());
        }
        alias
    }

    /// Quotes an argument.
    pub fn argument(&mut self, papers: &Papers, drawn: &Drawn, score: f64) -> Argument {
        for at in drawn.lines() {
            self.quote(&papers.lines[at], score);
        }
        let texts = |lines: &[usize]| lines.iter().map(|at| papers.lines[*at].text.clone()).collect();
        Argument {
            claim: papers.lines[drawn.claim].text.clone(),
            premises: texts(&drawn.premises),
            assumptions: texts(&drawn.assumptions),
            evidence: drawn
                .evidence
                .iter()
                .map(|at| {
                    let line = &papers.lines[*at];
                    Evidence { text: line.text.clone(), passage: Some(self.quote(line, score)) }
                })
                .collect(),
        }
    }

    /// The aliases quoted, in order, and the passages that the provider found by itself.
    pub fn finish(self) -> (Vec<String>, Vec<Ground>) {
        (self.order, self.found)
    }
}
