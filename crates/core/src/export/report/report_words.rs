//! Words that a report has for sides, moves, cards and changes.

use crate::events::dispute::Side;
use crate::events::lifecycle::is_after_rounds;
use crate::events::proposal::{ProposalCriticized, Recommendation, Severity};
use crate::events::turn::Move;
use crate::projections::crux_rooms::CruxRooms;
use crate::projections::disputes::dispute_state::{Dispute, DisputeStatus, Stance};
use crate::projections::proposals::Refinement;
use crate::verdicts::card::{CruxCard, MindChangeCondition};
use crate::verdicts::crux::PositionSide;
use crate::verdicts::crux_card::crux_text::{criterion_turn, listed};
use crate::verdicts::disagreement::proposal_answers::status_words;
use crate::verdicts::read_model::DebateReadModel;
use crate::verdicts::verdict::Verdict;

/// Describes how a proposal changed from first to last: counts first, then what the speakers say of themselves.
pub fn refinement_sentences(found: &Refinement) -> Vec<String> {
    let mut sentences = Vec::new();
    if found.initial != found.last {
        let text = match &found.literals {
            Some(it) => format!(
                "from {} literals to {} ({} added, {} removed)",
                it.initial,
                it.last,
                it.added.len(),
                it.removed.len()
            ),
            None => format!("by {} words added and {} removed", found.words_added, found.words_removed),
        };
        let is_same = found.literals.is_none() && found.words_added + found.words_removed == 0;
        sentences.push(if is_same {
            format!("{} has the words of {}.", found.last, found.initial)
        } else {
            format!("From {} to {}, the text changed {text}.", found.initial, found.last)
        });
    }
    if found.initial != found.last && found.improvement() != 0.0 {
        sentences.push(format!(
            "Self-reported confidence went from {:.2} to {:.2} ({:+.2}); its mean is {:.2}.",
            found.initial_confidence,
            found.final_confidence,
            found.improvement(),
            found.mean_confidence
        ));
    }
    if let (Some(mean), Some(share)) = (found.issues_per_round(), found.answered_share()) {
        let mean =
            if found.rounds > 1 { format!(", {mean:.1} new ones for each reviewed proposal") } else { String::new() };
        sentences.push(format!(
            "Different issues raised: {}{mean}; answered by a change: {} ({:.0} %).",
            found.issues,
            found.answered,
            share * 100.0
        ));
    }
    sentences
}

/// Name of a phase for readers: that of the rounds at tables is the same for one table and for several.
pub fn phase_name(phase: &str) -> String {
    if phase == "tables" { "discussion".to_owned() } else { phase.replace('_', " ") }
}

/// Title of a part of the transcript: its phase and round.
pub fn title(phase: Option<&str>, round: Option<u32>) -> String {
    let round = round.filter(|_| !phase.is_some_and(is_after_rounds));
    let phase = phase_name(phase.unwrap_or("debate"));
    let mut letters = phase.chars();
    let first = letters.next().map(|letter| letter.to_uppercase().to_string()).unwrap_or_default();
    match round {
        Some(round) if round > 0 => format!("{first}{}, round {round}", letters.as_str()),
        _ => format!("{first}{}", letters.as_str()),
    }
}

/// Text as a sentence: a capital first letter, unless it starts with a name such as `d1`, and a mark at the end.
pub fn sentence(text: &str) -> String {
    let text = text.trim();
    let first_word = text.split_whitespace().next().unwrap_or_default();
    let is_name = first_word.contains(|letter: char| letter == '/' || letter.is_ascii_digit());
    let mut letters = text.chars();
    let first = letters.next().filter(|_| !is_name);
    let text = first.map_or_else(|| text.to_owned(), |first| first.to_uppercase().chain(letters).collect());
    let ends = text.is_empty() || text.ends_with(['.', '!', '?', '…', '”', '"']);
    if ends { text } else { text + "." }
}

/// Kinds of the rooms in a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RoomKinds {
    /// Private rooms only.
    Rooms,
    /// Threads only.
    Threads,
    /// Private rooms and threads.
    Both,
}

impl RoomKinds {
    /// Title of the section of rooms.
    pub fn title(self) -> &'static str {
        match self {
            RoomKinds::Rooms => "Rooms",
            RoomKinds::Threads => "Threads",
            RoomKinds::Both => "Rooms and threads",
        }
    }

    /// Sentences that explain the section.
    pub fn lead(self) -> &'static str {
        match self {
            RoomKinds::Rooms => {
                "Side discussions of one question between some participants. The outcome is the one stated when the room was closed."
            }
            RoomKinds::Threads => {
                "Side discussions of one question, which all participants may join. The outcome is the one stated when the thread was closed."
            }
            RoomKinds::Both => {
                "Side discussions of one question: rooms between some participants, and threads, which all may join. The outcome is the one stated at the close."
            }
        }
    }

    /// Title of the disagreements for which none was opened.
    pub fn without(self) -> &'static str {
        match self {
            RoomKinds::Rooms => "Disagreements that the detector saw, and that got no room",
            RoomKinds::Threads => "Questions on which the detector saw a disagreement, and that got no thread",
            RoomKinds::Both => "Disagreements that the detector saw, and that got neither a room nor a thread",
        }
    }

    /// Title of the list that states where cruxes were worked out.
    pub fn crux_places(self) -> &'static str {
        match self {
            RoomKinds::Rooms => "Cruxes by room",
            RoomKinds::Threads => "Cruxes by thread",
            RoomKinds::Both => "Cruxes by room and thread",
        }
    }
}

/// Labelled content of a crux card; what is absent is replaced by the reason.
pub fn card_notes(rooms: &CruxRooms, card: &CruxCard) -> Vec<(&'static str, String)> {
    let reason = card.kind_reason.as_str();
    let kind = card.kind.map_or_else(|| reason.to_owned(), |kind| format!("{}. {reason}", kind.name()));
    let by = card.diagnosed_in.map(|room| format!(" (card of {})", rooms.named(room))).unwrap_or_default();
    let settling = [card.criteria.join("; "), card.criteria_missing.clone().unwrap_or_default()].concat();
    let mut notes = vec![("kind", kind), ("diagnosis", format!("{}{by}", card.diagnosis))];
    notes.extend(card.horizon.iter().map(|horizon| ("time frame", horizon.clone())));
    notes.push(("would be settled by", settling));
    let resolution = card.resolution.clone().or(card.resolution_missing.clone()).unwrap_or_default();
    notes.push(("resolution", resolution));
    notes
}

/// Describes the condition under which a participant would change their mind, if the criteria of the card contain its
/// words; `None` if they do not.
pub fn met_by_criterion(
    rooms: &CruxRooms,
    card: &CruxCard,
    condition: &MindChangeCondition,
    name: &str,
) -> Option<String> {
    let text = condition.text().map(str::trim).filter(|text| !text.is_empty())?;
    let criterion = card.criteria.iter().find(|criterion| criterion.contains(text))?;
    // A criterion in words of a turn names its speaker and the turn.
    let is_theirs = |criterion: &&String| criterion.starts_with(&format!("{name} in "));
    let is_own = is_theirs(&criterion);
    let source = match condition {
        MindChangeCondition::Spoken { .. } if is_own => String::new(),
        MindChangeCondition::Spoken { turn, .. } => format!(" (said in {turn})"),
        MindChangeCondition::Room { room, .. } => format!(" (card of {})", rooms.named(*room)),
        MindChangeCondition::Contract { .. } => " (from the persona file, not said)".to_owned(),
        MindChangeCondition::Unknown { .. } => return None,
    };
    let which = match card.criteria.len() {
        1 => "That criterion".to_owned(),
        _ if is_own && card.criteria.iter().filter(is_theirs).count() > 1 => match criterion_turn(criterion) {
            Some(turn) => format!("{name}'s criterion in {turn}"),
            None => format!("One of {name}'s criteria"),
        },
        _ if is_own => format!("{name}'s criterion"),
        _ => "One of these criteria".to_owned(),
    };
    Some(format!("{which} would change {name}'s mind{source}."))
}

/// True if the only criterion that a participant named on a card is their condition for a change of mind, and others named
/// criteria as well: such participants are told in one sentence by [`met_by_own_criteria`].
pub fn is_met_by_own_criterion(card: &CruxCard, condition: &MindChangeCondition, name: &str) -> bool {
    let MindChangeCondition::Spoken { quote, .. } = condition else { return false };
    let mut own = card.criteria.iter().filter(|criterion| criterion.starts_with(&format!("{name} in ")));
    let first = own.next().filter(|criterion| !quote.trim().is_empty() && criterion.contains(quote.trim()));
    first.is_some() && own.next().is_none() && card.criteria.len() > 1
}

/// Tells of several participants that their own criteria on a card would change their minds; `None` for fewer than two.
pub fn met_by_own_criteria(names: &[String]) -> Option<String> {
    (names.len() > 1)
        .then(|| format!("{} would each change their mind if their own criterion were met.", listed(names)))
}

/// Sentence that stands in the place of cruxes.
pub fn no_cruxes(read_model: &DebateReadModel, verdict: &Verdict) -> &'static str {
    let is_dialectic = read_model.summary.engine == "dialectic" || !read_model.proposals.proposals.is_empty();
    match (is_dialectic && read_model.arguments.arguments.is_empty(), verdict.contested.is_empty()) {
        (true, _) => "Not looked for: this engine tests one proposal, and takes no arguments apart.",
        (false, true) => "None found.",
        (false, false) => "None found; the contested statements decide nothing that the verdict counts.",
    }
}

/// Status of a dispute, for readers. A question without opposite sides may have answers that are neither yes nor no.
pub fn question_status(dispute: &Dispute, criticism: Option<&ProposalCriticized>, is_over: bool) -> &'static str {
    let takes = |side: Side| dispute.stances.values().any(|stance| stance.side == side);
    let is_unopposed = dispute.status() == DisputeStatus::Proposed && dispute.stances.len() > 1;
    match [Side::Yes, Side::No, Side::Nuanced].map(takes) {
        [true, false, true] if is_unopposed => "answered with yes and with it depends, by nobody with no",
        [false, true, true] if is_unopposed => "answered with no and with it depends, by nobody with yes",
        [false, false, _] if is_unopposed => "nobody says yes or no",
        _ => status_words(dispute, criticism, is_over),
    }
}

/// Criticism of a proposal, unless a stance of the critic on the question of the proposal tells it; a request for changes
/// is no stance.
pub fn beside_stances<'a>(
    dispute: &Dispute,
    criticism: Option<&'a ProposalCriticized>,
) -> Option<&'a ProposalCriticized> {
    criticism.filter(|criticism| {
        let stance = dispute.stances.get(&criticism.speaker);
        criticism.recommendation == Recommendation::Revise || stance.is_none_or(|stance| stance.turn < criticism.turn)
    })
}

/// Recommendation of a critic, in the third person.
pub fn recommendation_words(recommendation: Recommendation) -> &'static str {
    match recommendation {
        Recommendation::Accept => "says accept",
        Recommendation::NoObjection => "has no objection",
        Recommendation::Revise => "raises issues",
        Recommendation::Reject => "says reject",
    }
}

/// Severity of an issue.
pub fn severity_word(severity: Severity) -> &'static str {
    match severity {
        Severity::Minor => "minor",
        Severity::Major => "major",
        Severity::Critical => "critical",
    }
}

/// Name of a side of a position on a crux.
pub fn position_word(side: PositionSide) -> &'static str {
    match side {
        PositionSide::Yes => "yes",
        PositionSide::No => "no",
        PositionSide::Nuanced => "it depends",
        PositionSide::Undecided => "undecided",
        PositionSide::RestsOn => "rests on it",
        PositionSide::Attacks => "attacks it",
        PositionSide::Undercuts => "denies that it follows",
        PositionSide::ConflictsWith => "conflicts with it",
        PositionSide::ProposesCrux => "proposed it as the crux",
        PositionSide::AgreesOnCrux => "agrees that it is the crux",
    }
}

/// Name of a side.
pub fn side_word(side: Side) -> &'static str {
    match side {
        Side::Yes => "yes",
        Side::No => "no",
        Side::Nuanced => "it depends",
        Side::Undecided => "undecided",
    }
}

/// Side of a stance, with the confidence that its speaker expressed.
pub fn stance_words(stance: &Stance) -> String {
    let confidence = stance.confidence.map(|share| format!(" ({:.0} % sure)", share * 100.0)).unwrap_or_default();
    side_word(stance.side).to_owned() + &confidence
}

/// Remarks on a dispute: former wordings, contested stances, and why it was retired.
pub fn dispute_remarks(dispute: &Dispute) -> Vec<String> {
    let reworded = dispute.revisions.iter().filter(|revision| revision.revised.question.is_some());
    let formerly = reworded.map(|revision| format!("formerly worded: {}", revision.former_question));
    let contested = match dispute.contested.len() {
        0 => None,
        1 => Some("the audit contests 1 stance on it, which does not count".to_owned()),
        n => Some(format!("the audit contests {n} stances on it, which do not count")),
    };
    formerly.chain(contested).chain(dispute.retired.iter().map(|reason| format!("retired: {reason}"))).collect()
}

/// Verb of a move, in the third person.
pub fn move_word(it: Move) -> &'static str {
    match it {
        Move::Claim => "claims",
        Move::Challenge => "challenges",
        Move::Clarify => "clarifies",
        Move::Concede => "concedes",
        Move::Reframe => "reframes",
        Move::ProposeCrux => "proposes a crux",
        Move::Propose => "proposes",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::events::ids::TurnId;

    #[test]
    fn closings_have_no_round() {
        for (phase, round, expected) in [
            (Some("closing"), Some(2), "Closing"),
            (Some("answers"), Some(2), "Answers"),
            (Some("crux_seeking"), None, "Crux seeking"),
            (Some("attacks"), Some(1), "Attacks, round 1"),
            (Some("tables"), Some(1), "Discussion, round 1"),
            (None, Some(0), "Debate"),
        ] {
            assert_eq!(title(phase, round), expected);
        }
    }

    #[test]
    fn a_sentence_begins_with_a_capital_and_ends_with_a_mark() {
        for (text, expected) in [
            ("all sit together", "All sit together."),
            ("d1 has 1 for yes", "d1 has 1 for yes."),
            (" Done. ", "Done."),
            ("", ""),
        ] {
            assert_eq!(sentence(text), expected);
        }
    }

    #[test]
    fn a_condition_among_the_criteria_is_told_once() {
        let (rooms, quote) = (CruxRooms::default(), "If it froze.".to_owned());
        let condition = MindChangeCondition::Spoken { quote, turn: TurnId(4), on_crux: true };
        let card = |criterion: &str| CruxCard { criteria: vec![criterion.to_owned()], ..CruxCard::default() };
        let told = met_by_criterion(&rooms, &card("Ben in t4: \"If it froze.\""), &condition, "Ben");
        assert_eq!(told.as_deref(), Some("That criterion would change Ben's mind."));
        assert_eq!(met_by_criterion(&rooms, &card("A frost."), &condition, "Ben"), None);
        let several =
            |own: &str| CruxCard { criteria: vec!["A thaw.".to_owned(), own.to_owned()], ..CruxCard::default() };
        let told = met_by_criterion(&rooms, &several("Ben in t4: \"If it froze.\""), &condition, "Ben");
        assert_eq!(told.as_deref(), Some("Ben's criterion would change Ben's mind."));
        let mut two = several("Ben in t4: \"If it froze.\"");
        two.criteria.push("Ben in t6: \"If it thawed.\"".to_owned());
        let told = met_by_criterion(&rooms, &two, &condition, "Ben");
        assert_eq!(told.as_deref(), Some("Ben's criterion in t4 would change Ben's mind."));
        let told = met_by_criterion(&rooms, &several("If it froze."), &condition, "Ben");
        assert_eq!(told.as_deref(), Some("One of these criteria would change Ben's mind (said in t4)."));
    }

    #[test]
    fn participants_whose_own_criteria_are_their_conditions_are_told_in_one_sentence() {
        let condition =
            MindChangeCondition::Spoken { quote: "If it froze.".to_owned(), turn: TurnId(4), on_crux: true };
        let is_own = |criteria: &[&str]| {
            let criteria = criteria.iter().map(|criterion| (*criterion).to_owned()).collect();
            is_met_by_own_criterion(&CruxCard { criteria, ..CruxCard::default() }, &condition, "Ben")
        };
        let (ben, ada) = ("Ben in t4: \"If it froze.\"", "Ada in t3: \"If it thawed.\"");
        assert!(is_own(&[ada, ben]));
        assert!(!is_own(&[ben]), "there is only one criterion");
        assert!(!is_own(&[ada, ben, "Ben in t6: \"If it snowed.\""]), "which of them is to be told");
        assert!(!is_own(&[ada, "Ben in t4: \"If it snowed.\""]));
        let names = ["Ada", "Ben"].map(str::to_owned);
        let told = "Ada and Ben would each change their mind if their own criterion were met.";
        assert_eq!(met_by_own_criteria(&names).as_deref(), Some(told));
        assert_eq!(met_by_own_criteria(&names[..1]), None);
    }
}
