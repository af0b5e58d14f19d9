//! Labels and formatting of values on the terminal.

use chrono::TimeDelta;

use crate::text::span::{Span, SpanLine, glued, trusted};
use crate::text::style::Tone;
use faultline_argumentation::labelling::Label;
use faultline_core::events::argument::{ArgumentPart, AttackKind};
use faultline_core::events::dispute::Side;
use faultline_core::events::ids::{DebateId, RoomId, TurnId};
use faultline_core::events::proposal::{Recommendation, Severity};
use faultline_core::events::turn::Move;
use faultline_core::export::report::report_words::phase_name;
use faultline_core::projections::summary::Spent;
use faultline_core::verdicts::crux::PositionSide;

/// Verb for a move: `claims`.
pub fn verb(made: Move) -> &'static str {
    match made {
        Move::Claim => "claims",
        Move::Challenge => "challenges",
        Move::Clarify => "clarifies",
        Move::Concede => "concedes",
        Move::Reframe => "reframes",
        Move::ProposeCrux => "proposes a crux",
        Move::Propose => "proposes",
    }
}

/// Verb for an attack: `undermines`.
pub fn attacks(kind: AttackKind) -> &'static str {
    match kind {
        AttackKind::Rebut => "rebuts",
        AttackKind::Undermine => "undermines",
        AttackKind::Undercut => "undercuts",
    }
}

/// Part of an argument, counted from one: `assumption 1`.
pub fn part(component: ArgumentPart) -> String {
    match component {
        ArgumentPart::Claim => "the claim".to_owned(),
        ArgumentPart::Premise(index) => format!("premise {}", u64::from(index) + 1),
        ArgumentPart::Assumption(index) => format!("assumption {}", u64::from(index) + 1),
    }
}

/// Attacked part of an argument: an undercut of a claim denies that it follows, and not the claim.
pub fn attacked(kind: AttackKind, component: ArgumentPart) -> String {
    match (kind, component) {
        (AttackKind::Undercut, ArgumentPart::Claim) => "the inference".to_owned(),
        _ => part(component),
    }
}

/// Label of an argument with its mark: `✓ IN`.
pub fn label(label: Label) -> Span {
    match label {
        Label::In => glued(Tone::Good, "✓ IN"),
        Label::Out => glued(Tone::Bad, "✗ OUT"),
        Label::Undec => glued(Tone::Open, "? UNDEC"),
    }
}

/// Confidence that a speaker stated, such as `80 % sure`; `None` if it is full: then nobody weighed it, as in answers
/// without a model.
pub fn sure(confidence: f64) -> Option<String> {
    (confidence < 1.0).then(|| format!("{}\u{a0}sure", percent(confidence)))
}

/// Side of a dispute: `YES`.
pub fn side(side: Side) -> Span {
    let tone = match side {
        Side::Yes => Tone::Good,
        Side::No => Tone::Bad,
        Side::Nuanced | Side::Undecided => Tone::Open,
    };
    trusted(tone, side_word(side))
}

/// Side of a dispute as a word: `YES`, `IT DEPENDS`.
fn side_word(side: Side) -> String {
    match side {
        Side::Nuanced => "IT\u{a0}DEPENDS".to_owned(),
        side => side.name().to_uppercase(),
    }
}

/// Side of a position on a crux: `YES`, `RESTS ON IT`.
pub fn crux_side(side: PositionSide) -> Span {
    let tone = match side {
        PositionSide::Yes | PositionSide::RestsOn => Tone::Good,
        PositionSide::No | PositionSide::Attacks | PositionSide::Undercuts | PositionSide::ConflictsWith => Tone::Bad,
        PositionSide::Nuanced | PositionSide::Undecided => Tone::Open,
        PositionSide::ProposesCrux | PositionSide::AgreesOnCrux => Tone::Plain,
    };
    let word = match side {
        PositionSide::RestsOn => "RESTS\u{a0}ON\u{a0}IT".to_owned(),
        PositionSide::Attacks => "ATTACKS\u{a0}IT".to_owned(),
        PositionSide::Undercuts => "DENIES\u{a0}THAT\u{a0}IT\u{a0}FOLLOWS".to_owned(),
        PositionSide::ConflictsWith => "CONFLICTS\u{a0}WITH\u{a0}IT".to_owned(),
        PositionSide::ProposesCrux => "PROPOSES\u{a0}IT\u{a0}AS\u{a0}THE\u{a0}CRUX".to_owned(),
        PositionSide::AgreesOnCrux => "AGREES\u{a0}IT\u{a0}IS\u{a0}THE\u{a0}CRUX".to_owned(),
        PositionSide::Nuanced => side_word(Side::Nuanced),
        side => side.name().to_uppercase(),
    };
    trusted(tone, word)
}

/// Side, with the one it replaces: `YES → NO`.
pub fn sides(before: Option<Side>, taken: Side) -> SpanLine {
    match before.filter(|side| *side != taken) {
        Some(before) => vec![side(before), trusted(Tone::Plain, "\u{a0}→\u{a0}"), side(taken)],
        None => vec![side(taken)],
    }
}

/// Display name of an engine's phase: `Crux seeking`.
pub fn phase(phase: &str) -> String {
    capital(&phase_name(phase))
}

/// Severity of an issue.
pub fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Minor => "minor",
        Severity::Major => "major",
        Severity::Critical => "critical",
    }
}

/// Heading of the reasoning for a proposal, with a remark if its turn does not contain it: it is written beside the proposal.
pub fn reasoning(unsaid: Option<&str>) -> Span {
    trusted(Tone::Quiet, unsaid.map_or("Reasoning: ".to_owned(), |remark| format!("Reasoning ({remark}): ")))
}

/// Recommendation of a critic.
pub fn recommendation(recommendation: Recommendation) -> Span {
    match recommendation {
        Recommendation::Accept => trusted(Tone::Good, "says accept"),
        Recommendation::NoObjection => trusted(Tone::Quiet, "has no objection"),
        Recommendation::Revise => trusted(Tone::Open, "raises issues"),
        Recommendation::Reject => trusted(Tone::Bad, "says reject"),
    }
}

/// Short id of a debate: its last eight hex digits. The first ones are the time, and equal for debates of the same
/// minute.
pub fn short(debate: DebateId) -> String {
    let digits = debate.0.simple().to_string();
    digits[digits.len() - 8..].to_owned()
}

/// Bar of ten cells for a share.
pub fn bar(share: f64) -> SpanLine {
    let cells = (0..10).filter(|cell| f64::from(*cell) + 0.5 <= share * 10.0).count();
    vec![trusted(Tone::Plain, "━".repeat(cells)), trusted(Tone::Faint, "┄".repeat(10 - cells))]
}

/// Share in percent: `40 %`.
pub fn percent(share: f64) -> String {
    format!("{:.0}\u{a0}%", share * 100.0)
}

/// Number with a noun: `1 turn`, `1,024 turns`.
pub fn count(n: u64, one: &str) -> String {
    let plural = if n == 1 { "" } else { "s" };
    format!("{}\u{a0}{one}{plural}", grouped(n))
}

/// Converts a length to `u64`.
pub fn number(n: usize) -> u64 {
    u64::try_from(n).unwrap_or(u64::MAX)
}

/// Number with thousands separators.
pub fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut grouped = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// Amount in millionths of a US dollar: `$1.25`; four decimals below ten cents.
pub fn money(micros: u64) -> String {
    let dollars = micros as f64 / 1_000_000.0;
    if micros > 0 && dollars < 0.10 { format!("${dollars:.4}") } else { format!("${dollars:.2}") }
}

/// Cost of calls: an amount, or that the price is unknown.
pub fn cost(spent: &Spent) -> String {
    let unknown = "price\u{a0}unknown".to_owned();
    match (spent.unpriced, spent.cost_micros) {
        (0, micros) => money(micros),
        (_, 0) => unknown,
        (unpriced, micros) => format!("{} and {} of unknown price", money(micros), count(unpriced.into(), "call")),
    }
}

/// Duration in its two largest units: `2 min 5 s`.
pub fn lasting(time: TimeDelta) -> String {
    let seconds = time.num_seconds().max(0);
    let text = match seconds {
        0..60 => format!("{seconds} s"),
        60..3_600 => format!("{} min {} s", seconds / 60, seconds % 60),
        3_600..86_400 => format!("{} h {} min", seconds / 3_600, seconds % 3_600 / 60),
        _ => format!("{} d {} h", seconds / 86_400, seconds % 86_400 / 3_600),
    };
    text.replace(' ', "\u{a0}")
}

/// Elapsed time in its largest unit: `3 min ago`.
pub fn ago(time: TimeDelta) -> String {
    let seconds = time.num_seconds().max(0);
    match seconds {
        0..10 => "just now".to_owned(),
        10..60 => format!("{seconds} s ago"),
        60..3_600 => format!("{} min ago", seconds / 60),
        3_600..86_400 => format!("{} h ago", seconds / 3_600),
        _ => format!("{} d ago", seconds / 86_400),
    }
}

/// Heading of a turn: its id, the turn that it answers, its room, and its moves.
pub fn turn(turn: TurnId, answers: Option<TurnId>, room: Option<RoomId>, moves: &[Move]) -> String {
    let verbs: Vec<String> = moves.iter().map(|step| verb(*step).to_owned()).collect();
    let does = if verbs.is_empty() { String::new() } else { format!(" · {}", listed(&verbs)) };
    let to = answers.map(|turn| format!(" to {turn}")).unwrap_or_default();
    format!("{turn}{to}{}{does}", within(room))
}

/// Suffix that names the room of a turn; empty for the main channel.
pub fn within(room: Option<RoomId>) -> String {
    room.map(|room| format!(" in {room}")).unwrap_or_default()
}

/// List of names: `Ada, Ben and Cleo`.
pub fn listed(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}

/// Text with a capital first letter, unless it starts with a name such as `p3` or `draft/ada/1`.
pub fn capital(text: &str) -> String {
    let mut letters = text.chars();
    let first_word = text.split_whitespace().next().unwrap_or_default();
    if first_word.contains(|letter: char| letter == '/' || letter.is_ascii_digit()) {
        return text.to_owned();
    }
    match letters.next() {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => String::new(),
    }
}

/// Text as a sentence: capital first letter, full stop at the end.
pub fn sentence(text: &str) -> String {
    let text = capital(text.trim());
    let ends = text.ends_with(['.', '!', '?', '…', '”', '"']);
    if ends || text.is_empty() { text } else { text + "." }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_formatted_for_people() {
        assert_eq!(grouped(1), "1");
        assert_eq!(grouped(1_234_567), "1,234,567");
        assert_eq!(count(1, "call"), "1\u{a0}call");
        assert_eq!(money(0), "$0.00");
        assert_eq!(money(1_234), "$0.0012");
        assert_eq!(money(1_250_000), "$1.25");
        assert_eq!(lasting(TimeDelta::seconds(125)), "2\u{a0}min\u{a0}5\u{a0}s");
        assert_eq!(ago(TimeDelta::hours(50)), "2 d ago");
    }

    #[test]
    fn bars_have_ten_cells() {
        let cells = |share: f64| bar(share)[0].text.chars().count();
        assert_eq!([cells(0.0), cells(0.04), cells(0.05), cells(0.7), cells(1.0)], [0, 0, 1, 7, 10]);
        assert_eq!(cells(f64::NAN), 0);
    }

    #[test]
    fn names_are_listed() {
        let names = |text: &str| listed(&text.split_whitespace().map(str::to_owned).collect::<Vec<_>>());
        assert_eq!(names("Ada"), "Ada");
        assert_eq!(names("Ada Ben Cleo"), "Ada, Ben and Cleo");
        assert_eq!(sentence("round 2 brought nothing"), "Round 2 brought nothing.");
        assert_eq!(sentence("p3 is p1 again"), "p3 is p1 again.");
    }
}
