//! Extraction of arguments and attacks from the turns of a dialogue.
//!
//! A turn that claims or challenges puts forward its first asserting sentence; the others are its grounds. The judge
//! decides whether it answers another argument ([`crate::offline::judge`]): close enough, from another side,
//! and not a repetition. Most turns produce no argument: after the opening words, a turn becomes an argument only if it
//! answers one or is answered by another new turn. A defeated argument is replaced by a new one of the same speaker on
//! the same issue; if there are many arguments, one without attacks is replaced. A concession is a sentence that
//! concedes. Nothing here understands a sentence, and the reasons say so.

use crate::offline::answers;
use crate::offline::corpus::stance;
use crate::offline::debate::debate::DerivedDebate;
use crate::offline::debate::reading::ResolvedTask;
use crate::offline::debate::turns;
use crate::offline::debate::turns::ResolvedTurn;
use crate::offline::judge;
use crate::offline::reply::Judgement;
use crate::offline::talk_reply::{
    Comparisons, Crystals, ExtractedArgument, ExtractedAttack, GaveWay, Granted, PairFinding,
};
use faultline_core::events::argument::AttackKind;
use faultline_core::events::turn::Move;
use faultline_core::kernel::task::{ArgumentInput, AttackInput, PairInput, TurnInput};

/// Maximum number of attacks of one new argument.
const ATTACKS: usize = 2;
/// Maximum number of premises of an argument.
const PREMISES: usize = 2;
/// Number of live arguments above which a newer argument replaces one of the same speaker that nobody attacked.
const CROWD: usize = 5;

/// Argument graph as given in the clerk's task.
#[derive(Clone, Copy, Debug)]
pub struct Graph<'a> {
    /// Live arguments.
    pub arguments: &'a [ArgumentInput],
    /// Attacks in force.
    pub attacks: &'a [AttackInput],
}

/// Computes the changes that new turns make. `reading` contains the texts that occur in no corpus.
pub fn extract_arguments(
    debate: &DerivedDebate,
    reading: &ResolvedTask,
    turns: &[TurnInput],
    graph: Graph,
    most: usize,
) -> Crystals {
    let uttered = turns::read(debate, turns);
    let fresh: Vec<&ResolvedTurn> = uttered.iter().filter(|turn| turn.told.fresh).collect();
    let mut crystals = Crystals { concessions: granted(debate, &fresh), ..Crystals::default() };
    let mut all = graph.arguments.to_vec();
    for it in &fresh {
        let Some(claim) = claim_of_turn(debate, it) else { continue };
        if crystals.arguments.len() >= most || is_known(debate, it.speaker, claim, &all) {
            continue;
        }
        let told = as_told(debate, it, claim, crystals.arguments.len() + 1);
        let Some(mut argument) = pointed(it, &told) else { continue };
        // The first argument of a speaker is their answer to the topic.
        argument.answers_topic = all.iter().all(|other| debate.papers.speaker(&other.speaker) != Some(it.speaker));
        let attacks = attacks(debate, reading, it, &told, &all);
        let answered = || {
            fresh.iter().any(|later| later.told.answers.as_ref() == Some(&it.told.alias) && later.does(Move::Challenge))
        };
        if !argument.answers_topic && attacks.is_empty() && !answered() {
            continue;
        }
        crystals.withdrawn.extend(gives_way(debate, it, claim, (graph, &crystals), &argument));
        crystals.attacks.extend(attacks);
        all.push(told);
        crystals.arguments.push(argument);
    }
    crystals
}

/// Returns the sentences that concede points.
pub fn granted(debate: &DerivedDebate, fresh: &[&ResolvedTurn]) -> Vec<Granted> {
    let granted = fresh.iter().filter(|turn| turn.does(Move::Concede)).filter_map(|concession| {
        let line = &debate.papers.lines[concession.grant(debate)?];
        Some(Granted { sentence: turns::sentence_name(concession.told, &line.text)?, kind: "partial" })
    });
    granted.collect()
}

/// Returns the line that a turn puts forward as an argument: a line that may serve as a claim or an answer.
pub fn claim_of_turn(debate: &DerivedDebate, it: &ResolvedTurn) -> Option<usize> {
    let claims = it.does(Move::Claim) || it.does(Move::Challenge);
    let declares = |at: usize| stance::told_by(&debate.papers.lines[at].text, &debate.topic).is_some();
    it.claim(debate).filter(|at| claims && (debate.claims(*at) || debate.answers(*at) || declares(*at)))
}

/// Returns the line with the strongest conclusion among those of a turn that may serve as a claim. Bare facts are
/// excluded.
pub fn concluded(debate: &DerivedDebate, it: &ResolvedTurn) -> Option<usize> {
    let lines = &debate.papers.lines;
    let weight = |at: &usize| lines[*at].cues.weight();
    let concludes = it.lines.iter().copied().filter(|at| lines[*at].cues.concludes() && debate.claims(*at));
    concludes.max_by(|one, other| weight(one).total_cmp(&weight(other)).then(other.cmp(one)))
}

/// Returns true if a live argument of the same speaker already says the same.
fn is_known(debate: &DerivedDebate, speaker: usize, claim: usize, live: &[ArgumentInput]) -> bool {
    let own = live.iter().filter(|argument| debate.papers.speaker(&argument.speaker) == Some(speaker));
    let same = |text: &str| match debate.papers.find(Some(speaker), text) {
        Some(line) => line == claim || answers::echoes(debate, claim, &debate.papers.lines[line].probe),
        None => text == debate.papers.lines[claim].text,
    };
    own.clone().any(|argument| same(&argument.claim))
}

/// Returns the argument that a turn puts forward, in the turn's own words.
fn as_told(debate: &DerivedDebate, it: &ResolvedTurn, claim: usize, number: usize) -> ArgumentInput {
    let text = |at: &usize| debate.papers.lines[*at].text.clone();
    ArgumentInput {
        alias: format!("n{number}"),
        speaker: debate.papers.speakers[it.speaker].clone(),
        claim: text(&claim),
        premises: it.grounds(debate).iter().take(PREMISES).map(text).collect(),
        assumptions: Vec::new(),
        label: "IN".to_owned(),
    }
}

/// Names the sentences of an argument; `None` if its claim is not in the turn.
fn pointed(it: &ResolvedTurn, told: &ArgumentInput) -> Option<ExtractedArgument> {
    let claim = turns::sentence_name(it.told, &told.claim)?;
    let mut premises: Vec<String> = told
        .premises
        .iter()
        .filter_map(|text| turns::sentence_name(it.told, text))
        .filter(|name| *name != claim)
        .collect();
    premises.dedup();
    Some(ExtractedArgument {
        name: told.alias.clone(),
        claim,
        premises,
        assumptions: Vec::new(),
        evidence: Vec::new(),
        answers_topic: false,
    })
}

/// Computes the attacks of a new argument on arguments of others, strongest first.
fn attacks(
    debate: &DerivedDebate,
    reading: &ResolvedTask,
    it: &ResolvedTurn,
    new: &ArgumentInput,
    all: &[ArgumentInput],
) -> Vec<ExtractedAttack> {
    let reading = reading.with(debate, all);
    let targets: Vec<String> = all.iter().map(|argument| argument.alias.clone()).collect();
    let others = all.iter().filter(|other| other.speaker != new.speaker);
    let judged = others.map(|other| {
        let ends = ((new.alias.clone(), new.claim.clone()), (other.alias.clone(), other.claim.clone()));
        let attack = turns::attack(debate, it.speaker, ends.0, ends.1);
        (other, judge::judge(debate, &reading, &targets, &attack))
    });
    let mut valid: Vec<(&ArgumentInput, Judgement)> = judged.filter(|(_, judgement)| judgement.valid).collect();
    valid.sort_by(|one, other| {
        other.1.strength.total_cmp(&one.1.strength).then_with(|| one.0.claim.cmp(&other.0.claim))
    });
    let told = valid.into_iter().take(ATTACKS).map(|(other, judgement)| ExtractedAttack {
        source: new.alias.clone(),
        target: other.alias.clone(),
        component: judgement.component.unwrap_or("claim"),
        index: judgement.index,
        kind: judgement.kind.unwrap_or(AttackKind::Rebut),
        reason: judgement.reason,
        strength: judgement.strength,
    });
    told.collect()
}

/// Returns the live argument of the same speaker that the new one replaces: a defeated one on the same issue, or, if
/// there are many arguments, the oldest one without attacks.
fn gives_way(
    debate: &DerivedDebate,
    it: &ResolvedTurn,
    claim: usize,
    (graph, drawn): (Graph, &Crystals),
    by: &ExtractedArgument,
) -> Option<GaveWay> {
    let lines = &debate.papers.lines;
    let crowded = graph.arguments.len() + drawn.arguments.len() > CROWD;
    let gives = graph.arguments.iter().find(|told| {
        let line = debate.papers.find(Some(it.speaker), &told.claim);
        let own = debate.papers.speaker(&told.speaker) == Some(it.speaker);
        let near = line.is_some_and(|at| debate.issues.same(lines[at].passage, lines[claim].passage));
        let free = drawn.withdrawn.iter().all(|withdrawal| withdrawal.argument != told.alias);
        let of_no_attack =
            graph.attacks.iter().all(|attack| attack.source != told.alias && attack.target != told.alias)
                && drawn.attacks.iter().all(|attack| attack.target != told.alias);
        own && free && (near && told.label == "OUT" || crowded && of_no_attack)
    });
    gives.map(|told| GaveWay {
        argument: told.alias.clone(),
        sentence: by.claim.clone(),
        superseded_by: Some(by.name.clone()),
        reason: "Replaced by a later argument of the same speaker; the withdrawn one was answered or not taken up.",
    })
}

/// Compares pairs of claims. `reading` contains the texts that occur in no corpus.
pub fn compare(debate: &DerivedDebate, reading: &ResolvedTask, pairs: &[PairInput]) -> Comparisons {
    Comparisons { pairs: pairs.iter().map(|pair| compared(debate, reading, pair)).collect() }
}

fn compared(debate: &DerivedDebate, reading: &ResolvedTask, pair: &PairInput) -> PairFinding {
    let (one, other) = (&pair.one, &pair.other);
    let told = [one, other].map(|argument| ArgumentInput {
        alias: argument.alias.clone(),
        speaker: argument.speaker.clone(),
        claim: argument.text.clone(),
        premises: Vec::new(),
        assumptions: Vec::new(),
        label: "IN".to_owned(),
    });
    let reading = reading.with(debate, &told);
    let targets = told.each_ref().map(|argument| argument.alias.clone());
    let judged = [(one, other), (other, one)].map(|(from, to)| {
        let speaker = debate.papers.speaker(&from.speaker);
        let ends = ((from.alias.clone(), from.text.clone()), (to.alias.clone(), to.text.clone()));
        speaker.map(|speaker| judge::judge(debate, &reading, &targets, &turns::attack(debate, speaker, ends.0, ends.1)))
    });
    let best = judged.into_iter().flatten().max_by(|one, other| one.strength.total_cmp(&other.strength));
    let speaker = debate.papers.speaker(&one.speaker);
    let line = speaker.and_then(|speaker| debate.papers.find(Some(speaker), &one.text));
    let (_, probe) = reading.probe(debate, debate.papers.speaker(&other.speaker), &other.text);
    let same = line.is_some_and(|line| answers::echoes(debate, line, &probe));
    let (finding, reason, strength) = match best {
        Some(it) if it.valid => ("conflict", it.reason, it.strength),
        _ if same => ("agreement", "The two quotations say the same.".to_owned(), 0.0),
        Some(it) => ("compatible", it.reason, 0.0),
        None => ("compatible", "Neither claim is in a participant's corpus.".to_owned(), 0.0),
    };
    PairFinding { one: one.alias.clone(), other: other.alias.clone(), finding, reason, strength }
}
