//! Arguments: a claim with its neighbours.
//!
//! An author who claims something gives the grounds beside it. So an argument is a passage: one line as the claim, the
//! other lines that assert something as premises and evidence, and one general line of the same author as the
//! assumption on which it leans. Cost: linear in the speaker's lines for each argument.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use crate::providers::offline::answers;
use crate::providers::offline::choose::Chooser;
use crate::providers::offline::debate::Debate;
use crate::providers::offline::relate::rounded;
use crate::providers::offline::stance::{self, Side};

/// The most premises and pieces of evidence of an argument.
const PREMISES: usize = 2;
const EVIDENCE: usize = 2;
/// How much it tells for a claim that others grant it, and against one that its writer grants to others.
const FAVOUR: f64 = 0.3;
/// What a line must weigh to conclude anything: more than a bare fact.
pub const CLAIM: f64 = 0.7;
/// How many arguments an opening has: one more when only two debate.
const OPENING: usize = 3;

/// An argument, in places of lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drawn {
    /// What it concludes.
    pub claim: usize,
    /// What from; at least one.
    pub premises: Vec<usize>,
    /// What it takes for granted.
    pub assumptions: Vec<usize>,
    /// What it points to.
    pub evidence: Vec<usize>,
}

impl Drawn {
    /// All of its lines.
    pub fn lines(&self) -> impl Iterator<Item = usize> {
        let parts = [&self.premises, &self.assumptions, &self.evidence];
        std::iter::once(self.claim).chain(parts.into_iter().flatten().copied())
    }
}

/// The arguments with which a speaker opens: the answer to the topic first, then one on each of the issues that the
/// others write about as well.
pub fn open(debate: &Debate, speaker: usize, chooser: &Chooser) -> Vec<Drawn> {
    let mut used = BTreeSet::new();
    let mut drawn = Vec::new();
    let mut issues = BTreeSet::new();
    let most = if debate.papers.speakers.len() == 2 { OPENING + 1 } else { OPENING };
    if let Some(claim) = answer(debate, speaker, chooser) {
        if let Some(argument) = assemble(debate, claim, &used, drawn.is_empty()) {
            issues.insert(debate.issues.of[debate.papers.lines[claim].passage]);
            used.extend(argument.lines());
            drawn.push(argument);
        }
    }
    while drawn.len() < most {
        let candidates: Vec<(f64, usize)> = contested(debate, speaker, &used)
            .into_iter()
            .filter(|(_, claim)| !issues.contains(&debate.issues.of[debate.papers.lines[*claim].passage]))
            .collect();
        let slot = format!("issue/{}", drawn.len());
        let texts = candidates.iter().map(|it| (it.0, debate.papers.lines[it.1].text.as_str()));
        let Some(claim) = chooser.pick(&slot, texts).map(|at| candidates[at].1) else { break };
        issues.insert(debate.issues.of[debate.papers.lines[claim].passage]);
        used.insert(claim);
        if let Some(argument) = assemble(debate, claim, &used, drawn.is_empty()) {
            used.extend(argument.lines());
            drawn.push(argument);
        }
    }
    drawn
}

/// The line that answers the topic: near it, general, and from the speaker's own side.
fn answer(debate: &Debate, speaker: usize, chooser: &Chooser) -> Option<usize> {
    let side = debate.sides[speaker];
    let candidates: Vec<(f64, usize)> = debate
        .papers
        .lines
        .iter()
        .enumerate()
        .filter(|(_, it)| it.speaker == speaker)
        .filter_map(|(at, line)| {
            let told = stance::told_by(&line.text, &debate.topic).filter(|_| !line.cues.flips && !line.cues.concedes);
            let declared = told == Some(side) && side != Side::Undecided;
            let says = line.claims() || declared && line.topical >= debate.floor.topic;
            if told.is_some() && !declared || !says {
                return None;
            }
            let score = line.topical + FAVOUR * debate.favour[at] + 0.2 * line.cues.weight() + if declared { 0.6 } else { 0.0 };
            Some((rounded(score), at))
        })
        .collect();
    let texts = candidates.iter().map(|it| (it.0, debate.papers.lines[it.1].text.as_str()));
    chooser.pick("answer", texts).map(|at| candidates[at].1)
}

/// The best claim of each of the speaker's passages to which another participant has an answer.
fn contested(debate: &Debate, speaker: usize, used: &BTreeSet<usize>) -> Vec<(f64, usize)> {
    let papers = &debate.papers;
    let own = papers.passages.iter().enumerate().filter(|(_, it)| it.speaker == speaker);
    own.filter_map(|(place, passage)| {
        let claims = passage.lines.clone().filter(|at| {
            let line = &papers.lines[*at];
            line.claims() && line.cues.weight() >= CLAIM && !used.contains(at)
        });
        let scored = claims.filter_map(|at| {
            let line = &papers.lines[at];
            let core = papers.gauge.relate(&line.probe, &passage.probe);
            let answer = answered(debate, place, at)?;
            Some((rounded(0.3 * line.topical + 0.2 * line.cues.weight() + 0.2 * core + 0.8 * answer + FAVOUR * debate.favour[at]), at))
        });
        scored.max_by(|one, other| earlier(debate, one, other))
    })
    .collect()
}

/// How well the two best answers of other sides, from two passages, fit a claim; `None` where there is none.
fn answered(debate: &Debate, place: usize, claim: usize) -> Option<f64> {
    let papers = &debate.papers;
    let speaker = papers.lines[claim].speaker;
    let others = papers.passages.iter().enumerate().filter(|(other, it)| {
        debate.sides[speaker].opposes(debate.sides[it.speaker]) && it.speaker != speaker && debate.issues.same(place, *other)
    });
    let mut fits: Vec<f64> = others
        .filter_map(|(other, passage)| {
            let aside = papers.relate_passages(place, other);
            let near: Vec<(usize, f64)> = passage.lines.clone().map(|at| (at, papers.relate(claim, at))).collect();
            let reach = near.iter().map(|it| it.1).fold(0.0, f64::max);
            let measure = answers::measure(debate, other, Some(speaker), reach, aside);
            let says = near.iter().filter(|(at, near)| {
                let line = &papers.lines[*at].probe;
                let echo = answers::echoes(debate, line, &papers.lines[claim].probe);
                debate.answers(*at) && *near >= debate.floor.near && !echo
            });
            let best = says.map(|(at, near)| answers::claim(debate, *at, *near)).max_by(f64::total_cmp)?;
            (measure >= debate.floor.attack).then_some(measure + best)
        })
        .collect();
    fits.sort_by(|one, other| other.total_cmp(one));
    let best = *fits.first()?;
    Some(rounded(0.6 * best + 0.4 * fits.get(1).copied().unwrap_or(0.0)))
}

/// The argument around a claim; `None` where nothing backs it. The grounds of a claim stand beside it; those of an answer
/// to the topic may come from anywhere on the author's pages.
pub fn assemble(debate: &Debate, claim: usize, used: &BTreeSet<usize>, answers: bool) -> Option<Drawn> {
    let papers = &debate.papers;
    let mut support = beside(debate, claim, used);
    if answers {
        let home = support.clone();
        support.retain(|at| papers.lines[*at].cues.counts && !papers.lines[*at].cues.leans);
        let reasons = grounds(debate, claim, used, &home);
        support.retain(|at| !reasons.contains(at));
        let (assumption, premises) = reasons.split_last()?;
        if premises.is_empty() {
            return Some(Drawn { claim, premises: reasons, assumptions: Vec::new(), evidence: support });
        }
        support.truncate(EVIDENCE);
        return Some(Drawn { claim, premises: premises.to_vec(), assumptions: vec![*assumption], evidence: support });
    }
    let general = support.iter().copied().find(|at| papers.lines[*at].cues.values && papers.lines[*at].claims());
    let assumption = general.filter(|_| support.len() > 1).or_else(|| backing(debate, claim, used, true));
    support.retain(|at| Some(*at) != assumption);
    let (mut evidence, mut premises): (Vec<usize>, Vec<usize>) =
        support.into_iter().partition(|at| papers.lines[*at].cues.counts && !papers.lines[*at].cues.leans);
    if premises.is_empty() && evidence.is_empty() {
        premises.extend(backing(debate, claim, used, false).filter(|it| Some(*it) != assumption));
    }
    premises.truncate(PREMISES);
    if premises.is_empty() && !evidence.is_empty() {
        premises.push(evidence.remove(0));
    }
    evidence.truncate(EVIDENCE);
    (!premises.is_empty()).then(|| Drawn { claim, premises, assumptions: assumption.into_iter().collect(), evidence })
}

/// The author's reasons for an answer to the topic, best first: two premises and an assumption, each from another passage,
/// except that `home`, what stands beside the answer, is favoured.
fn grounds(debate: &Debate, claim: usize, used: &BTreeSet<usize>, home: &[usize]) -> Vec<usize> {
    let papers = &debate.papers;
    let speaker = papers.lines[claim].speaker;
    let mut found: Vec<usize> = Vec::new();
    while found.len() < PREMISES + 1 {
        let open = |at: &usize| {
            let line = &papers.lines[*at];
            let reasons = line.cues.values || line.cues.reasons && !line.cues.personal;
            let far = line.passage != papers.lines[claim].passage && reasons && line.claims();
            let taken = found.iter().any(|it| papers.lines[*it].passage == line.passage) || used.contains(at);
            line.speaker == speaker && *at != claim && (far || home.contains(at)) && !taken
        };
        let scored = (0..papers.lines.len()).filter(open).map(|at| {
            let line = &papers.lines[at];
            let near = if home.contains(&at) { HOME } else { 0.0 };
            (rounded(0.5 * papers.relate(claim, at) + 0.5 * line.topical + 0.1 * line.cues.weight() + near), at)
        });
        let best = scored.filter(|it| it.0 >= debate.floor.back).max_by(|one, other| earlier(debate, one, other));
        let Some((_, best)) = best else { break };
        found.push(best);
    }
    found
}

/// What a ground gains by standing beside the answer.
const HOME: f64 = 0.06;

/// Higher scores later, and of equal ones the text that sorts first: what `max_by` takes.
fn earlier(debate: &Debate, one: &(f64, usize), other: &(f64, usize)) -> Ordering {
    let lines = &debate.papers.lines;
    one.0.total_cmp(&other.0).then(lines[other.1].text.cmp(&lines[one.1].text))
}

/// The lines of a claim's passage that stand for it, in their order. A line that leans needs the one before it; what the
/// author only tells of himself must be near.
fn beside(debate: &Debate, claim: usize, used: &BTreeSet<usize>) -> Vec<usize> {
    let papers = &debate.papers;
    let passage = &papers.passages[papers.lines[claim].passage];
    let mut support: Vec<usize> = Vec::new();
    for at in passage.lines.clone().filter(|at| *at != claim && !used.contains(at)) {
        let line = &papers.lines[at];
        let hangs = line.cues.leans && !(at > 0 && (at - 1 == claim || support.contains(&(at - 1))));
        let chat = line.cues.personal && !(line.cues.counts || line.cues.values);
        let least = if chat { debate.floor.back } else { debate.floor.beside };
        if line.cues.asserts() && (!line.granted || papers.lines[claim].granted) && !hangs && papers.relate(claim, at) >= least {
            support.push(at);
        }
    }
    support
}

/// A line of the same author on the same issue that backs a claim from another passage: a `general` one, or any.
fn backing(debate: &Debate, claim: usize, used: &BTreeSet<usize>, general: bool) -> Option<usize> {
    let papers = &debate.papers;
    let home = papers.lines[claim].passage;
    let fits = |at: &usize| {
        let line = &papers.lines[*at];
        let kind = !general || line.cues.values || line.cues.reasons && !line.cues.personal;
        let place = line.passage != home && debate.issues.same(home, line.passage);
        line.speaker == papers.lines[claim].speaker && kind && place && line.claims() && !used.contains(at)
    };
    let scored = (0..papers.lines.len()).filter(fits).map(|at| (papers.relate(claim, at), at));
    let near = scored.filter(|it| it.0 >= debate.floor.back + 0.05);
    near.max_by(|one, other| earlier(debate, one, other)).map(|it| it.1)
}
