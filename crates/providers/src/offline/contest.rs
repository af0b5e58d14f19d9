//! Scores of claims as openings: how much a claim invites answers.
//!
//! A claim opens well if it is about the topic, concludes something, is central to its passage, is conceded by others
//! rather than to them, and above all has answers: the fit of the two best answers of other sides has the largest
//! weight. Nothing here depends on a seed, so it is computed once per debate.
//!
//! Cost: passages of one issue against each other, line by line; about 50 ms for 160 passages.

use crate::offline::answers;
use crate::offline::debate::debate::DerivedDebate;
use crate::offline::text::relatedness::rounded;

const TOPICAL: f64 = 0.3;
const WEIGHT: f64 = 0.2;
const CORE: f64 = 0.2;
const FAVOUR: f64 = 0.3;
const ANSWERED: f64 = 0.8;

/// Returns, for each participant, the best claim of each passage with its score.
pub fn claims(debate: &DerivedDebate) -> Vec<Vec<(f64, usize)>> {
    (0..debate.papers.speakers.len()).map(|speaker| claims_of(debate, speaker)).collect()
}

fn claims_of(debate: &DerivedDebate, speaker: usize) -> Vec<(f64, usize)> {
    let papers = &debate.papers;
    let own = papers.passages.iter().enumerate().filter(|(_, passage)| passage.speaker == speaker);
    own.filter_map(|(place, passage)| {
        let claims = passage.lines.clone().filter(|at| {
            let line = &papers.lines[*at];
            debate.claims(*at) && line.cues.concludes()
        });
        let scored = claims.map(|at| {
            let line = &papers.lines[at];
            let core = papers.gauge.relate(&line.probe, &passage.probe);
            let answer = answered(debate, place, at);
            let own = TOPICAL * line.topical + WEIGHT * line.cues.weight() + CORE * core + FAVOUR * debate.favour[at];
            (rounded(own + ANSWERED * answer), at)
        });
        scored.max_by(|one, other| debate.order(one, other))
    })
    .collect()
}

/// Scores the fit of the two best answers of other sides to a claim, from two passages; 0 if there are none.
fn answered(debate: &DerivedDebate, place: usize, claim: usize) -> f64 {
    let papers = &debate.papers;
    let speaker = papers.lines[claim].speaker;
    let others = papers.passages.iter().enumerate().filter(|(other, passage)| {
        debate.sides[speaker].opposes(debate.sides[passage.speaker])
            && passage.speaker != speaker
            && debate.issues.same(place, *other)
    });
    let mut fits: Vec<f64> = others
        .filter_map(|(other, passage)| {
            let aside = papers.relate_passages(place, other);
            let near: Vec<(usize, f64)> = passage.lines.clone().map(|at| (at, papers.relate(claim, at))).collect();
            let reach = near.iter().map(|line| line.1).fold(0.0, f64::max);
            let measure = answers::measure(debate, other, Some(speaker), reach, aside);
            let says = near.iter().filter(|(at, near)| {
                let echo = answers::echoes(debate, *at, &papers.lines[claim].probe);
                debate.answers(*at) && *near >= debate.floor.near && !echo
            });
            let best = says.map(|(at, near)| answers::claim(debate, *at, *near)).max_by(f64::total_cmp)?;
            let extra = debate.extra(speaker, passage.speaker);
            (measure >= debate.floor.attack + extra).then_some(measure - extra + best)
        })
        .collect();
    fits.sort_by(|one, other| other.total_cmp(one));
    let fit = |at: usize| fits.get(at).copied().unwrap_or(0.0);
    rounded(0.6 * fit(0) + 0.4 * fit(1))
}
