//! What a speaker says and advances, in a block with their colour along its left side.

use crate::cli::stage::page::Page;
use crate::cli::stage::sources::Sources;
use crate::cli::stage::span::{Line, Span, blanks, columns, first, in_line, own, shortened};
use crate::cli::stage::speakers::{Speaker, Speakers};
use crate::cli::stage::style::Tone;
use crate::cli::stage::words;
use crate::events::argument::{ArgumentAdvanced, AttackRaised, Evidence};
use crate::events::dispute::{Side, StanceTaken};
use crate::verdicts::board::Board;

/// The most letters of a speech.
const SPEECH: usize = 2_400;
/// The most letters of a claim, a premise, an assumption, a piece of evidence.
const STATEMENT: usize = 600;
/// The most letters of something that is quoted from elsewhere.
const QUOTE: usize = 200;
/// The most parts of one kind that an argument is shown with.
const PARTS: usize = 6;
/// The most refused parts that are told one by one.
const REFUSED: usize = 2;
/// Columns of a name such as `a3`.
const NAME: usize = 4;
/// Columns of a word such as `because`.
const WORD: usize = 10;

/// The first line of a block: who speaks, and what they do.
pub fn heading(page: &mut Page, speaker: &Speaker, does: &str) {
    let mut line = speaker.badge();
    line.push(own(Tone::Quiet, format!("  {does}").replace(' ', "\u{a0}")));
    page.blank();
    page.text(&line);
}

/// What is said.
pub fn said(page: &mut Page, speaker: &Speaker, text: &str, sources: Option<Span>) {
    let mut line = shortened(Tone::Plain, text, SPEECH);
    line.extend(sources);
    page.row(&speaker.gutter(), &speaker.gutter(), &line);
}

/// What could not be taken of a reply, in a quiet line.
pub fn refused(page: &mut Page, speaker: &Speaker, refused: &[String]) {
    let mut told_of = refused.iter().take(REFUSED).map(String::as_str).collect::<Vec<_>>().join("; ");
    if refused.len() > REFUSED {
        told_of.push_str(&format!("; and {} more", refused.len() - REFUSED));
    }
    if !told_of.is_empty() {
        let mut line = vec![own(Tone::Quiet, "not taken: ")];
        line.extend(shortened(Tone::Quiet, &told_of, 2 * QUOTE));
        page.hang(&speaker.gutter(), &[own(Tone::Quiet, "·")], 2, &line);
    }
}

/// An argument: its claim, and set apart what it rests on. `speech` is what the speaker has just said: a claim that was
/// a part of it is not told at length again.
pub fn argument(page: &mut Page, speaker: &Speaker, sources: &mut Sources, advanced: &ArgumentAdvanced, speech: &str) {
    let gutter = speaker.gutter();
    let name = [speaker.owns(advanced.argument)];
    let thesis = if advanced.answers_topic { " (thesis)" } else { "" };
    let mut claim = if repeats(speech, &advanced.claim) {
        let room = page.room() - columns(&gutter) - NAME - thesis.len();
        vec![own(Tone::Plain, page.fit(&advanced.claim, room))]
    } else {
        shortened(Tone::Plain, &advanced.claim, STATEMENT)
    };
    claim.push(own(Tone::Quiet, thesis));
    page.row(&gutter, &[], &[]);
    page.hang(&gutter, &name, NAME, &claim);
    let statement = |it: &String| shortened(Tone::Quiet, it, STATEMENT);
    grounds(page, &gutter, "because", advanced.premises.iter().map(statement));
    grounds(page, &gutter, "assuming", advanced.assumptions.iter().map(statement));
    grounds(page, &gutter, "evidence", evidence(sources, &advanced.evidence).into_iter());
}

/// What is pointed to, each piece with the small number of its passage.
pub fn evidence(sources: &mut Sources, evidence: &[Evidence]) -> Vec<Line> {
    let told = evidence.iter().map(|it| {
        let mut line = shortened(Tone::Quiet, &it.text, STATEMENT);
        line.push(sources.marks(&it.citation));
        line
    });
    told.collect()
}

/// What an argument rests on, one kind of it.
pub fn grounds(page: &mut Page, gutter: &[Span], word: &str, parts: impl ExactSizeIterator<Item = Line>) {
    let n_parts = parts.len();
    let mut gutter = gutter.to_vec();
    gutter.push(blanks(NAME));
    for (at, part) in parts.take(PARTS).enumerate() {
        let word = if at == 0 { word } else { "and" };
        page.hang(&gutter, &[own(Tone::Quiet, word)], WORD, &part);
    }
    if n_parts > PARTS {
        let more = own(Tone::Quiet, format!("{} more", n_parts - PARTS));
        page.hang(&gutter, &[own(Tone::Quiet, "and")], WORD, &[more]);
    }
}

/// An attack: an arrow from one argument to a part of another, and why.
pub fn attack(page: &mut Page, speakers: &Speakers, board: &Board, raised: &AttackRaised) {
    let speaker = speakers.get(&raised.speaker);
    let owner = speakers.maybe(board.arguments.speaker(raised.target));
    let mut line = vec![
        speaker.owns(raised.source),
        own(Tone::Plain, format!(" ──{}──▶ {} of ", words::attacks(raised.kind), words::part(raised.component))),
        owner.owns(raised.target),
    ];
    if let Some(text) = board.arguments.component_text(raised.target, raised.component) {
        line.push(own(Tone::Plain, ": "));
        line.extend(quoted(Tone::Quiet, text));
    }
    let gutter = speaker.gutter();
    page.hang(&gutter, &[own(Tone::Quiet, raised.attack.to_string())], NAME, &line);
    let mut why = shortened(Tone::Quiet, &raised.rationale, STATEMENT);
    why.push(own(Tone::Quiet, format!(" ({}\u{a0}sure)", words::percent(raised.confidence))));
    page.hang(&gutter, &[], NAME, &why);
}

/// A stance, and the one it replaces.
pub fn stance(page: &mut Page, speaker: &Speaker, board: &Board, taken: &StanceTaken, before: Option<Side>) {
    let dispute = board.disputes.disputes.get(&taken.dispute);
    let mut line = match dispute {
        Some(dispute) if dispute.is_topic => vec![own(Tone::Quiet, "On the topic: ")],
        Some(dispute) => {
            let mut line = vec![own(Tone::Quiet, format!("On {} ", taken.dispute))];
            line.extend(quoted(Tone::Quiet, &dispute.question));
            line.push(own(Tone::Quiet, ": "));
            line
        }
        None => vec![own(Tone::Quiet, format!("On {}: ", taken.dispute))],
    };
    line.extend(words::sides(before, taken.side));
    page.row(&speaker.gutter(), &speaker.gutter(), &line);
}

/// A text in quotation marks.
pub fn quoted(tone: Tone, text: &str) -> Line {
    let mut line = vec![own(tone, "“")];
    line.extend(shortened(tone, text, QUOTE));
    line.push(own(tone, "”"));
    line
}

/// Whether a speech holds a statement word for word.
pub fn repeats(speech: &str, statement: &str) -> bool {
    let statement = in_line(first(statement, SPEECH));
    !statement.is_empty() && in_line(first(speech, SPEECH)).contains(&statement)
}
