//! Arguments: a claim together with its neighbouring sentences.
//!
//! Authors put a claim and its grounds side by side, so an argument is taken from one passage: one line as the claim,
//! the other asserting lines as premises and evidence, and one general line of the same author as the assumption. Cost:
//! linear in the speaker's lines for each argument.

use std::collections::BTreeSet;

use crate::offline::choose::Chooser;
use crate::offline::corpus::stance;
use crate::offline::corpus::stance::CorpusSide;
use crate::offline::debate::debate::DerivedDebate;
use crate::offline::text::relatedness::rounded;

/// Maximum number of premises and of pieces of evidence of an argument.
const PREMISES: usize = 2;
const EVIDENCE: usize = 2;
/// Weight of a claim's favour: concessions by others count for it, concessions by its writer against it.
const FAVOUR: f64 = 0.3;
/// Bonuses of an answer to the topic for its weight as a claim, and for declaring the side.
const WEIGHT: f64 = 0.2;
const DECLARED: f64 = 0.6;
/// Bonus of a ground in the same passage as the answer.
const HOME: f64 = 0.06;
/// Number of arguments in an opening.
const OPENING: usize = 4;

/// Argument as indices of lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArgumentLines {
    /// Line of the claim.
    pub claim: usize,
    /// Lines of the premises; at least one.
    pub premises: Vec<usize>,
    /// Lines of the assumptions.
    pub assumptions: Vec<usize>,
    /// Lines of the evidence.
    pub evidence: Vec<usize>,
}

impl ArgumentLines {
    /// Iterates over all lines of the argument.
    pub fn lines(&self) -> impl Iterator<Item = usize> {
        let parts = [&self.premises, &self.assumptions, &self.evidence];
        std::iter::once(self.claim).chain(parts.into_iter().flatten().copied())
    }
}

/// Selects the arguments of a speaker's opening: first the answer to the topic, then one argument per issue, on issues
/// that the others write about as well.
///
/// The openings of all participants are drawn together, taking turns in the order of their names, and no issue is used
/// twice. Each claim therefore has answers that no opening has used up. Returns the openings of `speaker`. `claims`
/// come from contest.rs.
pub fn open(debate: &DerivedDebate, claims: &[Vec<(f64, usize)>], speaker: usize, seed: u64) -> Vec<ArgumentLines> {
    let count = debate.papers.speakers.len();
    let mut turns: Vec<usize> = (0..count).collect();
    turns.sort_by_key(|speaker| &debate.papers.speakers[*speaker]);
    let mut openings = vec![Vec::new(); count];
    let mut taken: BTreeSet<usize> = BTreeSet::new();
    for slot in 0..OPENING {
        for turn in &turns {
            let chooser = Chooser::new(seed, format!("open/{}", debate.papers.speakers[*turn]));
            let drawn = if slot == 0 { answering(debate, *turn, &chooser) } else { None };
            let drawn = drawn.or_else(|| contested(debate, &claims[*turn], slot, &taken, &openings[*turn], &chooser));
            if let Some(drawn) = drawn {
                taken.extend(debate.issues.of[debate.papers.lines[drawn.claim].passage]);
                openings[*turn].push(drawn);
            }
        }
    }
    openings.swap_remove(speaker)
}

/// Selects the argument that answers the topic.
fn answering(debate: &DerivedDebate, speaker: usize, chooser: &Chooser) -> Option<ArgumentLines> {
    let none = BTreeSet::new();
    assemble(debate, answer(debate, speaker, &none, chooser)?, &none, true)
}

/// Selects the speaker's next argument on an issue that is not taken.
fn contested(
    debate: &DerivedDebate,
    claims: &[(f64, usize)],
    slot: usize,
    taken: &BTreeSet<usize>,
    drawn: &[ArgumentLines],
    chooser: &Chooser,
) -> Option<ArgumentLines> {
    let used: BTreeSet<usize> = drawn.iter().flat_map(ArgumentLines::lines).collect();
    let lines = &debate.papers.lines;
    let spent: Vec<usize> = drawn.iter().map(|argument| lines[argument.claim].passage).collect();
    let free = |at: usize| debate.issues.of[lines[at].passage].is_none_or(|issue| !taken.contains(&issue));
    // Fallbacks if there are more arguments than issues: another passage on a taken issue; in a small corpus finally a
    // line that has already served as a ground.
    let tier = |at: usize| if used.contains(&at) { 2 } else { usize::from(!free(at)) };
    for wanted in 0..=2 {
        let fits =
            |candidate: &&(f64, usize)| tier(candidate.1) == wanted && !spent.contains(&lines[candidate.1].passage);
        let mut open: Vec<(f64, usize)> = claims.iter().filter(fits).copied().collect();
        let pick = |open: &[(f64, usize)]| {
            chooser.pick(
                &format!("issue/{slot}"),
                open.iter().map(|candidate| (candidate.0, lines[candidate.1].text.as_str())),
            )
        };
        while let Some(at) = pick(&open) {
            let (_, claim) = open.swap_remove(at);
            if let Some(drawn) = assemble(debate, claim, &used, false) {
                return Some(drawn);
            }
        }
    }
    None
}

/// Selects the line that answers the topic: close to it, general, and on the speaker's own side.
pub fn answer(debate: &DerivedDebate, speaker: usize, used: &BTreeSet<usize>, chooser: &Chooser) -> Option<usize> {
    let side = debate.sides[speaker];
    let lines = debate.papers.lines.iter().enumerate();
    let candidates: Vec<(f64, usize)> = lines
        .filter(|(at, line)| line.speaker == speaker && !used.contains(at))
        .filter_map(|(at, line)| {
            let told = stance::told_by(&line.text, &debate.topic).filter(|_| !line.cues.flips && !line.cues.concedes);
            let declared = told == Some(side) && side != CorpusSide::Undecided;
            let says = debate.claims(at) || declared && line.topical >= debate.floor.topic;
            if told.is_some() && !declared || !says {
                return None;
            }
            let own = FAVOUR * debate.favour[at] + WEIGHT * line.cues.weight();
            Some((rounded(line.topical + own + if declared { DECLARED } else { 0.0 }), at))
        })
        .collect();
    let texts = candidates.iter().map(|candidate| (candidate.0, debate.papers.lines[candidate.1].text.as_str()));
    chooser.pick("answer", texts).map(|at| candidates[at].1)
}

/// Builds the argument around a claim; `None` if nothing supports it. The grounds of a claim come from its own passage;
/// those of an answer to the topic may come from any passage of the author.
pub fn assemble(debate: &DerivedDebate, claim: usize, used: &BTreeSet<usize>, answers: bool) -> Option<ArgumentLines> {
    if answers {
        return assemble_answer(debate, claim, used);
    }
    let papers = &debate.papers;
    let mut support = beside(debate, claim, used);
    let general = support.iter().copied().find(|at| papers.lines[*at].cues.values && debate.claims(*at));
    let assumption = general.filter(|_| support.len() > 1).or_else(|| backing(debate, claim, used, true));
    support.retain(|at| Some(*at) != assumption);
    let (mut evidence, mut premises): (Vec<usize>, Vec<usize>) =
        support.into_iter().partition(|at| papers.lines[*at].cues.counts && !papers.lines[*at].cues.leans);
    if premises.is_empty() && evidence.is_empty() {
        premises.extend(backing(debate, claim, used, false).filter(|premise| Some(*premise) != assumption));
    }
    premises.truncate(PREMISES);
    if premises.is_empty() && !evidence.is_empty() {
        premises.push(evidence.remove(0));
    }
    evidence.truncate(EVIDENCE);
    (!premises.is_empty()).then(|| ArgumentLines {
        claim,
        premises,
        assumptions: assumption.into_iter().collect(),
        evidence,
    })
}

fn assemble_answer(debate: &DerivedDebate, claim: usize, used: &BTreeSet<usize>) -> Option<ArgumentLines> {
    let home = beside(debate, claim, used);
    let mut premises = grounds(debate, claim, used, &home);
    let mut evidence = home;
    evidence.retain(|at| {
        let cues = &debate.papers.lines[*at].cues;
        cues.counts && !cues.leans && !premises.contains(at)
    });
    evidence.truncate(EVIDENCE);
    let assumptions = if premises.len() > 1 { premises.pop() } else { None };
    (!premises.is_empty()).then(|| ArgumentLines {
        claim,
        premises,
        assumptions: assumptions.into_iter().collect(),
        evidence,
    })
}

/// Returns the author's reasons for an answer to the topic, best first: two premises and an assumption, each from
/// another passage. Lines of `home`, the answer's own passage, get a bonus and may share a passage.
fn grounds(debate: &DerivedDebate, claim: usize, used: &BTreeSet<usize>, home: &[usize]) -> Vec<usize> {
    let papers = &debate.papers;
    let speaker = papers.lines[claim].speaker;
    let mut found: Vec<usize> = Vec::new();
    while found.len() < PREMISES + 1 {
        let open = |at: &usize| {
            let line = &papers.lines[*at];
            let reasons = line.cues.values || line.cues.reasons && !line.cues.personal;
            let far = line.passage != papers.lines[claim].passage && reasons && debate.claims(*at);
            let taken = found.iter().any(|premise| papers.lines[*premise].passage == line.passage) || used.contains(at);
            line.speaker == speaker && *at != claim && (far || home.contains(at)) && !taken
        };
        let scored = (0..papers.lines.len()).filter(open).map(|at| {
            let line = &papers.lines[at];
            let near = if home.contains(&at) { HOME } else { 0.0 };
            (rounded(0.5 * papers.relate(claim, at) + 0.5 * line.topical + 0.1 * line.cues.weight() + near), at)
        });
        let best =
            scored.filter(|candidate| candidate.0 >= debate.floor.back).max_by(|one, other| debate.order(one, other));
        let Some((_, best)) = best else { break };
        found.push(best);
    }
    found
}

/// Returns the lines of a claim's passage that support it, in order. A context-dependent line needs the line before it;
/// a purely personal line must be close to the claim.
fn beside(debate: &DerivedDebate, claim: usize, used: &BTreeSet<usize>) -> Vec<usize> {
    let papers = &debate.papers;
    let passage = &papers.passages[papers.lines[claim].passage];
    let mut support: Vec<usize> = Vec::new();
    for at in passage.lines.clone().filter(|at| *at != claim && !used.contains(at)) {
        let line = &papers.lines[at];
        let hangs = line.cues.leans && !(at > 0 && (at - 1 == claim || support.contains(&(at - 1))));
        let yields = line.granted && !papers.lines[claim].granted;
        let chat = line.cues.personal && !(line.cues.counts || line.cues.values);
        let least = if chat { debate.floor.back } else { debate.floor.beside };
        if line.cues.asserts() && !hangs && !yields && papers.relate(claim, at) >= least {
            support.push(at);
        }
    }
    support
}

/// Finds a line of the same author on the same issue that supports a claim from another passage. With `general`, only
/// norms and impersonal reasons qualify.
fn backing(debate: &DerivedDebate, claim: usize, used: &BTreeSet<usize>, general: bool) -> Option<usize> {
    let papers = &debate.papers;
    let home = papers.lines[claim].passage;
    let fits = |at: &usize| {
        let line = &papers.lines[*at];
        let kind = !general || line.cues.values || line.cues.reasons && !line.cues.personal;
        let place = line.passage != home && debate.issues.same(home, line.passage);
        line.speaker == papers.lines[claim].speaker && kind && place && debate.claims(*at) && !used.contains(at)
    };
    let scored = (0..papers.lines.len()).filter(fits).map(|at| (papers.relate(claim, at), at));
    let near = scored.filter(|candidate| candidate.0 >= debate.floor.back + 0.05);
    near.max_by(|one, other| debate.order(one, other)).map(|candidate| candidate.1)
}
