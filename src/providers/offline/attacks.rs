//! Attacks: what a speaker's pages hold against the arguments of others.
//!
//! For every argument of somebody else, each of the speaker's passages on the same matter is an answer, and its line
//! nearest to a part of the argument is the counter-claim:
//!
//! `score = measure of the passage + claim of the line (answers.rs) + what favours it`
//!
//! Favoured are arguments that stand (`IN`) or hit one
//! of the speaker's own, and arguments that nobody has answered; what was said before is not said again. Nothing is put
//! forward below a floor: then the speaker is silent, and the debate can end. Relatedness is not contradiction: an
//! answer is *on the matter and from the other side*, no more, and the judge says so.
//!
//! Cost: speaker's lines × parts of all arguments, a few thousand comparisons, about 10 ms.

use std::collections::BTreeSet;

use crate::events::argument::{AttackKind, Component};
use crate::kernel::task::{ArgumentTold, AttackTold};
use crate::providers::offline::answers;
use crate::providers::offline::arguments::{self, Drawn};
use crate::providers::offline::choose::Chooser;
use crate::providers::offline::debate::Debate;
use crate::providers::offline::reading::{Reading, Told};
use crate::providers::offline::relate::{Probe, rounded};

/// The most attacks in the first round, and in later ones.
const FIRST: usize = 3;
const LATER: usize = 2;
/// How much better an answer must fit once attacks have been raised: weak afterthoughts end no quarrel.
const LATE: f64 = 0.03;
/// What a passage loses that the speaker has already taken a claim from.
const SPENT: f64 = 0.05;

/// An attack, drawn from the speaker's pages.
#[derive(Clone, Debug)]
pub struct Raised {
    /// The attacked argument: its place among those told.
    pub target: usize,
    /// The part that is hit.
    pub component: Component,
    /// How.
    pub kind: AttackKind,
    /// With what.
    pub counter: Drawn,
    /// How near the counter-claim is to the part.
    pub near: f64,
    /// The whole score.
    pub score: f64,
    /// Whether it defends one of the speaker's own arguments.
    pub defends: bool,
}

/// What a round is attacked with: a counter-claim against a part.
struct Candidate {
    target: usize,
    component: Component,
    claim: usize,
    near: f64,
    measure: f64,
    score: f64,
}

/// The attacks of a speaker in a round, best first.
pub fn raise(
    debate: &Debate,
    reading: &Reading,
    speaker: usize,
    round: u32,
    told: (&[ArgumentTold], &[AttackTold]),
    chooser: &Chooser,
) -> Vec<Raised> {
    let (arguments, attacks) = told;
    let past = Past::read(debate, reading, speaker, arguments, attacks);
    let mut candidates = candidates(debate, reading, speaker, &past);
    let most = if round <= 1 { FIRST } else { LATER };
    let mut raised: Vec<Raised> = Vec::new();
    let mut used = past.said.clone();
    while raised.len() < most {
        candidates.retain(|it| {
            let passage = debate.papers.lines[it.claim].passage;
            let spent = raised.iter().any(|past| debate.papers.lines[past.counter.claim].passage == passage);
            !spent && !raised.iter().any(|past| past.target == it.target) && !used.contains(&it.claim)
        });
        let texts = candidates.iter().map(|it| (it.score, debate.papers.lines[it.claim].text.as_str()));
        let Some(at) = chooser.pick(&format!("attack/{}", raised.len()), texts) else { break };
        let chosen = candidates.swap_remove(at);
        if std::env::var("DBGA").is_ok() { let l=&debate.papers.lines[chosen.claim]; println!("####\t{}\t{}\t{:.3}\t{:.3}\t{:.2}\t{}\t{:.3}\t{}\t{}\t{}",debate.papers.speakers[speaker],told.0[chosen.target].speaker,debate.papers.gauge.relate(&debate.papers.passages[l.passage].probe, &reading.arguments[chosen.target].whole), chosen.near, l.cues.weight(), reading.arguments[chosen.target].speaker.is_some_and(|o| debate.papers.passages[l.passage].names.contains(&o)), chosen.measure, told.0[chosen.target].claim, match chosen.component { Component::Claim => told.0[chosen.target].claim.clone(), Component::Premise(i) => told.0[chosen.target].premises[i as usize].clone(), Component::Assumption(i) => told.0[chosen.target].assumptions[i as usize].clone() }, l.text); if false { println!("   #### aside {:.3} near {:.3} w {:.2} names {} fit {:.3} score {:.3}", debate.papers.gauge.relate(&debate.papers.passages[l.passage].probe, &reading.arguments[chosen.target].whole), chosen.near, l.cues.weight(), reading.arguments[chosen.target].speaker.is_some_and(|o| debate.papers.passages[l.passage].names.contains(&o)), chosen.measure, chosen.score); } }
        let Some(counter) = arguments::assemble(debate, chosen.claim, &used, false) else { continue };
        used.extend(counter.lines());
        let target = &reading.arguments[chosen.target];
        raised.push(Raised {
            target: chosen.target,
            component: chosen.component,
            kind: kind_of(debate, target, &chosen),
            counter,
            near: chosen.near,
            score: chosen.score,
            defends: past.against_me.contains(&chosen.target),
        });
    }
    raised
}

/// What was said and done so far, as far as the speaker is concerned.
struct Past {
    /// Lines that the speaker has used.
    said: BTreeSet<usize>,
    /// Passages from which the speaker has taken a claim.
    spent: BTreeSet<usize>,
    /// How often the speaker has attacked each argument.
    mine: Vec<usize>,
    /// How often anybody has attacked it.
    all: Vec<usize>,
    /// Arguments of others that hit one of the speaker's own.
    against_me: BTreeSet<usize>,
}

impl Past {
    fn read(
        debate: &Debate,
        reading: &Reading,
        speaker: usize,
        arguments: &[ArgumentTold],
        attacks: &[AttackTold],
    ) -> Self {
        let place = |alias: &str| arguments.iter().position(|it| it.alias == alias);
        let me = &debate.papers.speakers[speaker];
        let mut past = Past {
            said: BTreeSet::new(),
            spent: BTreeSet::new(),
            mine: vec![0; arguments.len()],
            all: vec![0; arguments.len()],
            against_me: BTreeSet::new(),
        };
        for told in reading.arguments.iter().filter(|it| it.speaker == Some(speaker)) {
            past.said.extend(told.parts.iter().filter_map(|it| it.line));
            past.spent.extend(told.claim().line.map(|it| debate.papers.lines[it].passage));
        }
        for attack in attacks {
            let (source, target) = (place(&attack.source), place(&attack.target));
            if let Some(target) = target {
                past.all[target] += 1;
                past.mine[target] += usize::from(attack.speaker == *me);
                if arguments[target].speaker == *me && attack.speaker != *me {
                    past.against_me.extend(source);
                }
            }
            if attack.speaker == *me {
                let line = debate.papers.find(Some(speaker), &attack.counter_claim);
                past.said.extend(line);
                past.spent.extend(line.map(|it| debate.papers.lines[it].passage));
            }
        }
        past
    }
}

fn candidates(debate: &Debate, reading: &Reading, speaker: usize, past: &Past) -> Vec<Candidate> {
    let papers = &debate.papers;
    let mut candidates = Vec::new();
    for (target, told) in reading.arguments.iter().enumerate() {
        let Some(other) = told.speaker.filter(|it| *it != speaker) else { continue };
        let defends = past.against_me.contains(&target);
        if !defends && !debate.sides[speaker].opposes(debate.sides[other]) {
            continue;
        }
        let standing = if told.label == "IN" { 0.04 } else { 0.0 };
        let fresh = if past.all[target] == 0 { 0.03 } else { 0.0 };
        let favour = standing + fresh + if defends { 0.06 } else { 0.0 } - 0.06 * past.mine[target] as f64;
        let late = if past.all.iter().any(|it| *it > 0) { LATE } else { 0.0 };
        for (place, _) in papers.passages.iter().enumerate().filter(|(_, it)| it.speaker == speaker) {
            let spent = if past.spent.contains(&place) { SPENT } else { 0.0 };
            let aside = papers.gauge.relate(&papers.passages[place].probe, &told.whole);
            let answer = Answer::draw(debate, told, place);
            let measure = answers::measure(debate, place, Some(other), answer.reach, aside);
            if std::env::var("DBGC").is_ok() && measure > 0.36 { println!("  cand {} -> {} measure {measure:.3} aside {aside:.3} reach {:.3} lines {:?} :: {}", papers.speakers[speaker], target + 1, answer.reach, answer.lines.iter().map(|l| (l.0, (l.2*100.0) as u32)).collect::<Vec<_>>(), papers.of(place).iter().map(|l| format!("[w{:.1}{}{}{}{}] {}", l.cues.weight(), if l.cues.leans {"L"} else {""}, if l.granted {"G"} else {""}, if l.sets_up {"S"} else {""}, if l.cues.reports {"R"} else {""}, l.text)).collect::<Vec<_>>().join(" ")); }
            if aside < debate.floor.link || measure < debate.floor.attack + spent + late {
                continue;
            }
            for &(claim, component, near) in answer.lines.iter().filter(|it| !past.said.contains(&it.0)) {
                let score = rounded(measure + answers::claim(debate, claim, near) + favour - spent);
                candidates.push(Candidate { target, component, claim, near, measure, score });
            }
        }
    }
    candidates
}

/// What a passage holds against an argument.
struct Answer {
    /// How near its nearest line is to any part of the argument.
    reach: f64,
    /// Lines that may be the counter-claim: the line, the part that it is nearest to, and how near.
    lines: Vec<(usize, Component, f64)>,
}

impl Answer {
    fn draw(debate: &Debate, told: &Told, passage: usize) -> Self {
        let papers = &debate.papers;
        let near = papers.passages[passage].lines.clone().filter_map(|at| {
            let (component, near) = told.nearest(&papers.gauge, &papers.lines[at].probe)?;
            Some((at, component, near))
        });
        let near: Vec<(usize, Component, f64)> = near.collect();
        let reach = near.iter().map(|it| it.2).fold(0.0, f64::max);
        let mut lines = near;
        lines.retain(|(at, _, near)| {
            let echo = |text: &Probe| answers::echoes(debate, &papers.lines[*at].probe, text);
            debate.answers(*at) && *near >= debate.floor.near && !told.parts.iter().any(|it| echo(&it.probe))
        });
        // Where the passage concludes anything, its bare facts are grounds, not the claim.
        let concludes = |at: usize| papers.lines[at].cues.weight() >= arguments::CLAIM;
        if lines.iter().any(|it| concludes(it.0)) {
            lines.retain(|it| concludes(it.0));
        }
        Answer { reach, lines }
    }
}

/// How an attack works: against the part that is hit; or against the step, where the counter-claim is about claim and
/// ground alike and speaks of causes, comparisons or what follows.
fn kind_of(debate: &Debate, target: &Told, chosen: &Candidate) -> AttackKind {
    let line = &debate.papers.lines[chosen.claim];
    match chosen.component {
        Component::Premise(_) | Component::Assumption(_) => AttackKind::Undermine,
        Component::Claim => {
            let grounds = target.parts.iter().filter(|it| matches!(it.component, Component::Premise(_)));
            let ground = grounds.map(|it| debate.papers.gauge.relate(&it.probe, &line.probe)).fold(0.0, f64::max);
            let step = line.cues.corrects && ground >= debate.floor.back && chosen.near - ground < 0.12;
            if step { AttackKind::Undercut } else { AttackKind::Rebut }
        }
    }
}

/// A concession of the speaker on the matter of an argument that is attacked: its line, and how near it is. Only one that
/// is as near as an attack would have to be.
pub fn concession(debate: &Debate, reading: &Reading, speaker: usize, raised: &[Raised]) -> Option<(usize, f64)> {
    let papers = &debate.papers;
    let granted = papers.lines.iter().enumerate().filter(|(_, it)| {
        it.speaker == speaker && it.cues.concedes && !it.cues.flips && !it.cues.leans && !it.cues.asks
    });
    let near = granted.filter_map(|(at, line)| {
        let fits = raised.iter().map(|it| {
            let told = &reading.arguments[it.target];
            let (_, near) = told.nearest(&papers.gauge, &line.probe)?;
            let aside = papers.gauge.relate(&papers.passages[line.passage].probe, &told.whole);
            Some(rounded(0.6 * near + 0.4 * aside))
        });
        fits.flatten().max_by(f64::total_cmp).map(|near| (at, near))
    });
    let near = near.filter(|it| it.1 >= debate.floor.valid);
    near.max_by(|one, other| one.1.total_cmp(&other.1).then(papers.lines[other.0].text.cmp(&papers.lines[one.0].text)))
}
