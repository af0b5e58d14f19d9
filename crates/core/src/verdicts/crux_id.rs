//! Ids of cruxes. They are made from the content of a crux, not from its rank, so that it keeps its id when the debate
//! continues.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest, Sha256};

use crate::events::ids::{CruxId, DebateId, DisputeId};

/// Bytes of a statement's digest in a key. Among a thousand statements of one debate, two share a key about once in
/// some hundred million debates.
const DIGEST_BYTES: usize = 6;

/// Id of a crux within its debate.
///
/// Displayed as the id of the dispute or of the proposed crux, or as `s` and twelve hexadecimal digits. The level of a
/// statement is not part of it: a premise of one argument that becomes an assumption of another is the same statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CruxKey {
    /// Open dispute.
    Dispute(DisputeId),
    /// Crux that participants agreed on.
    Proposal(CruxId),
    /// Statement, or inference to it, by the digest of its text.
    Statement([u8; DIGEST_BYTES]),
}

impl CruxKey {
    /// Key of a statement. Ignores white space, case and a final full stop.
    pub fn of_statement(text: &str) -> CruxKey {
        CruxKey::of_text(&normal(text))
    }

    /// Key of the inference to a claim: whether it follows is another question than whether it is true.
    pub fn of_inference(claim: &str) -> CruxKey {
        // No normal text contains a line break.
        CruxKey::of_text(&format!("inference\n{}", normal(claim)))
    }

    fn of_text(text: &str) -> CruxKey {
        let digest = Sha256::digest(text);
        let mut key = [0; DIGEST_BYTES];
        key.copy_from_slice(&digest[..DIGEST_BYTES]);
        CruxKey::Statement(key)
    }
}

impl fmt::Display for CruxKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CruxKey::Dispute(dispute) => dispute.fmt(f),
            CruxKey::Proposal(crux) => crux.fmt(f),
            CruxKey::Statement(digest) => {
                f.write_str("s")?;
                digest.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
            }
        }
    }
}

/// Error for an invalid crux id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("invalid crux id; expected an id such as 0199c8a4-5a7e-7cc1-b5d4-6c1d2f3e4a5b:s0f3a9c1b2d4e")]
pub struct ParseCruxIdError;

impl FromStr for CruxKey {
    type Err = ParseCruxIdError;

    fn from_str(text: &str) -> Result<Self, ParseCruxIdError> {
        let Some(digits) = text.strip_prefix('s') else {
            let dispute = text.parse().map(CruxKey::Dispute);
            return dispute.or_else(|_| text.parse().map(CruxKey::Proposal)).map_err(|_| ParseCruxIdError);
        };
        let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        if digits.len() != 2 * DIGEST_BYTES || !digits.bytes().all(is_digit) {
            return Err(ParseCruxIdError);
        }
        let mut key = [0; DIGEST_BYTES];
        for (place, byte) in key.iter_mut().enumerate() {
            *byte = u8::from_str_radix(&digits[2 * place..2 * place + 2], 16).map_err(|_| ParseCruxIdError)?;
        }
        Ok(CruxKey::Statement(key))
    }
}

impl Serialize for CruxKey {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for CruxKey {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

/// Id of a crux among all debates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GlobalCruxId {
    /// Id of the debate.
    pub debate: DebateId,
    /// Key within the debate.
    pub key: CruxKey,
}

impl fmt::Display for GlobalCruxId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.debate, self.key)
    }
}

impl FromStr for GlobalCruxId {
    type Err = ParseCruxIdError;

    fn from_str(text: &str) -> Result<Self, ParseCruxIdError> {
        let (debate, key) = text.split_once(':').ok_or(ParseCruxIdError)?;
        Ok(GlobalCruxId { debate: debate.parse().map_err(|_| ParseCruxIdError)?, key: key.parse()? })
    }
}

/// Normal form of a statement, for comparison: lower case, single blanks, no final full stop.
pub fn normal(text: &str) -> String {
    let mut form = if text.is_ascii() { normal_ascii(text) } else { normal_words(text) };
    form.truncate(form.trim_end_matches('.').len());
    form
}

/// Texts in lower case with single blanks, letter by letter: most texts are ASCII, and a verdict compares many. Most have single
/// blanks already, which is found out many letters at a time.
fn normal_ascii(text: &str) -> String {
    let bare = text.trim();
    let pairs = bare.as_bytes().iter().zip(bare.as_bytes().get(1..).unwrap_or_default());
    let is_odd = |(one, next): (&u8, &u8)| next.wrapping_sub(b'\t') < 5 || (*one == b' ') & (*next == b' ');
    if !pairs.fold(false, |any, pair| any | is_odd(pair)) {
        return bare.to_ascii_lowercase();
    }
    let mut form = String::with_capacity(text.len());
    let mut is_blank_due = false;
    for letter in text.chars() {
        if letter.is_whitespace() {
            is_blank_due = !form.is_empty();
            continue;
        }
        if is_blank_due {
            form.push(' ');
            is_blank_due = false;
        }
        form.push(letter.to_ascii_lowercase());
    }
    form
}

/// Texts in lower case with single blanks, word by word, since the lower case of a letter may depend on its word.
fn normal_words(text: &str) -> String {
    let mut form = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !form.is_empty() {
            form.push(' ');
        }
        form.push_str(&word.to_lowercase());
    }
    form
}

/// Returns true if a text has this normal form. Texts that differ mostly do so in their first words, which are compared
/// without a copy: a verdict compares every part of every argument with every crux.
pub fn is_normally(text: &str, form: &str) -> bool {
    let first = |text: &str| text.bytes().find(|byte| !byte.is_ascii_whitespace());
    if let (Some(one), Some(other)) = (first(text), first(form))
        && one.is_ascii_alphanumeric()
        && other.is_ascii_alphanumeric()
        && !one.eq_ignore_ascii_case(&other)
    {
        return false;
    }
    let bare = |word: &str| word.trim_end_matches('.').len();
    let may_equal = |(word, wanted): (&str, &str)| {
        !word.is_ascii() || word[..bare(word)].eq_ignore_ascii_case(&wanted[..bare(wanted)])
    };
    text.split_whitespace().zip(form.split(' ')).all(may_equal) && normal(text) == form
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_has_its_own_normal_form_and_no_other() {
        let texts =
            ["Crews are scarce.", " crews  ARE\nscarce", "Crews", "crews ...", "", ".", "ÄRGER ist teuer.", "Ärger"];
        for one in texts {
            for other in texts {
                assert_eq!(is_normally(one, &normal(other)), normal(one) == normal(other), "{one:?} {other:?}");
            }
        }
    }

    #[test]
    fn ascii_and_other_texts_have_the_same_normal_form() {
        for text in [
            "Crews  are\tscarce. ",
            "  A b",
            "",
            "A",
            " . . ",
            "x\u{b}Y\u{c}z",
            "ends...",
            "\u{1c}a",
            "a \nB",
            "a\r\nB",
            " A b C ",
        ] {
            assert_eq!(normal_ascii(text), normal_words(text), "{text:?}");
        }
    }

    #[test]
    fn equal_statements_have_the_same_key() {
        let check = |one: &str, other: &str, same: bool| {
            assert_eq!(CruxKey::of_statement(one) == CruxKey::of_statement(other), same, "{one:?} {other:?}");
        };
        check("Crews are scarce.", " crews  ARE\nscarce", true);
        check("Crews are scarce", "Crews are many", false);
        check("Crews are scarce", "Crews are scarce?", false);
        check("", " . ", true);
    }

    #[test]
    fn crux_ids_survive_a_round_trip() {
        let debate = "0199c8a4-5a7e-7cc1-b5d4-6c1d2f3e4a5b";
        for key in
            [CruxKey::Dispute(DisputeId(3)), CruxKey::Proposal(CruxId(2)), CruxKey::of_statement("Crews are scarce.")]
        {
            let id = GlobalCruxId { debate: debate.parse().expect("a debate"), key };
            assert_eq!(id.to_string().parse(), Ok(id));
        }
        let long = format!("{debate}:s{}", "0".repeat(13));
        let wrong = ["", ":", debate, "x:d1", &format!("{debate}:1"), &format!("{debate}:s12"), &long];
        for text in wrong.into_iter().chain([&*format!("{debate}:s00000000000G"), &*format!("{debate}:sé0000000000")])
        {
            assert_eq!(text.parse::<GlobalCruxId>(), Err(ParseCruxIdError), "{text}");
        }
    }
}
