//! Concessions, proposed and acknowledged cruxes, reasons, and the moderator's hints.

use crate::live::speech::quoted;
use crate::speakers::{SpeakerStyle, Speakers};
use crate::text::page::TextPage;
use crate::text::span::{SpanLine, shortened, trusted};
use crate::text::style::Tone;
use faultline_core::events::crux::{CruxAcknowledged, CruxProposed};
use faultline_core::events::dispute::ReasonGiven;
use faultline_core::events::event::Event;
use faultline_core::events::ids::PersonaId;
use faultline_core::events::turn::{
    ConcessionEffect, ConcessionExtent, ConcessionMade, FlipConditionStated, Hint, HintGiven,
};
use faultline_core::verdicts::read_model::DebateReadModel;

/// Maximum number of characters of a crux.
const MAX_STATEMENT: usize = 600;

/// Renders an event of a speaker's talk in their block; nothing for other events.
pub fn show(
    page: &mut TextPage,
    speakers: &Speakers,
    read_model: &DebateReadModel,
    (speaker, event): (&PersonaId, &Event),
) {
    let speaker = speakers.get(speaker);
    match event {
        Event::ConcessionMade(it) => conceded(page, &speaker, it),
        Event::FlipConditionStated(it) => flip_condition(page, &speaker, it),
        Event::CruxProposed(it) => proposed(page, &speaker, it),
        Event::CruxAcknowledged(it) => acknowledged(page, speakers, read_model, it),
        Event::ReasonGiven(it) => reason(page, &speaker, it),
        _ => {}
    }
}

/// Renders a concession in the speaker's block.
pub fn conceded(page: &mut TextPage, speaker: &SpeakerStyle, made: &ConcessionMade) {
    page.row(&speaker.gutter(), &speaker.gutter(), &gives_ground(made));
}

/// Formats a concession: its extent and its effect.
pub fn gives_ground(made: &ConcessionMade) -> SpanLine {
    let how = match (&made.granted, made.kind) {
        (Some(_), _) => "grants: ",
        (None, ConcessionExtent::Full) => "concedes: ",
        (None, ConcessionExtent::Partial) => "concedes in part: ",
        (None, ConcessionExtent::Scope) => "concedes conditionally: ",
    };
    let mut line = vec![trusted(Tone::Open, how)];
    line.extend(quoted(Tone::Quiet, &made.what));
    if let Some(granted) = &made.granted {
        line.push(trusted(Tone::Quiet, format!(" ({}: ", granted.source)));
        line.extend(quoted(Tone::Quiet, &granted.statement));
        line.push(trusted(Tone::Quiet, ")"));
    }
    match made.effect {
        ConcessionEffect::Withdrew { argument } => {
            line.push(trusted(Tone::Quiet, format!(", and withdraws {argument}")))
        }
        ConcessionEffect::Revised { argument } => line.push(trusted(Tone::Quiet, format!(", and narrows {argument}"))),
        // A change of sides is shown by the stance event that follows.
        ConcessionEffect::Moved { .. } | ConcessionEffect::Said => {}
    }
    line
}

/// Renders the speaker's proposal of a crux.
pub fn proposed(page: &mut TextPage, speaker: &SpeakerStyle, proposed: &CruxProposed) {
    let mut line = vec![trusted(Tone::Strong, "Proposed crux: ")];
    line.extend(shortened(Tone::Plain, &proposed.statement, MAX_STATEMENT));
    page.hang(&speaker.gutter(), &[speaker.owns(proposed.crux)], 4, &line);
}

/// Renders the speaker's acknowledgement of a crux that another participant proposed.
pub fn acknowledged(
    page: &mut TextPage,
    speakers: &Speakers,
    read_model: &DebateReadModel,
    acknowledged: &CruxAcknowledged,
) {
    let speaker = speakers.get(&acknowledged.speaker);
    let mut line = vec![trusted(Tone::Good, "✓ agrees"), trusted(Tone::Quiet, " that this is the crux")];
    if let Some(crux) = read_model.crux_proposals.cruxes.get(&acknowledged.crux) {
        line.push(trusted(Tone::Quiet, ": "));
        line.extend(quoted(Tone::Quiet, &crux.proposed.statement));
    }
    let name = speakers.maybe(read_model.transcript.speaker(acknowledged.cites)).owns(acknowledged.crux);
    page.hang(&speaker.gutter(), &[name], 4, &line);
}

/// Renders the condition under which the speaker would change their mind.
pub fn flip_condition(page: &mut TextPage, speaker: &SpeakerStyle, stated: &FlipConditionStated) {
    let mut line = vec![trusted(Tone::Open, format!("what would change {}'s mind: ", speaker.name))];
    line.extend(quoted(Tone::Quiet, &stated.quote));
    page.row(&speaker.gutter(), &speaker.gutter(), &line);
}

/// Renders a reason in the speaker's block.
pub fn reason(page: &mut TextPage, speaker: &SpeakerStyle, given: &ReasonGiven) {
    let mut line = shortened(Tone::Plain, &given.claim, MAX_STATEMENT);
    line.push(trusted(Tone::Quiet, format!(" (on {})", given.dispute)));
    page.hang(&speaker.gutter(), &[speaker.owns(given.reason)], 4, &line);
}

/// Formats a moderator's hint on one line.
pub fn whispered(given: &HintGiven, speakers: &Speakers) -> String {
    let about = given.about.map(|turn| format!(" in {turn}")).unwrap_or_default();
    let why = match (given.hint, given.about, given.dispute, given.crux) {
        (Hint::Conceded, ..) => format!("someone conceded to you{about}"),
        (Hint::Reframed, ..) => format!("the question was reframed{about}"),
        (Hint::Circling, ..) => "the talk goes in circles".to_owned(),
        (Hint::OneSided, Some(turn), ..) => format!("no turn was addressed to {turn}"),
        (Hint::OneSided, ..) => "no turn was addressed to a challenge".to_owned(),
        (Hint::Challenges, ..) => "challenges follow one another".to_owned(),
        (Hint::Stuck, ..) => "the open points have not changed for some turns".to_owned(),
        (Hint::StanceWanted, _, Some(dispute), _) => format!("what is your position on {dispute}?"),
        (Hint::StanceWanted, ..) => "what is your position?".to_owned(),
        (Hint::CruxWanted, ..) => "what do you really disagree about?".to_owned(),
        (Hint::FlipWanted, ..) => "what would change your mind?".to_owned(),
        (Hint::AgreementWanted, _, _, Some(crux)) => format!("is {crux} the crux?"),
        (Hint::AgreementWanted, ..) => "do you agree on the crux?".to_owned(),
    };
    format!("hint to {}: {why}", speakers.get(&given.speaker).name)
}
