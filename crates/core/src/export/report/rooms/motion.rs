//! Sides of a motion in a report: who spoke for which, figures, and drafts that were not taken.

use crate::events::checks::check::CheckVerdict;
use crate::events::checks::sides::{MotionSide, SidesAssigned};
use crate::events::ids::{CheckId, PersonaId, TurnId};
use crate::export::report::markdown_page::{MarkdownPage, escaped};
use crate::export::report::markup::Markup;
use crate::export::report::model::report_model::DebateReport;
use crate::export::report::model::room_models::{MotionReport, TeamReport, UntakenDraftReport};
use crate::export::report::report_text::ReportBuilder;
use crate::export::report::rooms::fact_checks::check_report;
use crate::projections::fact_checks::FactCheck;
use crate::projections::motion::Draft;
use crate::verdicts::read_model::DebateReadModel;

/// Sentence that explains the section.
const LEAD: &str = "A side is a role. No side wins: the verdict tells what the participants hold in their own words, and which \
                    questions divide them, and that is not decided by counting speeches or facts.";

/// Heading of the turns that were taken although a claim in them was found false.
pub const VIOLATIONS: &str = "Turns with a claim that was found false";
/// Heading of the claims without a result.
pub const UNCHECKED: &str = "Claims that were not checked";
/// Heading of the drafts that were not taken.
pub const UNTAKEN: &str = "Drafts that were not taken";
/// Sentence on those drafts.
pub const UNHEARD: &str = "Nobody but their speakers has heard them.";

/// Builds the report of the sides; `None` without sides.
pub fn motion(teller: &ReportBuilder, read_model: &DebateReadModel) -> Option<MotionReport> {
    let sides = read_model.motion.sides.as_ref()?;
    let name = |id: &PersonaId| {
        let participant = read_model.cast.get(id);
        participant.map_or_else(|| id.to_string(), |participant| participant.name.clone())
    };
    let whose = |id: &PersonaId| {
        let side = sides.side_of(id).map(|side| format!(", {}", side.in_words()));
        name(id) + &side.unwrap_or_default()
    };
    let untaken = read_model.motion.drafts.values().filter(|draft| draft.said_in.is_none());
    let violations = read_model.transcript.turns.iter().filter_map(|turn| {
        let found = &turn.preparation.as_ref().filter(|preparation| !preparation.violations.is_empty())?.violations;
        let speaker = turn.speaker.as_ref().map_or_else(|| turn.name.clone(), &whose);
        Some((turn.turn, violation(turn.turn, &speaker, found)))
    });
    let unchecked = read_model.fact_checks.unchecked.values().map(|claim| {
        let why = claim.reason.as_ref().map_or_else(|| "the check has no result yet".to_owned(), Clone::clone);
        format!("{} ({}): \"{}\" was not checked: {why}", claim.claim.check, whose(&claim.speaker), claim.claim.claim)
    });
    let unread = read_model.fact_checks.unread.iter();
    let unread = unread.map(|(words, why)| format!("No claims of {words} were looked for: {why}"));
    Some(MotionReport {
        assigned: format!("The sides were assigned {}.", sides.reason),
        teams: MotionSide::ALL.map(|side| team(read_model, sides, side, name)).to_vec(),
        untaken: untaken.map(|draft| untaken_draft(teller, read_model, draft, name)).collect(),
        violations: violations.collect(),
        unchecked: unchecked.chain(unread).collect(),
    })
}

/// Tells that a turn was taken although these checks found claims in it false.
fn violation(turn: TurnId, speaker: &str, found: &[CheckId]) -> String {
    let (claims, were) = if found.len() == 1 { ("a claim", "was") } else { ("claims", "were") };
    let checks: Vec<String> = found.iter().map(ToString::to_string).collect();
    format!("{speaker}: {turn} was taken although {claims} in it {were} found false ({})", checks.join(", "))
}

fn team(
    read_model: &DebateReadModel,
    sides: &SidesAssigned,
    side: MotionSide,
    name: impl Fn(&PersonaId) -> String,
) -> TeamReport {
    let members = sides.of(side);
    let is_member = |speaker: &PersonaId| members.contains(speaker);
    let (used, facts) = (read_model.speaker_use.of_all(members), read_model.fact_checks.factuality(is_member));
    let checked = facts.n_true + facts.n_false + facts.n_unverifiable;
    let repeated = match read_model.fact_checks.repeated(is_member) {
        0 => String::new(),
        1 => ", of which 1 repeats a claim checked before".to_owned(),
        n => format!(", of which {n} repeat claims checked before"),
    };
    let share = facts.share.map_or_else(|| "none decided".to_owned(), |share| format!("{share:.2} of those decided"));
    let title = match side {
        MotionSide::Pro => "For the motion",
        MotionSide::Con => "Against the motion",
    };
    TeamReport {
        title: title.to_owned(),
        participants: members.iter().map(name).collect(),
        figures: vec![
            ("turns", used.turns.to_string()),
            ("words", used.words.to_string()),
            (
                "claims checked",
                format!(
                    "{checked}{repeated}: {} true, {} false, {} unverifiable; {} without a result",
                    facts.n_true, facts.n_false, facts.n_unverifiable, facts.n_unchecked
                ),
            ),
            ("true", share),
            ("drafts rejected", used.rejections.to_string()),
            ("taken with a false claim", used.violations.to_string()),
            ("tokens", used.tokens.to_string()),
            ("seconds of calls", format!("{:.1}", used.millis as f64 / 1_000.0)),
        ],
    }
}

fn untaken_draft(
    teller: &ReportBuilder,
    read_model: &DebateReadModel,
    draft: &Draft,
    name: impl Fn(&PersonaId) -> String,
) -> UntakenDraftReport {
    let (id, turn) = (draft.drafted.draft, &draft.drafted.turn);
    let round = turn.round.map(|round| format!(", round {round}")).unwrap_or_default();
    let why = if draft.rejected.is_some() { "rejected" } else { "the debate ended before it was checked" };
    let is_false = |check: &&FactCheck| check.checked.verdict == CheckVerdict::False;
    UntakenDraftReport {
        title: format!("{id}: {}{round}, attempt {}, {why}", name(&turn.speaker), draft.drafted.attempt),
        text: turn.text.clone(),
        checks: read_model.fact_checks.of_draft(id).filter(is_false).map(|check| check_report(teller, check)).collect(),
    }
}

/// Renders the sides as HTML.
pub fn motion_section(page: &mut Markup, account: &DebateReport) {
    let Some(motion) = &account.motion else { return };
    page.raw("<h2 id=motion>The motion</h2>\n<p class=lead>").raw(LEAD).raw("</p>\n<p dir=auto>");
    page.text(&motion.assigned).raw("</p>\n");
    for team in &motion.teams {
        page.raw("<section class=card>\n<h4>").text(&team.title).raw("</h4>\n<p dir=auto>");
        page.text(&team.participants.join(", ")).raw("</p>\n<dl>");
        for (name, figure) in &team.figures {
            page.raw("<dt>").raw(name).raw("</dt><dd>").text(figure).raw("</dd>");
        }
        page.raw("</dl>\n</section>\n");
    }
    if !motion.violations.is_empty() {
        page.raw("<h3>").raw(VIOLATIONS).raw("</h3>\n");
    }
    for (turn, sentence) in &motion.violations {
        page.raw("<p dir=auto><a href=\"#").text(&turn.to_string()).raw("\">").text(sentence).raw("</a></p>\n");
    }
    if !motion.unchecked.is_empty() {
        page.raw("<h3>").raw(UNCHECKED).raw("</h3>\n");
    }
    for sentence in &motion.unchecked {
        page.raw("<p dir=auto>").text(sentence).raw("</p>\n");
    }
    if !motion.untaken.is_empty() {
        page.raw("<h3>").raw(UNTAKEN).raw("</h3>\n<p class=lead>").raw(UNHEARD).raw("</p>\n");
    }
    for draft in &motion.untaken {
        page.raw("<section class=card>\n<h4>").text(&draft.title).raw("</h4>\n").paragraphs(&draft.text);
        page.raw("<dl>");
        for check in &draft.checks {
            page.raw("<dt>").text(&check.said.what).raw("</dt><dd dir=auto>").text(&check.said.text).raw("</dd>");
            for source in check.explanation.iter().chain(&check.sources) {
                page.raw("<dt>because</dt><dd dir=auto>").text(source).raw("</dd>");
            }
        }
        page.raw("</dl>\n</section>\n");
    }
}

impl MarkdownPage<'_> {
    /// Appends the sides of a motion.
    pub fn motion(&mut self) {
        let Some(motion) = &self.account.motion else { return };
        self.title("The motion");
        self.line(&format!("{LEAD}\n\n{}\n", escaped(&motion.assigned)));
        for team in &motion.teams {
            self.line(&format!("### {}\n\n{}\n", team.title, escaped(&team.participants.join(", "))));
            for (name, figure) in &team.figures {
                self.line(&format!("- {name}: {}", escaped(figure)));
            }
            self.line("");
        }
        let violations = motion.violations.iter().map(|(turn, sentence)| format!("[{}](#{turn})", escaped(sentence)));
        self.sentences(VIOLATIONS, violations);
        self.sentences(UNCHECKED, motion.unchecked.iter().map(|sentence| escaped(sentence)));
        if !motion.untaken.is_empty() {
            self.line(&format!("### {UNTAKEN}\n\n{UNHEARD}\n"));
        }
        for draft in &motion.untaken {
            self.line(&format!("**{}**\n", escaped(&draft.title)));
            self.quoted(&draft.text, "");
            for check in &draft.checks {
                self.line(&format!("- {}: {}", check.said.what, escaped(&check.said.text)));
                for source in check.explanation.iter().chain(&check.sources) {
                    self.line(&format!("  - {}", escaped(source)));
                }
            }
            self.line("");
        }
    }

    /// Appends sentences as a list under a heading; nothing without sentences.
    fn sentences(&mut self, heading: &str, sentences: impl Iterator<Item = String>) {
        let lines: Vec<String> = sentences.map(|sentence| format!("- {sentence}\n")).collect();
        if !lines.is_empty() {
            self.line(&format!("### {heading}\n\n{}", lines.concat()));
        }
    }
}
