//! Assembles the exact text of one attempt at an effect.
//!
//! Passages are foreign text. They go into the prompt, never into the instructions, between two delimiter lines with a
//! nonce that the text cannot guess. Anything in them that looks like the delimiter or a passage heading, and all
//! invisible text, is removed. This reduces the success rate of prompt injections but does not prevent them; suspicious
//! passages are recorded in the log.
//!
//! Words of other speakers stand between delimiters too ([`foreign_text`](crate::kernel::safety::foreign_text)). Their
//! nonce is that of the debate, so that a provider which has read the talk before recognizes it: a text of others cannot
//! contain a delimiter, even if its author knows the nonce. That of passages is drawn for each call.

use std::collections::BTreeSet;
use std::fmt::Write;

use sha2::{Digest, Sha256};

use crate::events::event::Event;
use crate::events::receipt::{EffectRequested, InjectionSuspected, SearchResult, SuspectPassage};
use crate::kernel::effect::{Effect, EffectAttempt, PassageScope, Recalled, Search, SuppliedPassage};
use crate::kernel::prompt::{PromptTemplates, in_own_part};
use crate::kernel::safety::foreign_text::{CUT, FENCE, seal, squeezed, without_names};
use crate::kernel::safety::injection_scan::scan;
use crate::kernel::safety::sanitize::visible_chars;
use crate::kernel::schema;

const WORDS: PromptTemplates = PromptTemplates(include_str!("../kernel.md"));

/// Maximum number of bytes of a passage shown in a prompt; longer ones end with [`CUT`].
pub const MAX_PASSAGE_BYTES: usize = 4_000;
/// Maximum number of bytes of a passage's title shown in a prompt.
pub const MAX_TITLE_BYTES: usize = 200;

/// Assembles one attempt at an effect: prompt, passages, and the reason why the last reply was not used, in words for the
/// model. The schema allows citations of these passages only.
pub fn assemble(
    effect: &Effect,
    attempt: u32,
    recalled: impl Into<Recalled>,
    reason: Option<&str>,
    seed: u64,
) -> EffectAttempt {
    let supplied = Supplied::of(recalled.into());
    let mut prompt = effect.prompt.clone();
    let aliases: Vec<String> = supplied.all().map(|passage| passage.ground.alias.clone()).collect();
    prompt.schema = schema::closed(prompt.schema, &[("passages", aliases.clone()), ("passage", aliases)]);
    let sections = supplied.sections(effect, &nonce(effect, attempt, seed));
    if !sections.is_empty() {
        prompt.text = in_own_part(&prompt.text, &sections.join("\n\n"));
    }
    if prompt.text.contains(FENCE) {
        let mark = mark(&format!("{seed}"));
        prompt.text = seal(&prompt.text, &mark);
        prompt.system = format!("{}\n\n{}", prompt.system, WORDS.fill("quoted", &[("mark", &mark)]));
    }
    if let Some(reason) = reason {
        prompt.text = format!("{}\n\n{}", prompt.text, WORDS.fill("again", &[("reason", reason)]));
    }
    EffectAttempt {
        key: effect.key.clone(),
        attempt,
        tier: effect.tier,
        model: None,
        is_after_repetition: false,
        prompt,
        search: supplied.search_result(),
        grounds: supplied.all().cloned().collect(),
        auditor: None,
    }
}

/// Passages of an attempt, by their origin, each once and with its alias.
struct Supplied {
    own: Vec<SuppliedPassage>,
    shared: Vec<SuppliedPassage>,
    found: Vec<SuppliedPassage>,
    search: Option<Search>,
}

impl Supplied {
    /// Names the passages in order. One that was found again by another query is kept where it comes first.
    fn of(recalled: Recalled) -> Supplied {
        let Recalled { own, shared, mut search } = recalled;
        let found = search.as_mut().and_then(|search| search.found.as_mut().ok()).map(std::mem::take);
        let (mut known, mut n) = (BTreeSet::new(), 0);
        let mut named = |mut passages: Vec<SuppliedPassage>| {
            passages.retain(|passage| !known.contains(&passage.ground.chunk));
            for passage in &mut passages {
                n += 1;
                passage.ground.alias = format!("g{n}");
                known.insert(passage.ground.chunk);
            }
            passages
        };
        let (own, shared) = (named(own), named(shared));
        Supplied { own, shared, found: named(found.unwrap_or_default()), search }
    }

    fn all(&self) -> impl Iterator<Item = &SuppliedPassage> {
        self.own.iter().chain(&self.shared).chain(&self.found)
    }

    /// Returns the parts of the prompt that show the passages, and what became of a search.
    fn sections(&self, effect: &Effect, nonce: &str) -> Vec<String> {
        let is_evidence =
            effect.ground.as_ref().is_some_and(|query| matches!(query.scope, PassageScope::Evidence { .. }));
        let own = if is_evidence { "evidence" } else { "grounds" };
        let shown = |section: &str, passages: &[SuppliedPassage]| {
            let told = || WORDS.fill(section, &[("nonce", nonce), ("passages", &tell(passages))]);
            (!passages.is_empty()).then(told)
        };
        let searched = self.search.as_ref().map(|search| {
            let query = in_line(&harmless(&search.query, MAX_TITLE_BYTES));
            match (&search.found, self.found.is_empty()) {
                (Err(_), _) => WORDS.fill("search_failed", &[("query", &query)]),
                (Ok(_), true) => WORDS.fill("nothing_found", &[("query", &query)]),
                (Ok(_), false) => {
                    let told = tell(&self.found);
                    WORDS.fill("found", &[("query", &query), ("nonce", nonce), ("passages", &told)])
                }
            }
        });
        [shown(own, &self.own), shown("shared", &self.shared), searched].into_iter().flatten().collect()
    }

    fn search_result(&self) -> Option<SearchResult> {
        let search = self.search.as_ref()?;
        Some(SearchResult {
            query: search.query.clone(),
            by: search.by.clone(),
            found: self.found.iter().map(|passage| passage.ground.alias.clone()).collect(),
            failure: search.found.as_ref().err().cloned(),
        })
    }
}

/// Derives a nonce that no passage's author can know: a hash of the debate's seed, the effect key and the attempt.
fn nonce(effect: &Effect, attempt: u32, seed: u64) -> String {
    mark(&format!("{seed}/{}/{attempt}", effect.key))
}

/// Derives a delimiter: two tildes and sixteen digits.
fn mark(source: &str) -> String {
    let digest = Sha256::digest(source);
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
    let letters = visible_chars(text).into_iter().map(|character| character.letter);
    let shown: String = letters.filter(|letter| !letter.is_control() || matches!(letter, '\n' | '\t')).collect();
    let shown = squeezed(&shown);
    if shown.len() <= most {
        return without_names(&shown);
    }
    format!("{}{CUT}", without_names(&shown[..shown.floor_char_boundary(most)]))
}

fn in_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Creates the event to append before the call.
pub fn requested(ask: &EffectAttempt) -> Event {
    Event::EffectRequested(EffectRequested {
        key: ask.key.clone(),
        attempt: ask.attempt,
        tier: ask.tier,
        system: ask.prompt.system.clone(),
        prompt: ask.prompt.joined(),
        grounds: ask.grounds.iter().map(|passage| passage.ground.clone()).collect(),
        search: ask.search.clone(),
    })
}

/// Creates the event that reports the supplied passages which seem to address a model; `None` if there are none.
pub fn suspected(ask: &EffectAttempt) -> Option<Event> {
    let (key, attempt, passages) = (ask.key.clone(), ask.attempt, suspect_passages(ask));
    (!passages.is_empty()).then_some(Event::InjectionSuspected(InjectionSuspected { key, attempt, passages }))
}

/// Returns the supplied passages that seem to address a model, with the reasons.
pub fn suspect_passages(ask: &EffectAttempt) -> Vec<SuspectPassage> {
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
