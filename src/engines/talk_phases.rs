//! When turns are distilled, when a phase ends, and how the talk ends.

use crate::engines::talk_circling::is_circling;
use crate::engines::talk_state::Talk;
use crate::events::ids::Point;
use crate::events::lifecycle::Outcome;
use crate::events::turn::Move;
use crate::projections::transcript::Turn;

/// The phases of a talk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// First words, side by side.
    Opening,
    /// Talk.
    Exchange,
    /// Talk about what the disagreement turns on.
    CruxSeeking,
    /// Last words, side by side.
    Resolution,
}

impl Phase {
    /// The phase's name in the log.
    pub fn name(self) -> &'static str {
        match self {
            Phase::Opening => "opening",
            Phase::Exchange => "exchange",
            Phase::CruxSeeking => "crux_seeking",
            Phase::Resolution => "resolution",
        }
    }

    /// The phase of a name in the log.
    pub fn named(name: &str) -> Option<Phase> {
        [Phase::Opening, Phase::Exchange, Phase::CruxSeeking, Phase::Resolution]
            .into_iter()
            .find(|it| it.name() == name)
    }
}

/// What a distiller makes of what was distilled so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outlook {
    /// What is contested, in order.
    pub frontier: Vec<Point>,
    /// Arguments or reasons that live.
    pub live: usize,
    /// Attacks among them that are in force.
    pub attacks: usize,
    /// Pairs of live claims of different speakers that were examined.
    pub examined: usize,
    /// All such pairs.
    pub pairs: usize,
    /// Whether any two claims were ever examined, live or not.
    pub looked: bool,
    /// Whether participants take opposite sides of anything.
    pub split: bool,
    /// Whether the frontier is complete.
    pub exact: bool,
}

impl Outlook {
    /// Whether everything was looked at, and nobody contests anything. Where there was nothing to look at, nothing was.
    fn is_uncontested(&self) -> bool {
        self.looked && self.examined == self.pairs && self.frontier.is_empty() && self.exact && !self.split
    }
}

/// Whether turns are to be distilled now, in the middle of talk: enough wait, and something came to a point among them.
pub fn is_ripe(talk: &Talk) -> bool {
    let pending = talk.pending();
    if pending.len() < talk.options.fewest_pending as usize {
        return false;
    }
    let telling = [Move::Concede, Move::Reframe, Move::ProposeCrux];
    let has = |it: &Turn| it.moves.iter().any(|it| telling.contains(it));
    pending.iter().any(|it| has(it))
        || was_challenged_and_answered(&pending)
        || pending.len() >= talk.options.most_pending as usize
}

fn was_challenged_and_answered(pending: &[&Turn]) -> bool {
    let challenges = pending.iter().filter(|it| it.moves.contains(&Move::Challenge) && it.answers.is_some());
    challenges.map(|it| it.turn).any(|challenge| pending.iter().any(|it| it.answers == Some(challenge)))
}

/// The phase to enter now, and why; `None` where the present one goes on.
pub fn next(talk: &Talk, outlook: &Outlook) -> Option<(Phase, String)> {
    let phase = talk.phase?;
    match phase {
        Phase::Opening => Some((Phase::Exchange, format!("{} opened", talk.speakers().count()))),
        Phase::Resolution => None,
        Phase::Exchange | Phase::CruxSeeking => match ending(talk, outlook) {
            Some(ending) => Some((Phase::Resolution, ending.reason(talk))),
            None if phase == Phase::CruxSeeking => None,
            None => exhausted(talk).map(|reason| (Phase::CruxSeeking, reason)),
        },
    }
}

/// Why the exchange leads no further.
fn exhausted(talk: &Talk) -> Option<String> {
    let options = &talk.options;
    if talk.progress.is_stable(options.stable as usize) {
        return Some(format!("what is contested was the same over {} crystallizations", options.stable));
    }
    if is_circling(talk) {
        return Some(format!("the last {} turns repeat the {0} before them", options.circling_turns));
    }
    talk.has_spent(options.crux_share).then(|| spent(talk))
}

fn spent(talk: &Talk) -> String {
    format!("{} of {} turns are spent", talk.slots.len(), talk.options.turn_budget)
}

/// How the talk comes to its last words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Somebody agreed with what somebody else named as the crux.
    Acknowledged(String),
    /// Everybody named a crux, and nobody agreed with anybody.
    Named(String),
    /// Everything was looked at, and nothing is contested.
    Uncontested(String),
    /// The turns are spent.
    Spent,
}

impl Ending {
    fn reason(&self, talk: &Talk) -> String {
        match self {
            Ending::Acknowledged(reason) | Ending::Named(reason) | Ending::Uncontested(reason) => reason.clone(),
            Ending::Spent => spent(talk),
        }
    }

    /// How the debate ends that ended so. A budget that is spent is a limit, and never convergence.
    pub fn outcome(&self, talk: &Talk) -> Outcome {
        match self {
            Ending::Acknowledged(reason) | Ending::Named(reason) | Ending::Uncontested(reason) => {
                Outcome::Converged { reason: reason.clone() }
            }
            Ending::Spent => Outcome::Limit { limit: "turn_budget".to_owned(), reason: spent(talk) },
        }
    }
}

/// Why last words are due in exchange or crux seeking; `None` while they are not.
pub fn ending(talk: &Talk, outlook: &Outlook) -> Option<Ending> {
    if let Some((crux, it)) = talk.cruxes.acknowledged().next() {
        let by = it.acknowledged.first().map(|it| format!("{} agreed in {}", it.speaker, it.turn)).unwrap_or_default();
        let reason = format!("{by} that {crux}, proposed by {}, is the crux", it.proposed.speaker);
        return Some(Ending::Acknowledged(reason));
    }
    // What the openings alone show is no result of talk.
    let measured_here =
        talk.progress.signals.last().is_some_and(|it| it.phase.as_deref() != Some(Phase::Opening.name()));
    if measured_here && outlook.is_uncontested() {
        let reason = "every pair of claims was examined, and nothing is contested".to_owned();
        return Some(Ending::Uncontested(reason));
    }
    let seeks = talk.phase == Some(Phase::CruxSeeking) && talk.slots.len() > talk.slots_before;
    if seeks && talk.speakers().all(|it| talk.cruxes.is_proposer(&it.id)) {
        let reason = "every participant named a crux, and none was acknowledged".to_owned();
        return Some(Ending::Named(reason));
    }
    talk.has_spent(talk.options.closing_share).then_some(Ending::Spent)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engines::talk_sample::talk;

    const PAIR: &[&str] = &["ada", "ben"];

    #[test]
    fn turns_are_distilled_when_something_came_to_a_point() {
        let check = |lines: &[&str], expected: bool| {
            assert_eq!(is_ripe(&talk(PAIR, lines)), expected, "{lines:?}");
        };
        check(&["ada: a"], false);
        check(&["ada concede: a"], false);
        check(&["ada: a", "ben: b"], false);
        check(&["ada: a", "ben concede: b"], true);
        check(&["ada reframe: a", "ben: b"], true);
        check(&["ada: a", "ben challenge,propose_crux: b"], true);
        check(&["ada: a", "ben challenge >1: b"], false);
        check(&["ada: a", "ben challenge >1: b", "ada >2: c"], true);
        check(&["ada: a", "ben challenge: b", "ada >2: c"], false);
        check(&["ada: a", "ben: b", "ada: c", "ben: d"], false);
        check(&["ada: a", "ben: b", "ada: c", "ben: d", "ada: e"], true);
        check(&["ada: a", "ben: b", "ada: c", "@ d", "@ e"], false);
    }

    #[test]
    fn phases_end_for_a_reason() {
        let contested = Outlook { frontier: vec![], split: true, exact: true, ..Outlook::default() };
        let settled = Outlook { looked: true, exact: true, ..Outlook::default() };
        let check = |lines: &[&str], outlook: &Outlook, expected: Option<(Phase, &str)>| {
            let found = next(&talk(PAIR, lines), outlook);
            let told = found.as_ref().map(|(phase, reason)| (*phase, reason.as_str()));
            assert_eq!(told, expected, "{lines:?}");
        };
        let spent = |phase: &str, n: usize| {
            let words: Vec<String> = (0..n).map(|it| format!("{}: word{it}", ["ada", "ben"][it % 2])).collect();
            [vec![format!("= {phase}")], words].concat()
        };
        let taken = |phase: &str, n: usize, outlook: &Outlook, expected: Option<(Phase, &str)>| {
            let lines = spent(phase, n);
            check(&lines.iter().map(String::as_str).collect::<Vec<_>>(), outlook, expected);
        };
        let stable = "what is contested was the same over 3 crystallizations";
        let uncontested = "every pair of claims was examined, and nothing is contested";
        let named = "every participant named a crux, and none was acknowledged";
        let agreed = "ben agreed in t2 that c1, proposed by ada, is the crux";
        check(&["= opening", "ada: a", "ben: b"], &contested, Some((Phase::Exchange, "2 opened")));
        check(&["= exchange", "ada: a"], &contested, None);
        check(&["= exchange", "ada: a", "# 1 2", "# 1 2", "# 1 2"], &contested, Some((Phase::CruxSeeking, stable)));
        check(&["= exchange", "ada: a", "# -", "# -", "# -"], &contested, None);
        check(&["= opening", "ada: a", "# -", "= exchange"], &settled, None);
        check(&["= exchange", "ada: a", "# -"], &settled, Some((Phase::Resolution, uncontested)));
        check(&["= exchange", "ada: a", "# -"], &Outlook { looked: false, ..settled.clone() }, None);
        check(&["= exchange", "ada: a", "# -"], &Outlook { pairs: 1, ..settled.clone() }, None);
        check(&["= exchange", "ada: a", "# -"], &Outlook { exact: false, ..settled }, None);
        check(&["= crux_seeking", "ada: a", "? ada 1", "ben: b"], &contested, None);
        check(&["= exchange", "ada: a", "? ada 1", "+ ben 1 2"], &contested, Some((Phase::Resolution, agreed)));
        check(&["ada: a", "? ada 1", "= crux_seeking"], &contested, None);
        let only = talk(&["ada"], &["= crux_seeking", "ada: a", "? ada 1"]);
        assert_eq!(next(&only, &contested), Some((Phase::Resolution, named.to_owned())));
        taken("exchange", 17, &contested, None);
        taken("exchange", 18, &contested, Some((Phase::CruxSeeking, "18 of 30 turns are spent")));
        taken("crux_seeking", 25, &contested, None);
        taken("crux_seeking", 26, &contested, Some((Phase::Resolution, "26 of 30 turns are spent")));
        taken("resolution", 30, &contested, None);
    }
}
