//! Names in a file, each numbered when it is first met.

use std::collections::HashMap;

/// Where a name stands: from this byte, and how many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// Its first byte.
    pub start: u32,
    /// How many bytes it has.
    pub len: u32,
}

impl Span {
    /// From this byte on, so many.
    ///
    /// # Panics
    /// Beyond 4 GiB, which no file has.
    #[inline]
    pub fn new(start: usize, len: usize) -> Self {
        let fits = |it: usize| u32::try_from(it).expect("a file has fewer bytes than that");
        Self { start: fits(start), len: fits(len) }
    }

    /// The name itself.
    #[inline]
    pub fn of(self, bytes: &[u8]) -> &[u8] {
        &bytes[self.start as usize..(self.start + self.len) as usize]
    }
}

/// Names, by what they are.
///
/// Most files call their arguments `a1`, `a2` and so on, or `1`, `2`: such names are found by their number, in a table
/// that the processor keeps near. All others are hashed, with a key of the process's own: no file can be made so that
/// they collide.
#[derive(Debug)]
pub struct Interner<'a> {
    bytes: &'a [u8],
    spans: Vec<Span>,
    /// What the first name has before its number. `None` before there is a name.
    prefix: Option<&'a [u8]>,
    /// For each number below [`Interner::numbers`] the place of its name, counted from 1; 0 where there is none yet.
    numbered: Vec<u32>,
    /// The first number that is too large for the table: no more than the file has bytes.
    numbers: usize,
    others: HashMap<&'a [u8], u32>,
}

/// The most digits of a number in the table.
const MAX_DIGITS: usize = 9;

enum Key<'a> {
    Number(usize),
    Word(&'a [u8]),
}

impl<'a> Interner<'a> {
    /// An empty one for the names of a file.
    pub fn new(bytes: &'a [u8]) -> Self {
        let (spans, numbered, others) = (Vec::new(), Vec::new(), HashMap::new());
        Self { bytes, spans, prefix: None, numbered, numbers: bytes.len(), others }
    }

    /// Every name's first place, in the order in which they were met.
    pub fn into_spans(self) -> Vec<Span> {
        self.spans
    }

    /// How many names there are.
    pub fn len(&self) -> usize {
        self.spans.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }

    /// The number of a name that was met before.
    #[inline]
    pub fn find(&self, span: Span) -> Option<u32> {
        match self.key(span.of(self.bytes)) {
            Key::Number(number) => self.numbered.get(number)?.checked_sub(1),
            Key::Word(word) => self.others.get(word).copied(),
        }
    }

    /// The number of a name, from 0: the next one where it was not met before.
    #[inline]
    pub fn intern(&mut self, span: Span) -> u32 {
        if let Some(number) = self.find(span) {
            return number;
        }
        let name = span.of(self.bytes);
        self.prefix.get_or_insert_with(|| before_digits(name));
        let place = u32::try_from(self.spans.len()).expect("a file has fewer bytes than that");
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
        let Some(prefix) = self.prefix.filter(|it| begins(name, it)) else {
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

/// Whether a name begins with this, which is a few bytes: compared in place.
#[inline]
fn begins(name: &[u8], prefix: &[u8]) -> bool {
    name.len() >= prefix.len() && name.iter().zip(prefix).all(|(a, b)| a == b)
}

/// What a name has before the digits at its end.
fn before_digits(name: &[u8]) -> &[u8] {
    let digits = name.iter().rev().take_while(|it| it.is_ascii_digit()).count();
    &name[..name.len() - digits]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_numbered_once() {
        let words: Vec<String> = (0..2_000).map(|it| "x".repeat(it % 12) + &it.to_string()).collect();
        let text = words.concat();
        let mut start = 0;
        let spans: Vec<Span> = words
            .iter()
            .map(|it| {
                let span = Span { start, len: u32::try_from(it.len()).unwrap() };
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
