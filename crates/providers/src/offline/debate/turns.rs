//! Quotations in the turns of a talk: the corpus sentences that each turn consists of.
//!
//! An offline persona says sentences of its corpus, word for word, so a turn can be split into them again. Turns of
//! other speakers and of moderators quote nothing and are skipped. Cost: the lines of a speaker for each turn.

use std::collections::BTreeSet;

use crate::offline::debate::debate::DerivedDebate;
use faultline_core::events::argument::{ArgumentPart, AttackKind};
use faultline_core::events::turn::Move;
use faultline_core::kernel::quotations::turn_quotes;
use faultline_core::kernel::task::{ArgumentInput, AttackInput, TurnInput};

/// Turn resolved to corpus lines, or one of its points if it makes several at once.
#[derive(Clone, Debug)]
pub struct ResolvedTurn<'a> {
    /// Turn of the task.
    pub told: &'a TurnInput,
    /// Number of the point, from 0.
    pub point: usize,
    /// Index of the speaker among the participants.
    pub speaker: usize,
    /// Quoted lines, in order.
    pub lines: Vec<usize>,
}

impl ResolvedTurn<'_> {
    /// Returns an alias for the point: the turn's alias, with a number after the first point.
    pub fn alias(&self) -> String {
        if self.point == 0 { self.told.alias.clone() } else { format!("{}.{}", self.told.alias, self.point) }
    }

    /// Returns the line that the turn puts forward: its first asserting line.
    pub fn claim(&self, debate: &DerivedDebate) -> Option<usize> {
        self.lines.iter().copied().find(|at| debate.papers.lines[*at].cues.asserts())
    }

    /// Returns its asserting lines except the claim.
    pub fn grounds(&self, debate: &DerivedDebate) -> Vec<usize> {
        let claim = self.claim(debate);
        let lines = self.lines.iter().copied();
        lines.filter(|at| Some(*at) != claim && debate.papers.lines[*at].cues.asserts()).collect()
    }

    /// Returns its first line that concedes.
    pub fn grant(&self, debate: &DerivedDebate) -> Option<usize> {
        self.lines.iter().copied().find(|at| debate.papers.lines[*at].cues.concedes)
    }

    /// Returns true if the turn makes a move.
    pub fn does(&self, it: Move) -> bool {
        self.told.moves.contains(&it)
    }
}

/// Returns the name of the sentence of a turn that contains a text, such as `t3.2`; `None` if the turn does not contain
/// it.
pub fn sentence_name(turn: &TurnInput, text: &str) -> Option<String> {
    let from = turn.text.find(text)?;
    let sentences = turn_quotes::sentences(&turn.text);
    let number = sentences.iter().position(|sentence| sentence.contains(&from))? + 1;
    Some(format!("{}.{number}", turn.alias))
}

/// Returns the alias of the turn behind an alias from [`ResolvedTurn::alias`].
pub fn turn_of(alias: &str) -> &str {
    alias.split('.').next().unwrap_or_default()
}

/// Resolves turns to corpus lines. Turns of non-participants and turns without quotations are left out. A turn that
/// answers nobody, such as an opening, makes one point per quoted passage.
pub fn read<'a>(debate: &DerivedDebate, turns: &'a [TurnInput]) -> Vec<ResolvedTurn<'a>> {
    let mut read = Vec::new();
    for told in turns {
        let Some(speaker) = told.speaker.as_ref().and_then(|id| debate.papers.speaker(id)) else { continue };
        let lines = quoted(debate, speaker, &told.text);
        let passage = |at: usize| debate.papers.lines[at].passage;
        let one = |one: &usize, other: &usize| told.answers.is_some() || passage(*one) == passage(*other);
        let points = lines.chunk_by(one).enumerate();
        read.extend(points.map(|(point, lines)| ResolvedTurn { told, point, speaker, lines: lines.to_vec() }));
    }
    read
}

/// Returns the lines of a speaker that occur in a text, in order of their occurrence.
fn quoted(debate: &DerivedDebate, speaker: usize, text: &str) -> Vec<usize> {
    let lines = debate.papers.lines.iter().enumerate().filter(|(_, line)| line.speaker == speaker);
    let mut found: Vec<(usize, usize, usize)> = lines
        .filter_map(|(at, line)| text.find(line.text.as_str()).map(|from| (from, from + line.text.len(), at)))
        .collect();
    found.sort_unstable_by_key(|(from, to, at)| (*from, std::cmp::Reverse(*to), *at));
    let mut end = 0;
    found.retain(|(from, to, _)| {
        let fresh = *from >= end;
        end = end.max(*to);
        fresh
    });
    found.into_iter().map(|span| span.2).collect()
}

/// Returns every line that a speaker has said.
pub fn said(uttered: &[ResolvedTurn], speaker: usize) -> BTreeSet<usize> {
    uttered.iter().filter(|turn| turn.speaker == speaker).flat_map(|turn| turn.lines.iter().copied()).collect()
}

/// Converts the turns that put something forward to arguments with the aliases of the turns. Unanswered arguments are
/// `IN`.
pub fn arguments(debate: &DerivedDebate, uttered: &[ResolvedTurn]) -> Vec<ArgumentInput> {
    let text = |at: &usize| debate.papers.lines[*at].text.clone();
    let told = uttered.iter().filter_map(|turn| {
        let claim = turn.claim(debate)?;
        let answered = uttered.iter().any(|later| later.told.answers.as_ref() == Some(&turn.told.alias));
        Some(ArgumentInput {
            alias: turn.alias(),
            speaker: debate.papers.speakers[turn.speaker].clone(),
            claim: text(&claim),
            premises: turn.grounds(debate).iter().map(text).collect(),
            assumptions: Vec::new(),
            label: if answered { "UNDEC" } else { "IN" }.to_owned(),
        })
    });
    told.collect()
}

/// Converts the turns that challenge another turn to attacks between the arguments of [`arguments`].
pub fn attacks(debate: &DerivedDebate, uttered: &[ResolvedTurn]) -> Vec<AttackInput> {
    let challenges = uttered.iter().filter(|turn| turn.does(Move::Challenge));
    let told = challenges.filter_map(|turn| {
        let claim = debate.papers.lines[turn.claim(debate)?].text.clone();
        let target = turn.told.answers.clone()?;
        Some(attack(debate, turn.speaker, (turn.alias(), claim), (target, String::new())))
    });
    told.collect()
}

/// Builds an attack of one claim on another; each is given by alias and text.
pub fn attack(
    debate: &DerivedDebate,
    speaker: usize,
    (source, counter_claim): (String, String),
    (target, target_text): (String, String),
) -> AttackInput {
    AttackInput {
        alias: "k0".to_owned(),
        speaker: debate.papers.speakers[speaker].clone(),
        source,
        counter_claim,
        target,
        target_text,
        component: ArgumentPart::Claim,
        kind: AttackKind::Rebut,
        rationale: String::new(),
    }
}
