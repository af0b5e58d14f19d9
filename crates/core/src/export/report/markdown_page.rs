//! Page of a Markdown report: lines with escaped speech, links and lists.

use crate::events::ids::ArgumentId;
use crate::export::report::figures::agreement::{AgreementMatrix, PairAgreement};
use crate::export::report::figures::grounding;
use crate::export::report::figures::measures::{LEAD, MeasureRow, MeasureSection};
use crate::export::report::model::report_model::DebateReport;
use crate::export::report::model::statement::Statement;
use crate::export::text::clean;

/// Markdown text being written.
#[derive(Debug)]
pub struct MarkdownPage<'a> {
    /// Report that is written.
    pub account: &'a DebateReport,
    /// Text written so far.
    pub text: String,
}

impl MarkdownPage<'_> {
    /// Appends a line.
    pub fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    /// Appends the title of a section.
    pub fn title(&mut self, title: &str) {
        self.line(&format!("\n## {title}\n"));
    }

    /// Appends statements with their turns and their words as a list.
    pub fn evidence(&mut self, evidence: &[Statement], indent: &str) {
        for said in evidence {
            let name = escaped(self.account.name(said.speaker));
            let quoted = if said.text.is_empty() { String::new() } else { format!(": \"{}\"", escaped(&said.text)) };
            self.line(&format!("{indent}- {name}, {}, {}{quoted}", said.what, link(said)));
        }
    }

    /// Appends a text as a block quotation.
    pub fn quoted(&mut self, text: &str, indent: &str) {
        for line in text.replace("\r\n", "\n").lines() {
            let line = escaped(line);
            let quoted = if line.is_empty() { format!("{indent}>") } else { format!("{indent}> {line}") };
            self.line(&quoted);
        }
        self.line("");
    }

    /// Adds the agreement of the participants: a sentence for two of them, otherwise a table.
    pub fn agreement(&mut self, matrix: &AgreementMatrix) {
        self.title("Agreement");
        if let Some(sentence) = matrix.sentence() {
            return self.line(&escaped(&sentence));
        }
        let names: Vec<String> = matrix.names.iter().map(|name| escaped(name)).collect();
        self.line(&format!("{}\n\n|  | {} |", matrix.lead(), names.join(" | ")));
        self.line(&format!("| --- |{}", " --- |".repeat(names.len())));
        for (one, (name, row)) in names.iter().zip(&matrix.rows).enumerate() {
            let cell = |(other, pair): (usize, &PairAgreement)| if one == other { String::new() } else { pair.cell() };
            let cells: Vec<String> = row.iter().enumerate().map(cell).collect();
            self.line(&format!("| {name} | {} |", cells.join(" | ")));
        }
    }

    /// Adds the table of grounding; nothing without rows.
    pub fn grounding(&mut self, rows: &[[String; 7]]) {
        if rows.is_empty() {
            return;
        }
        self.title("Grounding");
        self.line(&format!("| {} |", grounding::HEADS.join(" | ")));
        self.line(&format!("|{}", " --- |".repeat(grounding::HEADS.len())));
        for row in rows {
            let cells: Vec<String> = row.iter().map(|cell| escaped(cell)).collect();
            self.line(&format!("| {} |", cells.join(" | ")));
        }
    }

    /// Adds a table of measures for each subject; nothing without measures.
    pub fn measures(&mut self, sections: &[MeasureSection]) {
        if sections.is_empty() {
            return;
        }
        self.title("Measures");
        self.line(LEAD);
        for MeasureSection { subject, rows } in sections {
            self.line(&format!("\n### {subject}\n\n| measure | value | formula | turns |\n| --- | --- | --- | --- |"));
            for MeasureRow { name, value, formula, turns, n_more } in rows {
                let turns: Vec<String> = turns.iter().map(|turn| format!("[{turn}](#{turn})")).collect();
                let more = if *n_more > 0 { format!(" and {n_more} more") } else { String::new() };
                let formula = escaped(formula);
                self.line(&format!("| {name} | {} | {formula} | {}{more} |", escaped(value), turns.join(" ")));
            }
        }
    }
}

/// Link to the turn of a statement.
pub fn link(said: &Statement) -> String {
    format!("[{0}](#{0})", said.turn)
}

/// Ids of arguments with commas between them.
pub fn listed(ids: &[ArgumentId]) -> String {
    ids.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// Renders a text as one line without effective Markdown, HTML or control characters.
pub fn escaped(text: &str) -> String {
    let line = clean(text);
    let mut escaped = String::with_capacity(line.len());
    for (at, letter) in line.chars().enumerate() {
        // These start a list, a heading or a rule, but only at the beginning of a line.
        let begins = at == 0 && matches!(letter, '#' | '-' | '+' | '=');
        if begins || matches!(letter, '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '|' | '~' | '&' | '!') {
            escaped.push('\\');
        }
        escaped.push(letter);
    }
    // A number with a full stop or bracket starts a list too, unless something follows at once, as in `1.00`.
    let digits = escaped.bytes().take_while(u8::is_ascii_digit).count();
    let after = escaped[digits..].strip_prefix(['.', ')']);
    if digits > 0 && after.is_some_and(|after| after.is_empty() || after.starts_with(char::is_whitespace)) {
        escaped.insert(digits, '\\');
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markdown_in_speech_is_escaped() {
        for (text, wanted) in [
            ("plain words, (and) more: 3-4", "plain words, (and) more: 3-4"),
            ("# no title", "\\# no title"),
            ("- no list", "\\- no list"),
            ("1. no list", "1\\. no list"),
            ("2024.", "2024\\."),
            ("1.00 of those decided", "1.00 of those decided"),
            ("2024 was", "2024 was"),
            ("[x](javascript:1) <b> *y*", "\\[x\\](javascript:1) \\<b\\> \\*y\\*"),
            ("a\n\n# b", "a # b"),
            ("tail\\", "tail\\\\"),
            ("a\u{1b}b", "ab"),
        ] {
            assert_eq!(escaped(text), wanted, "{text:?}");
        }
    }
}
