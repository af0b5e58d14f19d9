//! Attacks: selection of a speaker's passages that answer the arguments of others.
//!
//! Each of the speaker's passages on the same matter is a possible answer to an argument of another participant
//! ([`crate::offline::answers`]). The line in it with the strongest conclusion is the counter-claim, the
//! other lines are its grounds. Preferred targets are arguments that are accepted (`IN`), that nobody has attacked, or
//! that attack one of the speaker's own. Lines that were used before are not used again. No attack scores below a
//! threshold; without one the speaker is silent, so a debate can end. Relatedness is not contradiction: an answer is
//! *on the matter and from the other side*, no more, and the judge says so.
//!
//! Cost: the speaker's lines times the parts of all arguments, a few thousand comparisons, about 10 ms.

use crate::offline::answers;
use crate::offline::arguments;
use crate::offline::arguments::ArgumentLines;
use crate::offline::choose::Chooser;
use crate::offline::debate::debate::DerivedDebate;
use crate::offline::debate::history::SpeakerHistory;
use crate::offline::debate::reading::{ResolvedArgument, ResolvedTask};
use crate::offline::text::relatedness::rounded;
use faultline_core::events::argument::{ArgumentPart, AttackKind};

/// Maximum number of attacks in the first round, and in later rounds.
const FIRST: usize = 3;
const LATER: usize = 2;
/// Maximum number of attacks of one speaker on one argument.
const PRESSED: usize = 3;
/// Bonuses of a target that is accepted, that nobody has attacked, or that attacks one of the speaker's own arguments;
/// penalty for each earlier attack of the speaker on it.
const STANDS: f64 = 0.04;
const FRESH: f64 = 0.03;
const DEFENDS: f64 = 0.06;
const AGAIN: f64 = 0.06;
/// Increase of the threshold once attacks have been raised.
const LATE: f64 = 0.0;
/// Reduction of the threshold in the first round for a speaker who would otherwise be silent.
const SLACK: f64 = 0.04;
/// Penalty of a passage from which the speaker has already taken a claim.
const SPENT: f64 = 0.04;
/// Margin by which a line may be closer to the claim than to a ground and still attack the step between them.
const STEP: f64 = 0.12;

/// Attack drawn from the speaker's corpus.
#[derive(Clone, Debug)]
pub struct DrawnAttack {
    /// Index of the attacked argument among those of the task.
    pub target: usize,
    /// Attacked part.
    pub component: ArgumentPart,
    /// Kind of attack.
    pub kind: AttackKind,
    /// Counter-argument.
    pub counter: ArgumentLines,
    /// Relatedness of the counter-claim to the attacked part.
    pub near: f64,
    /// Score of the candidate from which the attack was chosen.
    pub score: f64,
    /// True if the attack defends one of the speaker's own arguments.
    pub defends: bool,
}

/// Selects the attacks of a speaker in a round (from 1), best first.
pub fn raise(
    debate: &DerivedDebate,
    reading: &ResolvedTask,
    past: &SpeakerHistory,
    speaker: usize,
    round: u32,
    chooser: &Chooser,
) -> Vec<DrawnAttack> {
    let lines = &debate.papers.lines;
    let mut candidates = candidates(debate, reading, speaker, past, 0.0);
    if candidates.is_empty() && round <= 1 {
        candidates = self::candidates(debate, reading, speaker, past, SLACK);
    }
    let mut raised: Vec<DrawnAttack> = Vec::new();
    let mut used = past.said.clone();
    while raised.len() < if round <= 1 { FIRST } else { LATER } {
        candidates.retain(|candidate| {
            let passage = lines[candidate.claim].passage;
            let same =
                |past: &DrawnAttack| past.target == candidate.target || lines[past.counter.claim].passage == passage;
            !raised.iter().any(same) && !used.contains(&candidate.claim)
        });
        let texts = candidates.iter().map(|candidate| (candidate.score, lines[candidate.claim].text.as_str()));
        let Some(at) = chooser.pick(&format!("attack/{}", raised.len()), texts) else { break };
        let chosen = candidates.swap_remove(at);
        let Some(counter) = arguments::assemble(debate, chosen.claim, &used, false) else { continue };
        used.extend(counter.lines());
        raised.push(DrawnAttack {
            target: chosen.target,
            component: chosen.component,
            kind: kind_of(debate, &reading.arguments[chosen.target], &chosen),
            counter,
            near: chosen.near,
            score: chosen.score,
            defends: past.against_me.contains(&chosen.target),
        });
    }
    raised
}

/// Line that may be used against a part of an argument.
struct Candidate {
    target: usize,
    component: ArgumentPart,
    claim: usize,
    near: f64,
    score: f64,
}

/// Collects all possible attacks. `slack` lowers the threshold.
fn candidates(
    debate: &DerivedDebate,
    reading: &ResolvedTask,
    speaker: usize,
    past: &SpeakerHistory,
    slack: f64,
) -> Vec<Candidate> {
    let papers = &debate.papers;
    let late = if past.all.iter().any(|count| *count > 0) { LATE } else { 0.0 };
    let mut candidates = Vec::new();
    for (target, told) in reading.arguments.iter().enumerate() {
        let Some(other) = told.speaker.filter(|other| *other != speaker) else { continue };
        let defends = past.against_me.contains(&target);
        let opposed = debate.sides[speaker].opposes(debate.sides[other]);
        if past.mine[target] >= PRESSED || !(defends || opposed) {
            continue;
        }
        let gains = [(told.label == "IN", STANDS), (past.all[target] == 0, FRESH), (defends, DEFENDS)];
        let gain: f64 = gains.iter().filter(|gain| gain.0).map(|gain| gain.1).sum();
        let floor = debate.floor.attack + late + debate.extra(speaker, other) - slack;
        let favour = gain - AGAIN * past.mine[target] as f64;
        for place in (0..papers.passages.len()).filter(|place| papers.passages[*place].speaker == speaker) {
            let spent = if past.spent.contains(&place) { SPENT } else { 0.0 };
            let aside = papers.gauge.relate(&papers.passages[place].probe, &told.whole);
            let answer = Answer::draw(debate, told, place);
            let measure = answers::measure(debate, place, Some(other), answer.reach, aside);
            for &(claim, component, near) in answer.lines.iter().filter(|line| !past.said.contains(&line.0)) {
                let against = f64::min(answers::OWN * debate.favour[claim], 0.0);
                if aside >= debate.floor.link && measure + against >= floor + spent {
                    let score = rounded(measure + answers::claim(debate, claim, near) + favour - spent);
                    candidates.push(Candidate { target, component, claim, near, score });
                }
            }
        }
    }
    candidates
}

/// Lines of a passage that answer an argument.
struct Answer {
    /// Relatedness of its closest line to any part of the argument.
    reach: f64,
    /// Lines that may be the counter-claim, each with the part that it attacks and its relatedness to that part.
    lines: Vec<(usize, ArgumentPart, f64)>,
}

impl Answer {
    fn draw(debate: &DerivedDebate, told: &ResolvedArgument, passage: usize) -> Self {
        let papers = &debate.papers;
        let lines = papers.passages[passage].lines.clone();
        let nearest =
            |probe| lines.clone().map(|at| papers.gauge.relate(&papers.lines[at].probe, probe)).fold(0.0, f64::max);
        let reaches: Vec<f64> = told.parts.iter().map(|part| nearest(&part.probe)).collect();
        let may = |at: &usize| {
            let echo = told.parts.iter().any(|part| answers::echoes(debate, *at, &part.probe));
            debate.answers(*at) && !echo
        };
        let hit = |at: usize| {
            let (component, near) = told.hit(&papers.gauge, &papers.lines[at].probe, &reaches)?;
            (near >= debate.floor.near).then_some((at, component, near))
        };
        let mut lines: Vec<(usize, ArgumentPart, f64)> = lines.clone().filter(may).filter_map(hit).collect();
        // Bare facts are grounds, not claims, if another line of the passage concludes something.
        let concludes = |at: usize| papers.lines[at].cues.concludes();
        if lines.iter().any(|line| concludes(line.0)) {
            lines.retain(|line| concludes(line.0));
        }
        Answer { reach: reaches.into_iter().fold(0.0, f64::max), lines }
    }
}

/// Determines the kind of an attack. It attacks the part that is hit, or the step to the claim if the counter-claim is
/// about claim and ground alike and mentions causes, comparisons or inferences.
fn kind_of(debate: &DerivedDebate, target: &ResolvedArgument, chosen: &Candidate) -> AttackKind {
    let line = &debate.papers.lines[chosen.claim];
    match chosen.component {
        ArgumentPart::Premise(_) | ArgumentPart::Assumption(_) => AttackKind::Undermine,
        ArgumentPart::Claim => {
            let grounds = target.parts.iter().filter(|part| matches!(part.component, ArgumentPart::Premise(_)));
            let ground =
                grounds.map(|ground| debate.papers.gauge.relate(&ground.probe, &line.probe)).fold(0.0, f64::max);
            let step = line.cues.corrects && ground >= debate.floor.back && chosen.near - ground < STEP;
            if step { AttackKind::Undercut } else { AttackKind::Rebut }
        }
    }
}

/// Finds a concession of the speaker on the matter of an attacked argument: its line and its relatedness, which must
/// reach the threshold of a valid attack.
pub fn concession(
    debate: &DerivedDebate,
    reading: &ResolvedTask,
    speaker: usize,
    raised: &[DrawnAttack],
) -> Option<(usize, f64)> {
    let papers = &debate.papers;
    let granted = papers.lines.iter().enumerate().filter(|(_, line)| {
        line.speaker == speaker && line.cues.concedes && !(line.cues.flips || line.cues.leans || line.cues.asks)
    });
    let near = granted.filter_map(|(at, line)| {
        let fits = raised.iter().map(|attack| {
            let told = &reading.arguments[attack.target];
            let near = told.parts.iter().map(|part| papers.gauge.relate(&part.probe, &line.probe)).fold(0.0, f64::max);
            let aside = papers.gauge.relate(&papers.passages[line.passage].probe, &told.whole);
            rounded(0.5 * near + 0.5 * aside)
        });
        fits.max_by(f64::total_cmp).map(|near| (near, at))
    });
    let best = near.filter(|candidate| candidate.0 >= debate.floor.valid).max_by(|one, other| debate.order(one, other));
    best.map(|(near, at)| (at, near))
}
