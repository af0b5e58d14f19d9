//! Interner that numbers the names of a file in the order of their first occurrence.

use std::collections::HashMap;

/// Location of a name in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NameSpan {
    /// Index of the first byte.
    pub start: u32,
    /// Length in bytes.
    pub len: u32,
}

impl NameSpan {
    /// Creates a span of `len` bytes from `start`.
    ///
    /// # Panics
    /// Panics beyond 4 GiB, which no file reaches.
    #[inline]
    pub fn new(start: usize, len: usize) -> Self {
        let fits = |number: usize| u32::try_from(number).expect("a file has fewer than 2^32 bytes");
        Self { start: fits(start), len: fits(len) }
    }

    /// Returns the bytes of the name.
    #[inline]
    pub fn of(self, bytes: &[u8]) -> &[u8] {
        &bytes[self.start as usize..(self.start + self.len) as usize]
    }
}

/// Numbers of the names of a file.
///
/// Most files name their arguments `a1`, `a2` and so on, or `1`, `2`: such names are looked up by their number in a
/// table, which suits the processor caches. All others are hashed with a random key per process, so that no file can be
/// made to cause collisions.
#[derive(Debug)]
pub struct Interner<'a> {
    bytes: &'a [u8],
    spans: Vec<NameSpan>,
    /// Part of the first name before its number. `None` before the first name.
    prefix: Option<&'a [u8]>,
    /// Number of the name for each suffix below [`Interner::numbers`], counted from 1; 0 if there is none yet.
    numbered: Vec<u32>,
    /// First suffix that is too large for the table: the number of bytes of the file.
    numbers: usize,
    others: HashMap<&'a [u8], u32>,
}

/// Maximum number of digits of a suffix in the table.
const MAX_DIGITS: usize = 9;

enum Key<'a> {
    Number(usize),
    Word(&'a [u8]),
}

impl<'a> Interner<'a> {
    /// Creates an empty interner for the names of a file.
    pub fn new(bytes: &'a [u8]) -> Self {
        let (spans, numbered, others) = (Vec::new(), Vec::new(), HashMap::new());
        Self { bytes, spans, prefix: None, numbered, numbers: bytes.len(), others }
    }

    /// Returns the first location of every name, in the order of first occurrence.
    pub fn into_spans(self) -> Vec<NameSpan> {
        self.spans
    }

    /// Returns the number of names.
    pub fn len(&self) -> usize {
        self.spans.len()
    }

    /// Returns true if there are no names.
    pub fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }

    /// Returns the number of a name; `None` if it has not occurred.
    #[inline]
    pub fn find(&self, span: NameSpan) -> Option<u32> {
        match self.key(span.of(self.bytes)) {
            Key::Number(number) => self.numbered.get(number)?.checked_sub(1),
            Key::Word(word) => self.others.get(word).copied(),
        }
    }

    /// Returns the number of a name, from 0. A new name gets the next number.
    #[inline]
    pub fn intern(&mut self, span: NameSpan) -> u32 {
        if let Some(number) = self.find(span) {
            return number;
        }
        let name = span.of(self.bytes);
        self.prefix.get_or_insert_with(|| before_digits(name));
        let place = u32::try_from(self.spans.len()).expect("a file has fewer than 2^32 bytes");
        self.spans.push(span);
        match self.key(name) {
            Key::Number(number) => {
                if number >= self.numbered.len() {
                    self.numbered.resize((number + 1).next_power_of_two(), 0);
                }
                self.numbered[number] = place + 1;
            }
            Key::Word(word) => {
                self.others.insert(word, place);
            }
        }
        place
    }

    #[inline]
    fn key(&self, name: &'a [u8]) -> Key<'a> {
        let Some(prefix) = self.prefix.filter(|prefix| begins(name, prefix)) else {
            return Key::Word(name);
        };
        let digits = &name[prefix.len()..];
        let is_plain = (1..=MAX_DIGITS).contains(&digits.len()) && (digits[0] != b'0' || digits.len() == 1);
        if !is_plain {
            return Key::Word(name);
        }
        let mut number = 0;
        for digit in digits {
            if !digit.is_ascii_digit() {
                return Key::Word(name);
            }
            number = 10 * number + usize::from(digit - b'0');
        }
        if number < self.numbers { Key::Number(number) } else { Key::Word(name) }
    }
}

/// Returns true if a name begins with a prefix. The prefix is a few bytes long, so it is compared in place.
#[inline]
fn begins(name: &[u8], prefix: &[u8]) -> bool {
    name.len() >= prefix.len() && name.iter().zip(prefix).all(|(a, b)| a == b)
}

/// Returns the part of a name before the digits at its end.
fn before_digits(name: &[u8]) -> &[u8] {
    let digits = name.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    &name[..name.len() - digits]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_numbered_once() {
        let words: Vec<String> = (0..2_000).map(|number| "x".repeat(number % 12) + &number.to_string()).collect();
        let text = words.concat();
        let mut start = 0;
        let spans: Vec<NameSpan> = words
            .iter()
            .map(|word| {
                let span = NameSpan { start, len: u32::try_from(word.len()).unwrap() };
                start += span.len;
                span
            })
            .collect();
        let mut interner = Interner::new(text.as_bytes());
        assert!(interner.is_empty());
        for (number, span) in (0..).zip(&spans) {
            assert_eq!(interner.find(*span), None);
            assert_eq!(interner.intern(*span), number);
        }
        for (number, span) in (0..).zip(&spans) {
            assert_eq!((interner.find(*span), interner.intern(*span)), (Some(number), number));
        }
        assert_eq!(interner.len(), words.len());
        assert_eq!(interner.into_spans(), spans);
    }
}
