//! Assembles the exact text of one attempt at an effect.
//!
//! Passages are foreign text. They go into the prompt, never into the instructions, between two delimiter lines with a
//! nonce that the text cannot guess. Anything in them that looks like the delimiter or a passage heading, and all
//! invisible text, is removed. This reduces the success rate of prompt injections but does not prevent them; suspicious
//! passages are recorded in the log.

use std::fmt::Write;

use sha2::{Digest, Sha256};

use crate::events::receipt::{Failure, SuspectPassage};
use crate::kernel::effect::{Effect, EffectAttempt, SuppliedPassage};
use crate::kernel::prompt::PromptTemplates;
use crate::kernel::safety::injection_scan::scan;
use crate::kernel::safety::sanitize::visible_chars;
use crate::kernel::schema;

const WORDS: PromptTemplates = PromptTemplates(include_str!("kernel.md"));

/// Maximum number of bytes of a passage shown in a prompt; longer ones end with [`CUT`].
pub const MAX_PASSAGE_BYTES: usize = 4_000;
/// Maximum number of bytes of a passage's title shown in a prompt.
pub const MAX_TITLE_BYTES: usize = 200;
/// Marker at the end of a shortened text.
pub const CUT: &str = " […]";

/// Assembles one attempt at an effect: prompt, passages, and the reason why the last reply was unreadable. The schema
/// allows citations of these passages only.
pub fn assemble(
    effect: &Effect,
    attempt: u32,
    mut passages: Vec<SuppliedPassage>,
    unreadable: Option<&Failure>,
    seed: u64,
) -> EffectAttempt {
    for (index, passage) in passages.iter_mut().enumerate() {
        passage.ground.alias = format!("g{}", index + 1);
    }
    let mut prompt = effect.prompt.clone();
    let aliases: Vec<String> = passages.iter().map(|passage| passage.ground.alias.clone()).collect();
    prompt.schema = schema::closed(prompt.schema, &[("passages", aliases.clone()), ("passage", aliases)]);
    if !passages.is_empty() {
        let nonce = nonce(effect, attempt, seed);
        let told = tell(&passages);
        prompt.text =
            format!("{}\n\n{}", WORDS.fill("grounds", &[("nonce", &nonce), ("passages", &told)]), prompt.text);
    }
    if let Some(failure) = unreadable {
        let reason = failure.message.chars().take(600).collect::<String>();
        prompt.text = format!("{}\n\n{}", prompt.text, WORDS.fill("again", &[("reason", &reason)]));
    }
    EffectAttempt { key: effect.key.clone(), attempt, tier: effect.tier, prompt, grounds: passages, auditor: None }
}

/// Derives a nonce that no passage's author can know: a hash of the debate's seed, the effect key and the attempt.
fn nonce(effect: &Effect, attempt: u32, seed: u64) -> String {
    let digest = Sha256::digest(format!("{seed}/{}/{attempt}", effect.key));
    digest.iter().take(8).fold(String::from("~~"), |mut mark, byte| {
        let _ = write!(mark, "{byte:02x}");
        mark
    })
}

fn tell(passages: &[SuppliedPassage]) -> String {
    let mut told = String::new();
    for passage in passages {
        let _ = writeln!(
            told,
            "[{}] from \"{}\"",
            passage.ground.alias,
            in_line(&harmless(&passage.title, MAX_TITLE_BYTES))
        );
        let _ = writeln!(told, "{}\n", harmless(&passage.text, MAX_PASSAGE_BYTES));
    }
    told.trim_end().to_owned()
}

/// Sanitizes foreign text for a prompt. Keeps only visible text; no two tildes remain adjacent, so the delimiter cannot
/// occur, and no passage alias remains in brackets.
fn harmless(text: &str, most: usize) -> String {
    let mut shown = String::new();
    let letters = visible_chars(text).into_iter().map(|character| character.letter);
    for letter in letters.filter(|letter| !letter.is_control() || matches!(letter, '\n' | '\t')) {
        if shown.len() + letter.len_utf8() > most {
            return format!("{}{CUT}", nameless(&shown));
        }
        let repeated = is_tilde(letter) && shown.ends_with(is_tilde);
        if !repeated {
            shown.push(letter);
        }
    }
    nameless(&shown)
}

/// Returns true for characters that look like a tilde, of which the delimiter has two.
fn is_tilde(letter: char) -> bool {
    matches!(letter, '~' | '˜' | '∼' | '⁓' | '〜' | '～')
}

/// Replaces passage headings such as `[g1]` by `(g1)`.
fn nameless(text: &str) -> String {
    let mut told = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("[g") {
        let digits = after.bytes().take_while(u8::is_ascii_digit).count();
        told.push_str(before);
        let closed = digits > 0 && after[digits..].starts_with(']');
        if closed {
            let _ = write!(told, "(g{})", &after[..digits]);
        } else {
            told.push_str("[g");
        }
        rest = if closed { &after[digits + 1..] } else { after };
    }
    told.push_str(rest);
    told
}

fn in_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the supplied passages that seem to address a model, with the reasons.
pub fn suspected(ask: &EffectAttempt) -> Vec<SuspectPassage> {
    let suspect = |passage: &SuppliedPassage| {
        let suspicions: Vec<String> = [&passage.title, &passage.text]
            .into_iter()
            .flat_map(|text| scan(text))
            .map(|suspicion| suspicion.to_string())
            .collect();
        let told = || SuspectPassage {
            alias: passage.ground.alias.clone(),
            chunk: passage.ground.chunk,
            suspicions: suspicions.clone(),
        };
        (!suspicions.is_empty()).then(told)
    };
    ask.grounds.iter().filter_map(suspect).collect()
}
