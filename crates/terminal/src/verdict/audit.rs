//! Section for the audit of a verdict: how many words were read, and where a reading differs.

use crate::labels;
use crate::text::page::TextPage;
use crate::text::span::{shortened, trusted, untrusted};
use crate::text::style::Tone;
use crate::verdict_context::{VerdictContext, fact, title};
use faultline_core::verdicts::audit::audit_verdict::{AuditState, AuditedWords};

/// Maximum number of contested words on a card.
const MAX_CONTESTED: usize = 3;
/// Maximum number of characters of a question or of words.
const MAX_SHOWN: usize = 200;

/// Renders the audit on one line.
pub fn summary(page: &mut TextPage, telling: &VerdictContext) {
    let audit = &telling.verdict.audit;
    if audit.words.is_empty() {
        return;
    }
    let is_short = matches!(audit.state(), AuditState::Complete | AuditState::Off) && audit.contested().count() == 0;
    let tone = if is_short { Tone::Quiet } else { Tone::Open };
    fact(page, "Audit", &[untrusted(tone, &labels::capital(&audit.in_words()))]);
}

/// Renders words that were read otherwise than they were recorded, with both readings. Those that a qualified auditor read
/// are not counted in the verdict.
pub fn contested(page: &mut TextPage, telling: &VerdictContext) {
    let audit = &telling.verdict.audit;
    let differing: Vec<&AuditedWords> = audit.words.iter().filter(|words| words.differs()).collect();
    if differing.is_empty() {
        return;
    }
    let is_counted = differing.iter().any(|words| words.is_contested);
    let about = if is_counted { "read otherwise, and not counted" } else { "read otherwise by an unqualified auditor" };
    title(page, "Contested words", about);
    let most = telling.most(MAX_CONTESTED);
    for words in differing.iter().take(most) {
        let mut line = telling.holder(&words.persona, words.turn);
        line.push(trusted(Tone::Quiet, " “"));
        line.extend(shortened(Tone::Plain, &words.words, MAX_SHOWN));
        line.push(trusted(Tone::Quiet, "”"));
        page.text(&line);
        let reading = words.reading.map_or("nothing", |reading| reading.name());
        let mut readings =
            vec![trusted(Tone::Quiet, format!("recorded as {}, read as {reading}: ", words.recorded.name()))];
        readings.extend(shortened(Tone::Quiet, &words.question, MAX_SHOWN));
        page.hang(&[], &[], 3, &readings);
    }
    if differing.len() > most {
        telling.more(page, 0, differing.len() - most);
    }
}
