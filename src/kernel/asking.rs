//! From an effect to the exact words of one attempt at it.
//!
//! Passages are somebody's text: they go between two lines that carry a mark which the text cannot guess, and nothing in
//! them that looks like the mark, or that hides, survives.

use std::fmt::Write;

use sha2::{Digest, Sha256};

use crate::events::receipt::Failure;
use crate::kernel::effect::{Ask, Effect, Passage};
use crate::kernel::prompt::Words;

const WORDS: Words = Words(include_str!("kernel.md"));

/// The most bytes of one passage that a prompt shows.
pub const MAX_PASSAGE_BYTES: usize = 4_000;

/// One attempt at an effect.
pub fn lay_out(
    effect: &Effect,
    attempt: u32,
    mut passages: Vec<Passage>,
    unreadable: Option<&Failure>,
    seed: u64,
) -> Ask {
    for (index, passage) in passages.iter_mut().enumerate() {
        passage.ground.alias = format!("g{}", index + 1);
    }
    let mut prompt = effect.prompt.clone();
    if !passages.is_empty() {
        let nonce = nonce(effect, attempt, seed);
        let told = tell(&passages, &nonce);
        prompt.text =
            format!("{}\n\n{}", WORDS.fill("grounds", &[("nonce", &nonce), ("passages", &told)]), prompt.text);
    }
    if let Some(failure) = unreadable {
        let reason = failure.message.chars().take(600).collect::<String>();
        prompt.text = format!("{}\n\n{}", prompt.text, WORDS.fill("again", &[("reason", &reason)]));
    }
    Ask { key: effect.key.clone(), attempt, tier: effect.tier, prompt, grounds: passages }
}

/// A mark that no author of a passage can know: it hangs on the debate's seed and on the question.
fn nonce(effect: &Effect, attempt: u32, seed: u64) -> String {
    let digest = Sha256::digest(format!("{seed}/{}/{attempt}", effect.key));
    digest.iter().take(8).fold(String::from("~~"), |mut mark, byte| {
        let _ = write!(mark, "{byte:02x}");
        mark
    })
}

fn tell(passages: &[Passage], nonce: &str) -> String {
    let mut told = String::new();
    for passage in passages {
        let _ = writeln!(told, "[{}] from \"{}\"", passage.ground.alias, harmless(&passage.title, nonce));
        let _ = writeln!(told, "{}\n", harmless(&passage.text, nonce));
    }
    told.trim_end().to_owned()
}

/// A text without what hides (controls, zero-width and direction marks) and without the mark.
fn harmless(text: &str, nonce: &str) -> String {
    let hidden = |it: char| {
        (it.is_control() && it != '\n' && it != '\t')
            || matches!(it, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
    };
    let mut end = text.len().min(MAX_PASSAGE_BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text[..end].chars().filter(|it| !hidden(*it)).collect::<String>().replace(nonce, "")
}
