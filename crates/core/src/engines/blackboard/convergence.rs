//! Measurement of a table at the end of a round: how far stances have come together, and whether the table goes on.
//!
//! A table has *converged* if on every dispute under discussion everybody took a stance, and at least the share `converged` of the
//! weight, and more than half, is on yes, or on no: a majority, which readers must not take for agreement. It has *diverged* if some dispute divides it, and for the last rounds nobody
//! changed sides, no dispute's shares, entropy or distance changed by more than [`MAX_CHANGE`], as many as before had no stance, and
//! no point was raised; rounds in which nobody was heard do not count. The measures are those of [`crate::verdicts::disagreement::stance_measures`]. A share of one
//! side among those who spoke is no convergence of those who did not.

use crate::events::dispute::Side;
use crate::events::ids::{DisputeId, PersonaId};
use crate::events::table::{ConvergenceMeasured, MeasuredDispute, TableState};
use crate::projections::disputes::dispute_state::{Dispute, Stance};
use crate::verdicts::disagreement::stance_measures::stance_measures;

/// Maximum change of a dispute's shares, entropy or distance that counts as none.
pub const MAX_CHANGE: f64 = 0.02;

/// Table to be measured.
pub struct MeasuredTable<'a> {
    /// Its number.
    pub table: u32,
    /// The round that has ended.
    pub round: u32,
    /// Participants who sit there.
    pub seated: &'a [&'a PersonaId],
    /// Disputes under discussion.
    pub disputes: &'a [(DisputeId, &'a Dispute)],
    /// Earlier measurements of the table, in order.
    pub before: &'a [&'a ConvergenceMeasured],
    /// Number of disputes raised and cruxes proposed at the table since the last of them.
    pub new_points: u32,
    /// Number of changes of sides at the table since the last of them.
    pub moved: u32,
    /// False if all calls of the round failed.
    pub is_heard: bool,
    /// Reason for which nobody speaks any more; `None` if somebody may.
    pub silence: Option<String>,
}

/// Rules by which a table ends.
#[derive(Clone, Copy, Debug)]
pub struct ConvergenceRules {
    /// Share of the weight on one side from which a dispute counts as converged.
    pub converged: f64,
    /// Number of measurements without a change after which a divided table ends.
    pub stable: usize,
}

/// Measures a table. Cost: quadratic in the number of participants, for each dispute.
pub fn measure(at: &MeasuredTable, rules: ConvergenceRules) -> ConvergenceMeasured {
    let disputes: Vec<MeasuredDispute> =
        at.disputes.iter().map(|(id, dispute)| measured(*id, dispute, at.seated)).collect();
    let is_split = |dispute: &Dispute| {
        let holds = |side: Side| stances(dispute, at.seated).any(|stance| stance.side == side);
        holds(Side::Yes) && holds(Side::No)
    };
    let divided = at.disputes.iter().filter(|(_, dispute)| is_split(dispute)).count();
    let mut measured = ConvergenceMeasured {
        table: at.table,
        round: at.round,
        entropy: mean(disputes.iter().filter_map(|it| it.entropy)),
        distance: mean(disputes.iter().filter_map(|it| it.distance)),
        disputes,
        divided: u32::try_from(divided).unwrap_or(u32::MAX),
        new_points: at.new_points,
        moved: at.moved,
        state: TableState::Open,
        reason: String::new(),
    };
    (measured.state, measured.reason) = state(&measured, at, rules);
    measured
}

fn state(measured: &ConvergenceMeasured, at: &MeasuredTable, rules: ConvergenceRules) -> (TableState, String) {
    let n = measured.disputes.len();
    let missing: u32 = measured.disputes.iter().map(|it| it.without).sum();
    // Half of it is on no side.
    let is_on_one_side =
        |it: &MeasuredDispute| it.without == 0 && it.yes.max(it.no) >= rules.converged && it.yes.max(it.no) > 0.5;
    if n > 0 && at.seated.len() > 1 && measured.disputes.iter().all(is_on_one_side) {
        let share = rules.converged;
        let (all, each) =
            if n == 1 { ("the topic", "it") } else { ("the topic and on every question under discussion", "each") };
        let reason = format!(
            "everybody took a stance on {all}, and one side has at least {share:.2} of the stances on {each}, weighted \
             by confidence where it was stated"
        );
        return (TableState::Converged, reason);
    }
    if let Some(silence) = &at.silence {
        return (TableState::Silent, silence.clone());
    }
    if measured.divided > 0 && at.is_heard && is_stable(measured, at.before, rules.stable) {
        let reason = format!(
            "{} the table, and in {} nobody changed sides, the shares of the sides hardly changed, and no question or \
             crux was raised",
            dividing(measured.divided),
            if rules.stable == 1 { "the last round".to_owned() } else { format!("the last {} rounds", rules.stable) }
        );
        return (TableState::Diverged, reason);
    }
    let reason = match (measured.divided, missing) {
        (0, 0) if n == 0 => "no question is under discussion".to_owned(),
        (0, 0) => "no question under discussion divides the table, and not each has a large enough majority".to_owned(),
        (0, missing) => {
            format!("no question under discussion divides the table, and {} missing", stances_missing(missing))
        }
        (divided, 0) => format!("{} the table", dividing(divided)),
        (divided, missing) => format!("{} the table, and {} missing", dividing(divided), stances_missing(missing)),
    };
    (TableState::Open, reason)
}

fn dividing(divided: u32) -> String {
    match divided {
        1 => "1 of the questions under discussion divides".to_owned(),
        n => format!("{n} of the questions under discussion divide"),
    }
}

fn stances_missing(missing: u32) -> String {
    if missing == 1 { "1 stance is".to_owned() } else { format!("{missing} stances are") }
}

/// Returns true if the last `rounds` measurements, this one included, each show no change against the one before.
fn is_stable(now: &ConvergenceMeasured, before: &[&ConvergenceMeasured], rounds: usize) -> bool {
    let latest: Vec<&ConvergenceMeasured> = before.iter().copied().chain([now]).collect();
    let Some(from) = latest.len().checked_sub(rounds + 1) else { return false };
    latest[from..]
        .windows(2)
        .all(|pair| pair[1].new_points == 0 && pair[1].moved == 0 && is_unchanged(pair[0], pair[1]))
}

fn is_unchanged(one: &ConvergenceMeasured, other: &ConvergenceMeasured) -> bool {
    let near = |one: Option<f64>, other: Option<f64>| match (one, other) {
        (Some(one), Some(other)) => (one - other).abs() <= MAX_CHANGE,
        (one, other) => one == other,
    };
    let shares = |it: &MeasuredDispute| [Some(it.yes), Some(it.no), Some(it.neither), it.entropy, it.distance];
    let is_same = |(one, other): (&MeasuredDispute, &MeasuredDispute)| {
        let near_all = shares(one).into_iter().zip(shares(other)).all(|(one, other)| near(one, other));
        one.dispute == other.dispute && one.without == other.without && near_all
    };
    one.disputes.len() == other.disputes.len() && one.disputes.iter().zip(&other.disputes).all(is_same)
}

fn measured(id: DisputeId, dispute: &Dispute, seated: &[&PersonaId]) -> MeasuredDispute {
    let without = seated.iter().filter(|participant| !dispute.stances.contains_key(**participant)).count();
    let without = u32::try_from(without).unwrap_or(u32::MAX);
    match stance_measures(stances(dispute, seated)) {
        None => {
            MeasuredDispute { dispute: id, yes: 0.0, no: 0.0, neither: 0.0, entropy: None, distance: None, without }
        }
        Some(it) => MeasuredDispute {
            dispute: id,
            yes: it.yes,
            no: it.no,
            neither: it.neither,
            entropy: Some(it.entropy),
            distance: it.distance,
            without,
        },
    }
}

fn stances<'a>(dispute: &'a Dispute, seated: &'a [&PersonaId]) -> impl Iterator<Item = &'a Stance> {
    seated.iter().filter_map(|participant| dispute.stances.get(*participant))
}

/// Returns the mean, to four decimal places; `None` for no values.
fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let values: Vec<f64> = values.collect();
    let n = values.len() as f64;
    (n > 0.0).then(|| (values.iter().sum::<f64>() / n * 10_000.0).round() / 10_000.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::events::dispute::DisputeRaised;
    use crate::events::ids::TurnId;

    const RULES: ConvergenceRules = ConvergenceRules { converged: 0.8, stable: 2 };

    fn person(name: &str) -> PersonaId {
        name.parse().expect("an id")
    }

    /// Builds a dispute from stances such as `ada yes 0.8`.
    fn dispute(told: &str) -> Dispute {
        let mut dispute = Dispute::raised(&DisputeRaised::bare(DisputeId(1), "Is it so?", false));
        for told in told.split(", ").filter(|told| !told.is_empty()) {
            let words: Vec<&str> = told.split(' ').collect();
            let side = match words[1] {
                "yes" => Side::Yes,
                "no" => Side::No,
                "nuanced" => Side::Nuanced,
                _ => Side::Undecided,
            };
            let confidence = words.get(2).map(|share| share.parse().expect("a share"));
            let (turn, statement, quote, version, reading) = (TurnId(1), None, None, 1, None);
            let stance = Stance { side, turn, statement, confidence, quote, version, reading };
            dispute.stances.insert(person(words[0]), stance);
        }
        dispute
    }

    /// Measures rounds at a table of ada, ben and cleo, each given by its disputes and its number of new points.
    fn rounds(told: &[(&[&str], u32)], silence: Option<&str>) -> ConvergenceMeasured {
        let seated = ["ada", "ben", "cleo"].map(person);
        let seated: Vec<&PersonaId> = seated.iter().collect();
        let mut measured: Vec<ConvergenceMeasured> = Vec::new();
        for (round, (disputes, new_points)) in (0..).zip(told) {
            let disputes: Vec<Dispute> = disputes.iter().map(|told| dispute(told)).collect();
            let disputes: Vec<(DisputeId, &Dispute)> = (1..).map(DisputeId).zip(&disputes).collect();
            let before: Vec<&ConvergenceMeasured> = measured.iter().collect();
            let is_last = round as usize + 1 == told.len();
            let silence = silence.filter(|_| is_last).map(str::to_owned);
            let (table, new_points, moved) = (1, *new_points, told_moves(round as usize, told));
            let at = MeasuredTable {
                table,
                round,
                seated: &seated,
                disputes: &disputes,
                before: &before,
                new_points,
                moved,
                silence,
                is_heard: true,
            };
            measured.push(measure(&at, RULES));
        }
        measured.pop().expect("a round")
    }

    /// Counts the stances on another side than in the round before.
    fn told_moves(round: usize, told: &[(&[&str], u32)]) -> u32 {
        let Some(before) = round.checked_sub(1) else { return 0 };
        let moved = told[before].0.iter().zip(told[round].0).map(|(before, now)| {
            let (before, now) = (dispute(before), dispute(now));
            now.stances
                .iter()
                .filter(|(id, it)| before.stances.get(id).is_some_and(|held| held.side != it.side))
                .count()
        });
        u32::try_from(moved.sum::<usize>()).expect("a few")
    }

    #[test]
    fn means_are_over_the_disputes_that_have_a_value() {
        let measured = rounds(&[(&["ada yes, ben no", "ada yes", ""], 0)], None);
        let told: Vec<(Option<f64>, Option<f64>, u32)> =
            measured.disputes.iter().map(|it| (it.entropy, it.distance, it.without)).collect();
        assert_eq!(told, [(Some(0.6309), Some(2.0), 1), (Some(0.0), None, 2), (None, None, 3)]);
        assert_eq!((measured.entropy, measured.distance, measured.divided), (Some(0.3155), Some(2.0), 1));
        assert_eq!(measured.reason, "1 of the questions under discussion divides the table, and 6 stances are missing");
    }

    #[test]
    fn a_table_converges_only_if_everybody_took_a_stance_on_everything() {
        let check = |disputes: &[&str], expected: TableState| {
            let measured = rounds(&[(disputes, 0)], None);
            assert_eq!(measured.state, expected, "{disputes:?}: {}", measured.reason);
        };
        check(&["ada yes, ben yes, cleo yes"], TableState::Converged);
        check(&["ada no 0.2, ben no, cleo no"], TableState::Converged);
        check(&["ada yes, ben yes, cleo yes", "ada no, ben no, cleo no"], TableState::Converged);
        // 1.6 of 2.0 are on yes.
        check(&["ada yes 0.8, ben yes 0.8, cleo no 0.4"], TableState::Converged);
        check(&["ada yes 0.8, ben yes 0.8, cleo no 0.5"], TableState::Open);
        check(&["ada yes, ben yes"], TableState::Open);
        check(&["ada yes, ben yes, cleo yes", ""], TableState::Open);
        check(&["ada nuanced, ben nuanced, cleo nuanced"], TableState::Open);
        check(&["ada undecided, ben yes, cleo yes"], TableState::Open);
        check(&["ada yes 0, ben yes 0, cleo yes 0"], TableState::Open);
        check(&[], TableState::Open);
    }

    #[test]
    fn a_divided_table_diverges_after_rounds_without_a_change() {
        const SPLIT: &[&str] = &["ada yes, ben no, cleo no"];
        const SURER: &[&str] = &["ada yes 0.9, ben no, cleo no"];
        const JOINED: &[&str] = &["ada yes, ben yes, cleo nuanced"];
        const TURNED: &[&str] = &["ada no, ben yes, cleo yes"];
        let check = |told: &[(&[&str], u32)], expected: TableState| {
            let measured = rounds(told, None);
            assert_eq!(measured.state, expected, "{told:?}: {}", measured.reason);
        };
        check(&[(SPLIT, 0), (SPLIT, 0), (SPLIT, 0)], TableState::Diverged);
        check(&[(SURER, 0), (SPLIT, 0), (SPLIT, 0), (SPLIT, 0)], TableState::Diverged);
        check(&[(SPLIT, 0), (SPLIT, 0)], TableState::Open);
        check(&[(SPLIT, 0), (SPLIT, 1), (SPLIT, 0)], TableState::Open);
        check(&[(SPLIT, 1), (SPLIT, 0), (SPLIT, 0)], TableState::Diverged);
        check(&[(SPLIT, 0), (SURER, 0), (SPLIT, 0)], TableState::Open);
        // The entropy of both is the same; the sides are not.
        check(&[(SPLIT, 0), (TURNED, 0), (TURNED, 0)], TableState::Open);
        check(&[(JOINED, 0), (JOINED, 0), (JOINED, 0)], TableState::Open);
        // Two exchange sides: no share changes.
        const EXCHANGED: &[&str] = &["ada no, ben yes, cleo no"];
        check(&[(SPLIT, 0), (EXCHANGED, 0), (SPLIT, 0)], TableState::Open);
        check(&[(SPLIT, 0), (EXCHANGED, 0), (EXCHANGED, 0), (EXCHANGED, 0)], TableState::Diverged);
        assert_eq!(
            rounds(&[(SPLIT, 0), (SPLIT, 0), (SPLIT, 0)], None).reason,
            "1 of the questions under discussion divides the table, and in the last 2 rounds nobody changed sides, the shares of the sides hardly changed, and no question or crux was raised"
        );
    }

    #[test]
    fn silence_ends_a_table_that_has_not_converged() {
        let silence = Some("nobody had anything new to say in round 1");
        assert_eq!(rounds(&[(&["ada yes, ben no, cleo no"], 0)], silence).state, TableState::Silent);
        assert_eq!(rounds(&[(&["ada yes, ben yes, cleo yes"], 0)], silence).state, TableState::Converged);
    }
}
