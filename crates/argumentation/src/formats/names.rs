//! Names of the arguments of a file.

use std::borrow::Cow;
use std::collections::BTreeSet;

/// Maximum length of a name, in bytes.
pub const MAX_NAME_BYTES: usize = 1_024;

/// Names of the arguments `0..len`, all different.
///
/// A name is a text of 1 to [`MAX_NAME_BYTES`] bytes without control characters. Names that are just the numbers from 1
/// are not stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArgumentNames(Kept);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Kept {
    /// `1`, `2` and so on.
    Numbers(u32),
    /// Concatenated names, and the end of each.
    Words { text: String, ends: Vec<u32> },
}

/// Error of an invalid name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidName {
    /// The name is empty, too long, or contains control characters.
    #[error("invalid name {0:?}: a name has 1 to {MAX_NAME_BYTES} bytes and no control characters")]
    Malformed(String),
    /// Another argument has this name.
    #[error("two arguments are named {0:?}")]
    Repeated(String),
}

impl ArgumentNames {
    /// Returns the numbers from 1 as names.
    pub fn numbers(len: u32) -> Self {
        Self(Kept::Numbers(len))
    }

    /// Creates a list of these names, in order.
    ///
    /// # Errors
    /// [`InvalidName`] for the first word that is not a valid name or that occurs twice.
    pub fn from_words<'a>(words: impl IntoIterator<Item = &'a str>) -> Result<Self, InvalidName> {
        let mut names = Self::with_capacity(0, 0);
        let mut seen = BTreeSet::new();
        for word in words {
            if !is_valid_name(word) {
                return Err(InvalidName::Malformed(word.chars().take(64).collect()));
            }
            if !seen.insert(word) {
                return Err(InvalidName::Repeated(word.to_owned()));
            }
            names.push(word);
        }
        Ok(names)
    }

    /// Creates an empty list with capacity for `len` names of `bytes` bytes in total.
    pub fn with_capacity(len: usize, bytes: usize) -> Self {
        Self(Kept::Words { text: String::with_capacity(bytes), ends: Vec::with_capacity(len) })
    }

    /// Appends a name, which must be valid and different from all others.
    ///
    /// # Panics
    /// Panics beyond 4 GiB of names.
    #[inline]
    pub fn push(&mut self, word: &str) {
        match &mut self.0 {
            Kept::Numbers(len) => *len += 1,
            Kept::Words { text, ends } => {
                text.push_str(word);
                ends.push(u32::try_from(text.len()).expect("a file has fewer than 2^32 bytes"));
            }
        }
    }

    /// Returns the number of names.
    pub fn len(&self) -> usize {
        match &self.0 {
            Kept::Numbers(len) => *len as usize,
            Kept::Words { ends, .. } => ends.len(),
        }
    }

    /// Returns true if there are no names.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the name of an argument.
    ///
    /// # Panics
    /// Panics if there is no such argument.
    pub fn name(&self, argument: u32) -> Cow<'_, str> {
        match &self.0 {
            Kept::Numbers(len) => {
                assert!(argument < *len, "argument {argument} of {len}");
                Cow::Owned((argument + 1).to_string())
            }
            Kept::Words { text, ends } => {
                let place = argument as usize;
                let start = if place == 0 { 0 } else { ends[place - 1] as usize };
                Cow::Borrowed(&text[start..ends[place] as usize])
            }
        }
    }

    /// Returns all names, in order.
    pub fn iter(&self) -> impl Iterator<Item = Cow<'_, str>> {
        (0..u32::try_from(self.len()).expect("arguments are counted in 32 bits")).map(|argument| self.name(argument))
    }

    /// Returns the argument with a name. Linear, so not meant to be called for every name.
    pub fn find(&self, name: &str) -> Option<u32> {
        match &self.0 {
            Kept::Numbers(len) => {
                let number: u32 = name.parse().ok().filter(|number| (1..=*len).contains(number))?;
                (number.to_string() == name).then_some(number - 1)
            }
            Kept::Words { .. } => (0..).zip(self.iter()).find(|(_, known)| known == name).map(|(argument, _)| argument),
        }
    }
}

/// Returns true if a text is a valid name.
pub fn is_valid_name(name: &str) -> bool {
    !name.is_empty() && name.len() <= MAX_NAME_BYTES && !name.chars().any(char::is_control)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_arguments_are_mapped_both_ways() {
        fn check(names: &ArgumentNames, expected: &[&str], strangers: &[&str]) {
            assert_eq!(names.iter().collect::<Vec<_>>(), expected);
            assert_eq!((names.len(), names.is_empty()), (expected.len(), expected.is_empty()));
            for (argument, name) in (0..).zip(expected) {
                assert_eq!((names.name(argument).as_ref(), names.find(name)), (*name, Some(argument)));
            }
            strangers.iter().for_each(|stranger| assert_eq!(names.find(stranger), None, "{stranger:?}"));
        }
        check(&ArgumentNames::numbers(0), &[], &["0", "1", ""]);
        check(&ArgumentNames::numbers(3), &["1", "2", "3"], &["0", "4", "01", "+1", "", "a"]);
        check(&ArgumentNames::from_words([]).unwrap(), &[], &["", "1"]);
        check(&ArgumentNames::from_words(["b", "a", "ä b"]).unwrap(), &["b", "a", "ä b"], &["", "ab", "ba"]);
    }

    #[test]
    fn invalid_names_are_refused() {
        let long = "x".repeat(MAX_NAME_BYTES + 1);
        for name in ["", "a\nb", "\u{1b}[2J", "\u{9b}", &long] {
            let told = ArgumentNames::from_words(["a", name]).map_err(|error| error.to_string());
            assert!(told.as_ref().is_err_and(|message| message.contains("invalid name")), "{told:?}");
        }
        assert!(ArgumentNames::from_words([&long[1..]]).is_ok());
        assert_eq!(ArgumentNames::from_words(["a", "b", "a"]), Err(InvalidName::Repeated("a".to_owned())));
    }
}
