//! Sizes of files and functions.

use crate::source::Source;
use crate::text::{is_of_word, item, line_of, starts_word};

/// Most lines of production code that a file may have. Tests and lines of comment are not counted.
pub const MAX_FILE_LINES: usize = 400;
/// Most lines that a function may have, from its name to its closing brace.
pub const MAX_FUNCTION_LINES: usize = 70;

/// A function, its place and its size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// Name of the function.
    pub name: String,
    /// Line of its name, from 1.
    pub line: usize,
    /// Number of lines, from its name to its closing brace.
    pub lines: usize,
}

/// Number of lines of production code of a file: blank lines count, comments and tests do not.
#[must_use]
pub fn file_lines(source: &Source) -> usize {
    let last = source.code.trim_end().lines().count();
    let counted = |(written, kept): &(&str, &str)| !kept.trim().is_empty() || written.trim().is_empty();
    source.text.lines().zip(source.code.lines()).take(last).filter(counted).count()
}

/// Returns the functions of a file.
#[must_use]
pub fn functions(source: &Source) -> Vec<Function> {
    let code = &source.code;
    let starts = code.match_indices("fn ").filter(|(at, _)| starts_word(code, *at));
    let read = |(at, _): (usize, &str)| {
        let name: String = code[at + 3..].chars().take_while(|letter| is_of_word(*letter)).collect();
        let lines = item(&code[at..]).lines().count();
        (!name.is_empty()).then(|| Function { name, line: line_of(code, at), lines })
    };
    starts.filter_map(read).collect()
}

/// Returns the files and functions that are too long.
#[must_use]
pub fn faults(source: &Source) -> Vec<String> {
    let mut faults = Vec::new();
    let lines = file_lines(source);
    if !source.is_door() && lines > MAX_FILE_LINES {
        faults.push(format!("{}: {lines} lines of code; at most {MAX_FILE_LINES}", source.path));
    }
    for function in functions(source).iter().filter(|function| function.lines > MAX_FUNCTION_LINES) {
        let Function { name, line, lines } = function;
        faults.push(format!("{}:{line}: fn {name} has {lines} lines; at most {MAX_FUNCTION_LINES}", source.path));
    }
    faults
}

/// The value below which a share of the values lies, from 0 to 1; 0 if there are none. Nearest rank.
#[must_use]
pub fn percentile(values: &[usize], percent: usize) -> usize {
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    let rank = (sorted.len() * percent).div_ceil(100).max(1) - 1;
    sorted.get(rank).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_and_functions_have_a_limit() {
        let file = |code: &str| faults(&Source::new("src/config.rs", &format!("//! About.\n{code}")));
        let lines = |n: usize, line: &str| format!("{line}\n").repeat(n);
        assert_eq!(file(&lines(400, "use x;")), [""; 0]);
        assert_eq!(file(&lines(401, "use x;")), ["src/config.rs: 401 lines of code; at most 400"]);
        assert_eq!(file(&format!("{}{}", lines(400, "use x;"), lines(50, "/// Words."))), [""; 0]);
        let tests = format!("{}#[cfg(test)]\nmod tests {{\n{}}}", lines(399, "use x;"), lines(50, "x;"));
        assert_eq!(file(&tests), [""; 0]);
        let function = |n: usize| format!("\nfn long(a: [u8; 2]) -> u8 {{\n{}}}", lines(n, "    x('}', \"{\");"));
        assert_eq!(file(&function(68)), [""; 0]);
        assert_eq!(file(&function(69)), ["src/config.rs:3: fn long has 71 lines; at most 70"]);
    }

    #[test]
    fn percentiles_are_of_the_nearest_rank() {
        assert_eq!((percentile(&[], 50), percentile(&[7], 90)), (0, 7));
        let ten: Vec<usize> = (1..=10).collect();
        assert_eq!((percentile(&ten, 50), percentile(&ten, 90)), (5, 9));
    }
}
