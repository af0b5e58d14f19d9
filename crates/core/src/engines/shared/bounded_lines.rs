//! Lists in prompts, of a set number of bytes however long the debate has lasted. What is left out is counted.

use crate::kernel::safety::foreign_text::fenced;

/// Maximum number of bytes of the arguments in a prompt.
pub const MAX_ARGUMENT_BYTES: usize = 16_000;
/// Maximum number of bytes of the attacks in a prompt.
pub const MAX_ATTACK_BYTES: usize = 10_000;

/// Formats a list of lines, the newest last: those that fit, the newest first to be taken, or `none` for an empty list.
/// `what` names an entry that is left out.
pub fn newest(lines: Vec<String>, most: usize, what: &str, none: &str) -> String {
    newest_with(lines, |line| line, most, what, none)
}

/// As [`newest`], for entries that `line` formats: only those that are taken, and one more.
pub fn newest_with<T>(
    entries: impl IntoIterator<Item = T, IntoIter: DoubleEndedIterator + ExactSizeIterator>,
    line: impl Fn(T) -> String,
    most: usize,
    what: &str,
    none: &str,
) -> String {
    let (shown, left_out) = fitting(entries.into_iter().enumerate().rev(), line, most);
    told(&shown, left_out, what, none)
}

/// Formats entries as lines while they fit, in the given order; returns the lines by position, and the number of the other
/// entries, which are not formatted.
pub fn fitting<T>(
    entries: impl Iterator<Item = (usize, T)>,
    line: impl Fn(T) -> String,
    most: usize,
) -> (Vec<(usize, String)>, usize) {
    let (mut shown, mut left_out, mut bytes) = (Vec::new(), 0, 0);
    for (at, entry) in entries {
        // After the first that does not fit, none is taken: what is shown has no gaps in its order.
        let line = if left_out == 0 { line(entry) } else { String::new() };
        if left_out > 0 || bytes + line.len() > most {
            left_out += 1;
            continue;
        }
        bytes += line.len();
        shown.push((at, line));
    }
    shown.sort_unstable_by_key(|(at, _)| *at);
    (shown, left_out)
}

/// Formats entries between delimiters, or `none` if there are none, and counts those that are left out; `what` names one.
pub fn told(shown: &[(usize, String)], left_out: usize, what: &str, none: &str) -> String {
    let lines: String = shown.iter().map(|(_, line)| line.as_str()).collect();
    let lines = if lines.is_empty() { none.to_owned() } else { fenced(lines.trim_end()) };
    match left_out {
        0 => lines,
        1 => format!("{lines}\n(1 other {what} is not shown.)"),
        n => format!("{lines}\n({n} other {what}{} are not shown.)", if what.ends_with('x') { "es" } else { "s" }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_entries_are_shown_and_the_others_counted() {
        let entries = || (1..=4).map(|number| format!("d{number}: is it?\n")).collect::<Vec<_>>();
        let listed = |most: usize| newest(entries(), most, "question", "none");
        assert_eq!(listed(1_000), fenced("d1: is it?\nd2: is it?\nd3: is it?\nd4: is it?"));
        assert_eq!(listed(23), format!("{}\n(2 other questions are not shown.)", fenced("d3: is it?\nd4: is it?")));
        assert!(newest(entries(), 0, "crux", "none").ends_with("(4 other cruxes are not shown.)"));
        assert_eq!(newest(Vec::new(), 10, "question", "none yet"), "none yet");
    }
}
