//! Speech and arguments of a speaker, in a block with a coloured gutter.

use crate::citation_numbers::CitationNumbers;
use crate::labels;
use crate::speakers::{SpeakerStyle, Speakers};
use crate::text::page::TextPage;
use crate::text::span::{GLUE, Span, SpanLine, blanks, columns, first, in_line, shortened, trusted};
use crate::text::style::Tone;
use faultline_core::events::argument::{ArgumentAdvanced, ArgumentPart, AttackKind, AttackRaised};
use faultline_core::events::citation::Evidence;
use faultline_core::events::dispute::{Side, StanceTaken};
use faultline_core::events::event::Event;
use faultline_core::events::ids::TurnId;
use faultline_core::events::turn::Preparation;
use faultline_core::export::report::unsaid::unsaid_in_turn;
use faultline_core::projections::fact_checks::FactChecks;
use faultline_core::projections::transcript::Transcript;
use faultline_core::verdicts::read_model::DebateReadModel;

/// Maximum number of characters of a speech.
const MAX_SPEECH: usize = 8_000;
/// Maximum number of characters of a reflection or critique.
const MAX_PREPARATION: usize = 1_200;
/// Maximum number of characters of a claim, premise, assumption or piece of evidence.
const MAX_STATEMENT: usize = 600;
/// Maximum number of characters of a quotation.
const MAX_QUOTE: usize = 200;
/// Maximum number of parts of one kind shown for an argument.
const MAX_PARTS: usize = 6;
/// Maximum number of refused parts listed.
const MAX_REFUSED: usize = 2;
/// Width of the column of names such as `a3`.
const NAME: usize = 4;
/// Width of the column of words such as `because`.
const WORD: usize = 10;

/// Renders the first line of a block: the speaker, and what they do.
pub fn heading(page: &mut TextPage, speaker: &SpeakerStyle, does: &str) {
    let mut line = speaker.badge();
    line.push(trusted(Tone::Quiet, format!("{GLUE}{GLUE}{does}")));
    page.blank();
    page.text(&line);
}

/// Renders the text of a turn.
pub fn said(page: &mut TextPage, speaker: &SpeakerStyle, text: &str, sources: Option<Span>) {
    let mut line = shortened(Tone::Plain, text, MAX_SPEECH);
    line.extend(sources);
    page.row(&speaker.gutter(), &speaker.gutter(), &line);
}

/// Renders what a speaker thought before a turn; nothing if the turn answers nothing.
pub fn prepared(page: &mut TextPage, speaker: &SpeakerStyle, preparation: &Preparation) {
    let parts = [("reflection: ", &preparation.reflection), ("critique: ", &preparation.critique)];
    for (part, text) in parts.into_iter().filter(|(_, text)| !text.is_empty()) {
        let mut line = vec![trusted(Tone::Quiet, part)];
        line.extend(shortened(Tone::Quiet, text, MAX_PREPARATION));
        page.row(&speaker.gutter(), &speaker.gutter(), &line);
    }
}

/// Renders what is special about how a prepared turn was taken: words cut off, or claims found false.
pub fn taken_as(page: &mut TextPage, speaker: &SpeakerStyle, preparation: &Preparation, checks: &FactChecks) {
    let mut remarks = Vec::new();
    match preparation.omitted_words {
        0 => {}
        1 => remarks.push("1 word was cut off".to_owned()),
        n => remarks.push(format!("{n} words were cut off")),
    }
    for check in preparation.violations.iter().filter_map(|id| checks.checks.get(id)) {
        let why = check.checked.explanation.as_ref().map(|why| format!(" ({why})")).unwrap_or_default();
        let claim = &check.checked.claim;
        remarks.push(format!("taken although a claim was found false: “{claim}”{why}"));
    }
    if !remarks.is_empty() {
        let remarks = shortened(Tone::Open, &remarks.join("; "), MAX_PREPARATION);
        page.row(&speaker.gutter(), &speaker.gutter(), &remarks);
    }
}

/// Renders the numbers of the passages that a turn cites, if its text is not rendered by [`said`]; nothing if it cites
/// none.
pub fn cites(page: &mut TextPage, speaker: &SpeakerStyle, sources: Span) {
    if !sources.text.is_empty() {
        page.row(&speaker.gutter(), &speaker.gutter(), &[trusted(Tone::Quiet, "cites"), sources]);
    }
}

/// Renders the parts of a reply that were refused.
pub fn refused(page: &mut TextPage, speaker: &SpeakerStyle, refused: &[String]) {
    let mut reasons = refused.iter().take(MAX_REFUSED).map(String::as_str).collect::<Vec<_>>().join("; ");
    if refused.len() > MAX_REFUSED {
        reasons.push_str(&format!("; and {} more", refused.len() - MAX_REFUSED));
    }
    if !reasons.is_empty() {
        let mut line = vec![trusted(Tone::Quiet, "rejected: ")];
        line.extend(shortened(Tone::Quiet, &reasons, 2 * MAX_QUOTE));
        page.hang(&speaker.gutter(), &[trusted(Tone::Quiet, "·")], 2, &line);
    }
}

/// Renders an argument: its claim, and below it what supports it, with a mark on what its turn does not contain. `speech`
/// is the text just shown; a claim that repeats part of it is shortened to one line.
pub fn argument(
    page: &mut TextPage,
    speaker: &SpeakerStyle,
    sources: &mut CitationNumbers,
    advanced: &ArgumentAdvanced,
    (speech, transcript): (&str, &Transcript),
) {
    let gutter = speaker.gutter();
    let name = [speaker.owns(advanced.argument)];
    let thesis = if advanced.answers_topic { " (thesis)" } else { "" };
    let mut claim = if repeats(speech, &advanced.claim) {
        let room = page.room() - columns(&gutter) - NAME - thesis.len();
        vec![trusted(Tone::Plain, page.fit(&advanced.claim, room))]
    } else {
        shortened(Tone::Plain, &advanced.claim, MAX_STATEMENT)
    };
    claim.push(trusted(Tone::Quiet, thesis));
    let unsaid = |text: &str| unsaid_in_turn(transcript, advanced.turn, &advanced.speaker, text);
    if let Some(remark) = unsaid(&advanced.claim) {
        claim.push(trusted(Tone::Quiet, format!(" ({remark})")));
    }
    page.row(&gutter, &[], &[]);
    page.hang(&gutter, &name, NAME, &claim);
    let statement = |text: &String| ground(text, unsaid(text));
    grounds(page, &gutter, "because", advanced.premises.iter().map(statement));
    grounds(page, &gutter, "assuming", advanced.assumptions.iter().map(statement));
    grounds(page, &gutter, "evidence", evidence(sources, &advanced.evidence).into_iter());
}

/// Formats a premise or an assumption, with a remark if the turn does not contain it.
pub fn ground(text: &str, remark: Option<String>) -> SpanLine {
    let mut line = shortened(Tone::Quiet, text, MAX_STATEMENT);
    line.extend(remark.map(|remark| trusted(Tone::Quiet, format!(" ({remark})"))));
    line
}

/// Formats pieces of evidence, each with the number of its passage.
pub fn evidence(sources: &mut CitationNumbers, evidence: &[Evidence]) -> Vec<SpanLine> {
    let spans = evidence.iter().map(|evidence| {
        let mut line = shortened(Tone::Quiet, &evidence.text, MAX_STATEMENT);
        line.push(sources.marks(&evidence.citation));
        line
    });
    spans.collect()
}

/// Renders the premises, assumptions or evidence of an argument.
pub fn grounds(page: &mut TextPage, gutter: &[Span], word: &str, parts: impl ExactSizeIterator<Item = SpanLine>) {
    let n_parts = parts.len();
    let mut gutter = gutter.to_vec();
    gutter.push(blanks(NAME));
    for (at, part) in parts.take(MAX_PARTS).enumerate() {
        let word = if at == 0 { word } else { "and" };
        page.hang(&gutter, &[trusted(Tone::Quiet, word)], WORD, &part);
    }
    if n_parts > MAX_PARTS {
        let more = trusted(Tone::Quiet, format!("{} more", n_parts - MAX_PARTS));
        page.hang(&gutter, &[trusted(Tone::Quiet, "and")], WORD, &[more]);
    }
}

/// Renders an attack: an arrow from one argument to a part of another, and the rationale.
pub fn attack(page: &mut TextPage, speakers: &Speakers, read_model: &DebateReadModel, raised: &AttackRaised) {
    let speaker = speakers.get(&raised.speaker);
    let owner = speakers.maybe(read_model.arguments.speaker(raised.target));
    let mut line = vec![
        speaker.owns(raised.source),
        trusted(
            Tone::Plain,
            format!(
                " {}{}──▶ {} of ",
                // Claims that contradict each other attack each other, whoever spoke first.
                if (raised.kind, raised.component) == (AttackKind::Rebut, ArgumentPart::Claim) {
                    "◀──"
                } else {
                    "──"
                },
                labels::attacks(raised.kind),
                labels::attacked(raised.kind, raised.component)
            ),
        ),
        owner.owns(raised.target),
    ];
    if let Some(text) = read_model.arguments.component_text(raised.target, raised.component) {
        line.push(trusted(Tone::Plain, ": "));
        line.extend(quoted(Tone::Quiet, text));
    }
    let gutter = speaker.gutter();
    page.hang(&gutter, &[trusted(Tone::Quiet, raised.attack.to_string())], NAME, &line);
    let remark = unsaid_in_turn(&read_model.transcript, raised.turn, &raised.speaker, &raised.rationale);
    let remark = remark.map(|remark| format!(" ({remark})")).unwrap_or_default();
    let mut why = vec![trusted(Tone::Quiet, format!("Reason{remark}: "))];
    why.extend(shortened(Tone::Quiet, &raised.rationale, MAX_STATEMENT));
    why.extend(labels::sure(raised.confidence).map(|sure| trusted(Tone::Quiet, format!(" ({sure})"))));
    page.hang(&gutter, &[], NAME, &why);
}

/// Renders a stance, with the side it replaces.
pub fn stance(
    page: &mut TextPage,
    speaker: &SpeakerStyle,
    read_model: &DebateReadModel,
    taken: &StanceTaken,
    before: Option<Side>,
) {
    let dispute = read_model.disputes.disputes.get(&taken.dispute);
    let mut line = match dispute {
        Some(dispute) if dispute.is_topic => vec![trusted(Tone::Quiet, "On the topic: ")],
        Some(dispute) => {
            let mut line = vec![trusted(Tone::Quiet, format!("On {} ", taken.dispute))];
            line.extend(quoted(Tone::Quiet, &dispute.question));
            line.push(trusted(Tone::Quiet, ": "));
            line
        }
        None => vec![trusted(Tone::Quiet, format!("On {}: ", taken.dispute))],
    };
    line.extend(labels::sides(before, taken.side));
    page.row(&speaker.gutter(), &speaker.gutter(), &line);
}

/// Formats a text in quotation marks.
pub fn quoted(tone: Tone, text: &str) -> SpanLine {
    let mut line = vec![trusted(tone, "“")];
    line.extend(shortened(tone, text, MAX_QUOTE));
    line.push(trusted(tone, "”"));
    line
}

/// Returns the turn that an event was extracted from.
pub fn turn_of(event: &Event) -> Option<TurnId> {
    match event {
        Event::ArgumentAdvanced(it) => Some(it.turn),
        Event::AttackRaised(it) => Some(it.turn),
        Event::StanceTaken(it) => Some(it.turn),
        Event::ConcessionMade(it) => Some(it.turn),
        Event::FlipConditionStated(it) => Some(it.turn),
        Event::CruxProposed(it) => Some(it.turn),
        Event::CruxAcknowledged(it) => Some(it.turn),
        Event::ReasonGiven(it) => Some(it.turn),
        Event::ProposalDrafted(it) => Some(it.turn),
        Event::ProposalCriticized(it) => Some(it.turn),
        Event::ProposalAccepted(it) => Some(it.turn),
        Event::ProposalSynthesized(it) => Some(it.turn),
        _ => None,
    }
}

/// Returns whether a speech contains a statement verbatim.
pub fn repeats(speech: &str, statement: &str) -> bool {
    let statement = in_line(first(statement, MAX_SPEECH));
    !statement.is_empty() && in_line(first(speech, MAX_SPEECH)).contains(&statement)
}
