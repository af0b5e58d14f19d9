//! Extraction of disputes from turns: a statement of one speaker that another answers, as a question.
//!
//! A turn that the judge calls an answer to another turn raises a dispute: the conclusion of the other turn becomes the
//! question, unless both speakers assert it. The speaker who said it takes the side yes in that very sentence. An answer
//! takes no side: it is a reason against the stance, and its speaker is asked for a side later. The criteria are the
//! sentences in which either speaker names a condition that would change their mind.

use std::collections::BTreeSet;

use crate::offline::answers;
use crate::offline::argument_extraction::{claim_of_turn, concluded, granted};
use crate::offline::corpus::stance::CorpusSide;
use crate::offline::debate::debate::DerivedDebate;
use crate::offline::debate::reading::ResolvedTask;
use crate::offline::debate::turns;
use crate::offline::debate::turns::ResolvedTurn;
use crate::offline::judge;
use crate::offline::phrases;
use crate::offline::talk_reply::{ExtractedDispute, ExtractedReason, ExtractedStance, Quarrels};
use faultline_core::kernel::task::{DisputeInput, TurnInput};

/// Maximum number of criteria of a dispute.
const CRITERIA: usize = 2;

/// Computes the changes that new turns make.
pub fn extract_disputes(
    debate: &DerivedDebate,
    reading: &ResolvedTask,
    turns: &[TurnInput],
    disputes: &[DisputeInput],
    most: usize,
) -> Quarrels {
    let uttered = turns::read(debate, turns);
    let fresh: Vec<&ResolvedTurn> = uttered.iter().filter(|turn| turn.told.fresh).collect();
    let mut quarrels = Quarrels { concessions: granted(debate, &fresh), ..Quarrels::default() };
    let mut told: BTreeSet<(String, usize)> = BTreeSet::new();
    for answered in pairs(debate, reading, &uttered) {
        let question = question(debate, answered.line);
        let known = disputes.iter().find(|dispute| dispute.question == question).map(|dispute| dispute.alias.clone());
        let raised =
            quarrels.disputes.iter().find(|dispute| dispute.question == question).map(|dispute| dispute.name.clone());
        let alias = match known.or(raised) {
            Some(alias) => alias,
            None if quarrels.disputes.len() >= most => continue,
            None => {
                let name = format!("n{}", quarrels.disputes.len() + 1);
                let turns = [answered.by, answered.of].map(|turn| turn.told.alias.clone()).to_vec();
                let criteria = criteria(debate, &answered);
                quarrels.disputes.push(ExtractedDispute {
                    name: name.clone(),
                    question,
                    horizon: None,
                    criteria,
                    turns,
                });
                name
            }
        };
        for it in [answered.of, answered.by] {
            if it.told.fresh && told.insert((alias.clone(), it.speaker)) {
                let line = (it.speaker == answered.of.speaker).then_some(answered.line);
                speak_to(debate, it, line, &alias, &mut quarrels);
            }
        }
    }
    quarrels
}

/// Sentence of one turn, and the turn that answers it.
struct Answered<'a> {
    line: usize,
    of: &'a ResolvedTurn<'a>,
    by: &'a ResolvedTurn<'a>,
    strength: f64,
}

/// Finds new turns that answer a sentence of another speaker: in the turn that they name, or else in any of the opening
/// turns. Strongest answers first.
fn pairs<'a>(debate: &DerivedDebate, reading: &ResolvedTask, uttered: &'a [ResolvedTurn<'a>]) -> Vec<Answered<'a>> {
    let arguments = turns::arguments(debate, uttered);
    let reading = reading.with(debate, &arguments);
    let targets: Vec<String> = arguments.iter().map(|argument| argument.alias.clone()).collect();
    let mut pairs = Vec::new();
    for by in uttered.iter().filter(|turn| turn.told.fresh) {
        let Some(counter) = claim_of_turn(debate, by) else { continue };
        for of in uttered.iter().filter(|of| of.speaker != by.speaker) {
            let meant = match &by.told.answers {
                Some(alias) => of.told.alias == *alias,
                None => of.told.answers.is_none() && of.told.fresh,
            };
            // A fact that both turns assert is not in dispute.
            let lines = &debate.papers.lines;
            let shared = |at: &usize| by.lines.iter().any(|line| answers::echoes(debate, *line, &lines[*at].probe));
            let asked = [concluded(debate, of), claim_of_turn(debate, of)];
            let judged = asked.into_iter().flatten().filter(|at| meant && !shared(at)).map(|line| {
                let text = |at: usize| lines[at].text.clone();
                let ends = ((by.alias(), text(counter)), (of.alias(), text(line)));
                let attack = turns::attack(debate, by.speaker, ends.0, ends.1);
                (line, judge::judge(debate, &reading, &targets, &attack))
            });
            let answered = judged.into_iter().find(|(_, judgement)| judgement.valid);
            pairs.extend(answered.map(|(line, judgement)| Answered { line, of, by, strength: judgement.strength }));
        }
    }
    pairs.sort_by(|one, other| other.strength.total_cmp(&one.strength).then(one.line.cmp(&other.line)));
    pairs
}

/// Builds the question of a dispute from the sentence of a line.
fn question(debate: &DerivedDebate, line: usize) -> String {
    format!("Is this so: \"{}\"?", debate.papers.lines[line].text)
}

/// Returns the criteria: the flip conditions of both speakers, the closest first.
fn criteria(debate: &DerivedDebate, answered: &Answered) -> Vec<String> {
    let papers = &debate.papers;
    let flips = papers.lines.iter().enumerate().filter(|(_, line)| {
        line.cues.flips && !line.cues.leans && [answered.of.speaker, answered.by.speaker].contains(&line.speaker)
    });
    let mut near: Vec<(f64, usize)> = flips.map(|(at, _)| (papers.relate(at, answered.line), at)).collect();
    near.sort_by(|one, other| debate.order(other, one));
    let told: Vec<String> = near.into_iter().take(CRITERIA).map(|(_, at)| papers.lines[at].text.clone()).collect();
    if told.is_empty() { vec![phrases::COUNT.to_owned()] } else { told }
}

/// Records what a turn says to a dispute. The speaker of the disputed line takes the side yes in this line, and a sentence
/// beside it is their reason; another speaker's claim is a reason against that side.
fn speak_to(debate: &DerivedDebate, it: &ResolvedTurn, line: Option<usize>, dispute: &str, quarrels: &mut Quarrels) {
    let sentence = |at: usize| turns::sentence_name(it.told, &debate.papers.lines[at].text);
    let stance = line.and_then(sentence);
    quarrels.stances.extend(stance.clone().map(|sentence| ExtractedStance {
        dispute: dispute.to_owned(),
        sentence,
        side: CorpusSide::Yes,
    }));
    let (reason, polarity) = match line {
        Some(line) => (it.grounds(debate).into_iter().find(|at| *at != line), "supports"),
        None => (it.claim(debate), "attacks"),
    };
    let reason = reason.and_then(sentence).filter(|reason| stance.as_ref() != Some(reason));
    quarrels.reasons.extend(reason.map(|sentence| ExtractedReason {
        dispute: dispute.to_owned(),
        sentence,
        side: CorpusSide::Yes,
        polarity,
        assumptions: Vec::new(),
        evidence: Vec::new(),
        attacks: Vec::new(),
    }));
}
