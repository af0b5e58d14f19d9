//! Pairs of participants with their agreement as text.

use crate::text::page::TextPage;
use crate::text::span::{trusted, untrusted};
use crate::text::style::{TerminalStyle, Tone};

/// Width of the column of counts.
const COUNTS: usize = 30;

/// Pair of participants.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PairRow {
    /// Id of the one participant.
    pub one: String,
    /// Id of the other.
    pub other: String,
    /// Number of debates in which both took a side of the same question.
    pub n_debates: i64,
    /// Number of questions on which both hold a side.
    pub n_questions: i64,
    /// Number of those on which it is the same side.
    pub n_agreed: i64,
    /// Share of the questions on which it is the same side.
    pub agreement: f64,
}

/// Renders pairs, one per line: how often they agreed, on how many questions of how many debates, and their ids.
pub fn pairs(rows: &[PairRow], look: TerminalStyle) -> String {
    let mut page = TextPage::new(look);
    if rows.is_empty() {
        page.text(&[trusted(Tone::Quiet, "No two participants took a side of the same question.")]);
    }
    for row in rows {
        let agreed = format!("agree on {} of {} ({:.0} %)", row.n_agreed, row.n_questions, row.agreement * 100.0);
        let debates = if row.n_debates == 1 { "1 debate".to_owned() } else { format!("{} debates", row.n_debates) };
        let names = format!("{} and {}", row.one, row.other);
        page.hang(
            &[],
            &[trusted(Tone::Strong, agreed)],
            COUNTS,
            &[untrusted(Tone::Plain, &names), trusted(Tone::Quiet, format!(" · {debates}"))],
        );
    }
    page.print()
}
