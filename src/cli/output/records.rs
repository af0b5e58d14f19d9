//! Records for other programs: one line each, with values between tabs and nothing cut off.

use std::io::{IsTerminal, stdout};

use faultline_terminal::text::clean::clean;

/// Returns true if records are printed for other programs, because standard output is not a terminal.
pub fn is_piped() -> bool {
    !stdout().is_terminal()
}

/// Formats a record as a line. White space inside values becomes single spaces, and control characters are removed.
pub fn record<const N: usize>(values: [&str; N]) -> String {
    let values = values.map(|value| clean(value).split_whitespace().collect::<Vec<_>>().join(" "));
    values.join("\t") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_one_line_with_all_of_its_text() {
        assert_eq!(record(["a", "", "tab\there\nand\u{1b}[2J there"]), "a\t\ttab here and there\n");
        let long = "word ".repeat(1_000);
        assert_eq!(record([long.as_str()]).len(), 5_000);
    }
}
