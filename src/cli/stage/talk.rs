//! What a speaker does with a turn beside arguing: ground given, cruxes named and agreed with; and what a moderator
//! whispers.

use crate::cli::stage::page::Page;
use crate::cli::stage::span::{Line, own, shortened};
use crate::cli::stage::speakers::{Speaker, Speakers};
use crate::cli::stage::speech::quoted;
use crate::cli::stage::style::Tone;
use crate::events::crux::{CruxAcknowledged, CruxProposed};
use crate::events::dispute::ReasonGiven;
use crate::events::turn::{Concession, ConcessionEffect, ConcessionMade, Hint, HintGiven};
use crate::verdicts::board::Board;

/// The most letters of a crux.
const STATEMENT: usize = 600;

/// Ground given, in the speaker's own block.
pub fn conceded(page: &mut Page, speaker: &Speaker, made: &ConcessionMade) {
    page.row(&speaker.gutter(), &speaker.gutter(), &gives_ground(made));
}

/// That ground is given, how far, and what comes of it.
pub fn gives_ground(made: &ConcessionMade) -> Line {
    let how = match made.kind {
        Concession::Full => "gives ground: ",
        Concession::Partial => "gives ground in part: ",
        Concession::Scope => "gives ground on a condition: ",
    };
    let mut line = vec![own(Tone::Open, how)];
    line.extend(quoted(Tone::Quiet, &made.what));
    match made.effect {
        ConcessionEffect::Withdrew { argument } => line.push(own(Tone::Quiet, format!(", and gives up {argument}"))),
        ConcessionEffect::Revised { argument } => line.push(own(Tone::Quiet, format!(", and narrows {argument}"))),
        // A change of sides is told as the stance that comes next.
        ConcessionEffect::Moved { .. } | ConcessionEffect::Said => {}
    }
    line
}

/// What the speaker holds to be the crux.
pub fn proposed(page: &mut Page, speaker: &Speaker, proposed: &CruxProposed) {
    let mut line = vec![own(Tone::Strong, "The crux, to them: ")];
    line.extend(shortened(Tone::Plain, &proposed.statement, STATEMENT));
    page.hang(&speaker.gutter(), &[speaker.owns(proposed.crux)], 4, &line);
}

/// That the speaker agrees with a crux that another named.
pub fn acknowledged(page: &mut Page, speakers: &Speakers, board: &Board, acknowledged: &CruxAcknowledged) {
    let speaker = speakers.get(&acknowledged.speaker);
    let mut line = vec![own(Tone::Good, "✓ agrees"), own(Tone::Quiet, " that this is the crux")];
    if let Some(crux) = board.crux_proposals.cruxes.get(&acknowledged.crux) {
        line.push(own(Tone::Quiet, ": "));
        line.extend(quoted(Tone::Quiet, &crux.proposed.statement));
    }
    let name = speakers.maybe(board.transcript.speaker(acknowledged.cites)).owns(acknowledged.crux);
    page.hang(&speaker.gutter(), &[name], 4, &line);
}

/// A reason that a speaker gives in their own block.
pub fn reason(page: &mut Page, speaker: &Speaker, given: &ReasonGiven) {
    let mut line = shortened(Tone::Plain, &given.claim, STATEMENT);
    line.push(own(Tone::Quiet, format!(" (on {})", given.dispute)));
    page.hang(&speaker.gutter(), &[speaker.owns(given.reason)], 4, &line);
}

/// What a moderator whispers, in a line.
pub fn whispered(given: &HintGiven, speakers: &Speakers) -> String {
    let about = given.about.map(|it| format!(" in {it}")).unwrap_or_default();
    let why = match (given.hint, given.about, given.dispute, given.crux) {
        (Hint::Conceded, ..) => format!("you were given ground{about}"),
        (Hint::Reframed, ..) => format!("the question was put differently{about}"),
        (Hint::Circling, ..) => "the talk goes in circles".to_owned(),
        (Hint::OneSided, Some(turn), ..) => format!("{turn} went unanswered"),
        (Hint::OneSided, ..) => "a challenge went unanswered".to_owned(),
        (Hint::Challenges, ..) => "challenge follows on challenge".to_owned(),
        (Hint::Stuck, ..) => "nothing new came of the last turns".to_owned(),
        (Hint::StanceWanted, _, Some(dispute), _) => format!("where do you stand on {dispute}?"),
        (Hint::StanceWanted, ..) => "where do you stand?".to_owned(),
        (Hint::CruxWanted, ..) => "what do you really disagree about?".to_owned(),
        (Hint::FlipWanted, ..) => "what would change your mind?".to_owned(),
        (Hint::AgreementWanted, _, _, Some(crux)) => format!("is {crux} the crux?"),
        (Hint::AgreementWanted, ..) => "do you agree on the crux?".to_owned(),
    };
    format!("whispered to {}: {why}", speakers.get(&given.speaker).name)
}
