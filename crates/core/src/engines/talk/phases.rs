//! Phases of a talk: conditions for distilling turns, for changing the phase, and for ending the talk.

use crate::engines::shared::agreed_crux::agreement_on_crux;
use crate::engines::talk::repetition::is_circling;
use crate::engines::talk::state::{Talk, TalkPhase};
use crate::events::ids::PointId;
use crate::events::lifecycle::DebateOutcome;
use crate::events::turn::Move;
use crate::projections::disputes::dispute_state::DisputeStatus;
use crate::projections::transcript::Turn;

/// Summary of the distilled structure.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StructureSummary {
    /// Contested points, in order.
    pub frontier: Vec<PointId>,
    /// Number of live arguments or reasons.
    pub live: usize,
    /// Number of attacks in force among them.
    pub attacks: usize,
    /// Number of pairs of live claims by different speakers that were examined.
    pub examined: usize,
    /// Number of all such pairs.
    pub pairs: usize,
    /// True if any two claims were ever examined, live or not.
    pub looked: bool,
    /// True if participants take opposite sides of anything.
    pub split: bool,
    /// True if the frontier is complete.
    pub exact: bool,
}

impl StructureSummary {
    /// Returns true if everything was examined and nothing is contested. False if there was nothing to examine.
    fn is_uncontested(&self) -> bool {
        self.looked && self.examined == self.pairs && self.frontier.is_empty() && self.exact && !self.split
    }
}

/// Returns true if turns should be distilled during the exchange: enough are pending, and there was a decisive move.
pub fn is_distillation_due(talk: &Talk) -> bool {
    let pending = talk.pending();
    if pending.len() < talk.options.fewest_pending as usize {
        return false;
    }
    let telling = [Move::Concede, Move::Reframe, Move::ProposeCrux];
    let has = |turn: &Turn| turn.moves.iter().any(|talk_move| telling.contains(talk_move));
    pending.iter().any(|turn| has(turn))
        || was_challenged_and_answered(&pending)
        || pending.len() >= talk.options.most_pending as usize
}

fn was_challenged_and_answered(pending: &[&Turn]) -> bool {
    let challenges = pending.iter().filter(|turn| turn.moves.contains(&Move::Challenge) && turn.answers.is_some());
    challenges
        .map(|challenge| challenge.turn)
        .any(|challenge| pending.iter().any(|turn| turn.answers == Some(challenge)))
}

/// Returns the phase to enter now, and the reason; `None` to stay in the present one.
pub fn next(talk: &Talk, summary: &StructureSummary) -> Option<(TalkPhase, String)> {
    let phase = talk.phase?;
    match phase {
        TalkPhase::Opening => Some((TalkPhase::Exchange, format!("{} participants opened", talk.speakers().count()))),
        TalkPhase::Resolution => None,
        TalkPhase::Exchange | TalkPhase::CruxSeeking => match ending(talk, summary) {
            Some(ending) => Some((TalkPhase::Resolution, ending.reason(talk))),
            None if phase == TalkPhase::CruxSeeking => None,
            None => exhausted(talk).map(|reason| (TalkPhase::CruxSeeking, reason)),
        },
    }
}

/// Returns the reason why the exchange should end in favour of crux seeking.
fn exhausted(talk: &Talk) -> Option<String> {
    let options = &talk.options;
    if talk.progress.is_stable(options.stable as usize) {
        return Some(format!(
            "the undecided arguments, or the questions with both a yes and a no, were the same after each of the clerk's last {} readings",
            options.stable
        ));
    }
    if is_circling(talk) {
        return Some(format!("the last {} turns repeat the {0} before them", options.circling_turns));
    }
    talk.has_spent(options.crux_share).then(|| {
        let (held, missed) = held(talk);
        format!("{held} of a budget of {} have been held{missed}", options.turn_budget)
    })
}

fn spent(talk: &Talk) -> String {
    let (held, missed) = held(talk);
    format!("{held} of a budget of {} were held before the closing statements{missed}", talk.options.turn_budget)
}

/// Turns that were held, and a clause on those that were missed or skipped, which count against the budget as well; empty if
/// there are none.
fn held(talk: &Talk) -> (String, String) {
    let skipped = talk.slots.iter().filter(|slot| slot.is_skipped).count();
    let missed = talk.slots.iter().filter(|slot| slot.turn.is_none() && !slot.is_skipped).count();
    // Turns of rooms are turns, too, and have a budget of their own.
    let has_rooms = talk.participant_turns().any(|turn| turn.room.is_some());
    let of = if has_rooms { " of the channel" } else { "" };
    let held = match talk.slots.len() - missed - skipped {
        1 => format!("1 turn{of}"),
        n => format!("{n} turns{of}"),
    };
    let without = match (missed, skipped) {
        (0, 0) => String::new(),
        (missed, 0) => format!(", and {missed} missed"),
        (0, skipped) => format!(", and {skipped} skipped"),
        (missed, skipped) => format!(", {missed} missed and {skipped} skipped"),
    };
    (held, without)
}

/// Reason for which the talk comes to its closing statements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TalkEnding {
    /// A participant agreed with the crux that another one proposed.
    Acknowledged(String),
    /// Every participant proposed a crux, and none was acknowledged.
    Named(String),
    /// Everything was examined, and nothing is contested.
    Uncontested(String),
    /// Twice in a row, no participant said anything new.
    NothingNew(String),
    /// The turn budget is used up.
    Spent,
}

impl TalkEnding {
    fn reason(&self, talk: &Talk) -> String {
        match self {
            TalkEnding::Acknowledged(reason)
            | TalkEnding::Named(reason)
            | TalkEnding::Uncontested(reason)
            | TalkEnding::NothingNew(reason) => reason.clone(),
            TalkEnding::Spent => spent(talk),
        }
    }

    /// Returns the outcome of the debate after its last words. A used-up budget is a limit, unless the closing statements
    /// settled the question. An agreement that a qualified auditor contests settles nothing.
    pub fn outcome(&self, talk: &Talk) -> DebateOutcome {
        match (agreed(talk), self) {
            (Some(reason), _) => DebateOutcome::Settled { reason },
            (None, TalkEnding::Acknowledged(_)) if !talk.has_spent(talk.options.closing_share) => {
                DebateOutcome::Exhausted { reason: "the agreement on the crux no longer counts".to_owned() }
            }
            (None, TalkEnding::Spent | TalkEnding::Acknowledged(_)) => {
                DebateOutcome::Limit { limit: "turn_budget".to_owned(), reason: spent(talk) }
            }
            (None, ending) => DebateOutcome::Exhausted { reason: ending.reason(talk) },
        }
    }
}

/// Returns the reason for closing statements in the exchange or crux-seeking phase; `None` while there is none.
pub fn ending(talk: &Talk, summary: &StructureSummary) -> Option<TalkEnding> {
    if let Some(reason) = acknowledged(talk) {
        return Some(TalkEnding::Acknowledged(reason));
    }
    // The result of the opening statements alone is not a result of the exchange.
    let measured_here =
        talk.progress.signals.last().is_some_and(|signal| signal.phase.as_deref() != Some(TalkPhase::Opening.name()));
    if measured_here && summary.is_uncontested() {
        let reason = "every comparable pair of claims was examined, and no two opposite answers are open".to_owned();
        return Some(TalkEnding::Uncontested(reason));
    }
    if talk.has_nothing_new() {
        return Some(TalkEnding::NothingNew("twice in a row, no participant said anything new".to_owned()));
    }
    let seeks = talk.phase == Some(TalkPhase::CruxSeeking) && talk.slots.len() > talk.slots_before;
    if seeks && talk.speakers().all(|speaker| talk.cruxes.is_proposer(&speaker.id)) {
        let reason = "every participant named a crux, and none was acknowledged".to_owned();
        return Some(TalkEnding::Named(reason));
    }
    talk.has_spent(talk.options.closing_share).then_some(TalkEnding::Spent)
}

/// Returns the reason why the talk is settled: a crux agreed on in words, or all disputes, at least one, settled.
fn agreed(talk: &Talk) -> Option<String> {
    let mut disputes = talk.disputes.not_retired().filter(|(_, dispute)| !dispute.is_topic).peekable();
    let any = disputes.peek().is_some();
    let settled = any && disputes.all(|(_, dispute)| dispute.status() == DisputeStatus::Settled);
    let is_topic_open = talk.disputes.topic().is_some_and(|(_, topic)| topic.is_split());
    let except = if is_topic_open { ", except for the topic" } else { "" };
    let reason = || format!("the participants came to one side of every dispute{except}");
    acknowledged(talk).or_else(|| settled.then(reason))
}

fn acknowledged(talk: &Talk) -> Option<String> {
    agreement_on_crux(&talk.cruxes, &talk.participants)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engines::talk::sample::talk;

    const PAIR: &[&str] = &["ada", "ben"];

    #[test]
    fn turns_are_distilled_after_decisive_moves() {
        let check = |lines: &[&str], expected: bool| {
            assert_eq!(is_distillation_due(&talk(PAIR, lines)), expected, "{lines:?}");
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
    fn a_talk_is_silent_unless_all_lost_turns_were_echoes() {
        let check = |lines: &[&str], silent: bool, nothing_new: bool| {
            let talk = talk(PAIR, lines);
            assert_eq!((talk.is_silent(), talk.has_nothing_new()), (silent, nothing_new), "{lines:?}");
        };
        check(&["= exchange", "- ada", "- ben"], true, false);
        check(&["= exchange", "- ada", "~ ben"], true, false);
        check(&["= exchange", "~ ada", "~ ben"], false, false);
        check(&["= exchange", "~ ada", "~ ben", "~ ada", "~ ben"], false, true);
        check(&["~ ada", "~ ben", "= exchange", "~ ada", "~ ben"], false, false);
        check(&["= exchange", "~ ada", "~ ben", "ada: a", "~ ben"], false, false);
    }

    #[test]
    fn phases_end_for_the_stated_reasons() {
        let contested = StructureSummary { frontier: vec![], split: true, exact: true, ..StructureSummary::default() };
        let settled = StructureSummary { looked: true, exact: true, ..StructureSummary::default() };
        let check = |lines: &[&str], summary: &StructureSummary, expected: Option<(TalkPhase, &str)>| {
            let found = next(&talk(PAIR, lines), summary);
            let told = found.as_ref().map(|(phase, reason)| (*phase, reason.as_str()));
            assert_eq!(told, expected, "{lines:?}");
        };
        let spent = |phase: &str, n: usize| {
            let words: Vec<String> =
                (0..n).map(|number| format!("{}: word{number}", ["ada", "ben"][number % 2])).collect();
            [vec![format!("= {phase}")], words].concat()
        };
        let taken = |phase: &str, n: usize, summary: &StructureSummary, expected: Option<(TalkPhase, &str)>| {
            let lines = spent(phase, n);
            check(&lines.iter().map(String::as_str).collect::<Vec<_>>(), summary, expected);
        };
        let stable = "the undecided arguments, or the questions with both a yes and a no, were the same after each of the clerk's last 3 readings";
        let uncontested = "every comparable pair of claims was examined, and no two opposite answers are open";
        let named = "every participant named a crux, and none was acknowledged";
        let agreed = "ben agreed in t2 that c1, proposed by ada, is the crux";
        check(&["= opening", "ada: a", "ben: b"], &contested, Some((TalkPhase::Exchange, "2 participants opened")));
        check(&["= exchange", "ada: a"], &contested, None);
        check(&["= exchange", "ada: a", "# 1 2", "# 1 2", "# 1 2"], &contested, Some((TalkPhase::CruxSeeking, stable)));
        check(&["= exchange", "ada: a", "# -", "# -", "# -"], &contested, None);
        check(&["= opening", "ada: a", "# -", "= exchange"], &settled, None);
        check(&["= exchange", "ada: a", "# -"], &settled, Some((TalkPhase::Resolution, uncontested)));
        check(&["= exchange", "ada: a", "# -"], &StructureSummary { looked: false, ..settled.clone() }, None);
        check(&["= exchange", "ada: a", "# -"], &StructureSummary { pairs: 1, ..settled.clone() }, None);
        check(&["= exchange", "ada: a", "# -"], &StructureSummary { exact: false, ..settled }, None);
        let nothing_new = Some((TalkPhase::Resolution, "twice in a row, no participant said anything new"));
        check(&["= exchange", "ada: a", "~ ben", "~ ada", "~ ben", "~ ada"], &contested, nothing_new);
        check(&["= exchange", "ada: a", "~ ben", "~ ada", "~ ben"], &contested, None);
        check(&["= exchange", "~ ada", "~ ben", "~ ada", "- ben"], &contested, None);
        check(&["= crux_seeking", "ada: a", "? ada 1", "ben: b"], &contested, None);
        check(&["= exchange", "ada: a", "? ada 1", "+ ben 1 2"], &contested, Some((TalkPhase::Resolution, agreed)));
        check(&["ada: a", "? ada 1", "= crux_seeking"], &contested, None);
        let only = talk(&["ada"], &["= crux_seeking", "ada: a", "? ada 1"]);
        assert_eq!(next(&only, &contested), Some((TalkPhase::Resolution, named.to_owned())));
        taken("exchange", 17, &contested, None);
        taken("exchange", 18, &contested, Some((TalkPhase::CruxSeeking, "18 turns of a budget of 30 have been held")));
        taken("crux_seeking", 25, &contested, None);
        taken(
            "crux_seeking",
            26,
            &contested,
            Some((TalkPhase::Resolution, "26 turns of a budget of 30 were held before the closing statements")),
        );
        taken("resolution", 30, &contested, None);
    }

    #[test]
    fn an_agreement_that_no_longer_counts_settles_nothing() {
        let ending = TalkEnding::Acknowledged("ben agreed in t2 that c1, proposed by ada, is the crux".to_owned());
        let agreed = talk(PAIR, &["= exchange", "ada: a", "? ada 1", "+ ben 1 2"]);
        assert!(matches!(ending.outcome(&agreed), DebateOutcome::Settled { .. }));
        let contested = talk(PAIR, &["= exchange", "ada: a", "? ada 1", "ben: b"]);
        let reason = "the agreement on the crux no longer counts".to_owned();
        assert_eq!(ending.outcome(&contested), DebateOutcome::Exhausted { reason });
        let words: Vec<String> = (0..30).map(|number| format!("{}: word{number}", PAIR[number % 2])).collect();
        let spent = talk(PAIR, &words.iter().map(String::as_str).collect::<Vec<_>>());
        assert!(matches!(ending.outcome(&spent), DebateOutcome::Limit { .. }));
    }
}
