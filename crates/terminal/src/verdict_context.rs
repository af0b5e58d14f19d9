//! Context shared by the sections of a verdict, and their level of detail.

use crate::labels;
use crate::speakers::Speakers;
use crate::text::page::TextPage;
use crate::text::span::{Span, SpanLine, glued, trusted};
use crate::text::style::Tone;
use faultline_core::events::ids::{ArgumentId, DisputeId, PersonaId, TurnId};
use faultline_core::verdicts::audit::audit_verdict::{AuditState, AuditedWords};
use faultline_core::verdicts::audit::items::AuditSubject;
use faultline_core::verdicts::read_model::DebateReadModel;
use faultline_core::verdicts::verdict::Verdict;

/// Width of the column of labels such as `Examined`.
const WORD: usize = 12;

/// Debate with its verdict, as input of the sections.
#[derive(Debug)]
pub struct VerdictContext<'a> {
    /// Read model of the debate.
    pub read_model: &'a DebateReadModel,
    /// Verdict on the debate.
    pub verdict: &'a Verdict,
    /// Speakers of the debate.
    pub speakers: &'a Speakers,
    /// True to show everything, regardless of length.
    pub full: bool,
}

impl VerdictContext<'_> {
    /// Returns the maximum number of items to show, where `on_a_card` is the limit for a card.
    pub fn most(&self, on_a_card: usize) -> usize {
        if self.full { usize::MAX } else { on_a_card }
    }

    /// Clause for a title over sides that participants took: empty if a qualified auditor read the words of all these
    /// stances, each given by dispute, participant and turn, or if the debate requires no audit.
    pub fn unaudited(&self, stances: &[(DisputeId, &PersonaId, TurnId)]) -> &'static str {
        let audit = &self.verdict.audit;
        let is_unread = |words: &&AuditedWords| {
            let AuditSubject::Stance { dispute } = words.subject else { return false };
            !words.is_audited && stances.contains(&(dispute, &words.persona, words.turn))
        };
        let is_any = audit.state() != AuditState::Off && audit.words.iter().any(|words| is_unread(&words));
        if is_any { ", as recorded: no qualified auditor read all these words" } else { "" }
    }

    /// Returns the id of an argument in its speaker's tone.
    pub fn argument(&self, id: ArgumentId) -> Span {
        self.speakers.maybe(self.read_model.arguments.speaker(id)).owns(id)
    }

    /// Formats the first ids of a list of arguments.
    pub fn arguments(&self, ids: &[ArgumentId], on_a_card: usize) -> SpanLine {
        let most = self.most(on_a_card);
        let mut line = SpanLine::new();
        for id in ids.iter().take(most) {
            if !line.is_empty() {
                line.push(trusted(Tone::Plain, " "));
            }
            line.push(self.argument(*id));
        }
        if ids.len() > most {
            line.push(trusted(Tone::Quiet, format!(" and {} more", ids.len() - most)));
        }
        line
    }

    /// Returns the command that shows more of the debate.
    pub fn command(&self) -> Span {
        let debate = self.read_model.summary.debate.map_or_else(|| "ID".to_owned(), labels::short);
        let whole = if self.full { " --json" } else { "" };
        glued(Tone::Plain, &format!("faultline show {debate}{whole}"))
    }

    /// Renders the number of omitted items, and the command that shows them.
    pub fn more(&self, page: &mut TextPage, indent: usize, n: usize) {
        page.hang(&[], &[], indent, &[trusted(Tone::Quiet, format!("and {n} more: ")), self.command()]);
    }

    /// Formats a persona with a turn.
    pub fn holder(&self, persona: &PersonaId, turn: TurnId) -> SpanLine {
        let mut line = self.speakers.get(persona).badge();
        line.push(glued(Tone::Quiet, &format!(" {turn}")));
        line
    }
}

/// Renders the title of a section with a short explanation.
pub fn title(page: &mut TextPage, title: &str, about: &str) {
    page.blank();
    page.text(&[
        trusted(Tone::Strong, title),
        trusted(Tone::Quiet, format!("  {about}").replace("  ", "\u{a0}\u{a0}")),
    ]);
}

/// Renders a fact after its label.
pub fn fact(page: &mut TextPage, word: &str, body: &[Span]) {
    page.hang(&[], &[trusted(Tone::Quiet, word)], WORD, body);
}
