//! Decodes extracted claims and the results of their checks into events.

use crate::engines::pro_con::schema::{CheckReply, ClaimsReply};
use crate::engines::shared::view_prompts;
use crate::engines::talk::copied_words::named;
use crate::engines::talk::replies::decode;
use crate::events::checks::check::{CheckVerdict, ClaimChecked, EvidenceSource};
use crate::events::checks::claims::{ClaimsExtracted, ExtractedClaim};
use crate::events::event::Event;
use crate::events::ids::{CheckId, DraftId, PersonaId, TurnId};
use crate::events::receipt::PassageRef;
use crate::kernel::engine::EngineReply;
use crate::kernel::quotations::turn_quotes;
use crate::kernel::quotations::turn_quotes::MAX_QUOTE_BYTES;
use crate::kernel::reply::Unreadable;
use crate::projections::fact_checks::{FactChecks, UncheckedClaim, is_same_claim};
use crate::questions::content_words::ContentWords;

/// Maximum number of characters of a claim or an explanation; longer ones are cut.
const MAX_CHARS: usize = 600;
/// Minimum share of the content words of a claim that its sentence contains.
const MIN_SHARED: f64 = 0.3;
/// Maximum number of sources of a check; an excess is left out.
const MAX_SOURCES: usize = 5;

/// Words under check: those of a turn, or of a draft.
#[derive(Clone, Copy, Debug)]
pub struct WordsToCheck<'a> {
    /// The turn; for a draft, the turn for which it was written.
    pub turn: TurnId,
    /// The draft, if the words are not said yet.
    pub draft: Option<DraftId>,
    /// The speaker.
    pub speaker: &'a PersonaId,
    /// The text.
    pub text: &'a str,
}

impl WordsToCheck<'_> {
    /// Returns the alias of the words in prompts: `t3` or `w1`.
    pub fn alias(&self) -> String {
        self.draft.map_or_else(|| self.turn.to_string(), |draft| draft.to_string())
    }

    /// Returns the names of the sentences.
    pub fn sentence_names(&self) -> Vec<String> {
        let n = turn_quotes::sentences(self.text).len();
        (1..=n).map(|number| format!("{}.{number}", self.alias())).collect()
    }

    fn sentence(&self, name: &str) -> Option<String> {
        let (alias, number) = name.trim().trim_matches(['[', ']']).split_once('.')?;
        let words = turn_quotes::sentence(self.text, number.parse().ok()?);
        words.filter(|_| alias == self.alias())
    }
}

/// Decodes an extraction: at most `most` claims, each a sentence of the words. A claim that was checked before takes over the
/// result.
pub fn extracted(words: WordsToCheck, checks: &FactChecks, most: usize, reply: ClaimsReply) -> Event {
    let (mut claims, mut refused): (Vec<ExtractedClaim>, Vec<String>) = (Vec::new(), Vec::new());
    let mut next = checks.next_check();
    for pointed in reply.claims {
        let Some(quote) = words.sentence(&pointed.sentence) else {
            let name = view_prompts::excerpt(&pointed.sentence);
            refused.push(format!("names {name}, which is not a sentence of {}", words.alias()));
            continue;
        };
        let wording = named(pointed.claim.as_deref());
        let fitting = wording.filter(|wording| is_wording_of(&quote, wording));
        if wording != fitting {
            let (name, wording) =
                (view_prompts::excerpt(&pointed.sentence), view_prompts::excerpt(wording.unwrap_or_default()));
            refused.push(format!("words {name} as {wording}, which says something else"));
        }
        let claim = fitting.map_or_else(|| quote.clone(), |claim| decode::cut(claim, MAX_CHARS));
        if quote.len() > MAX_QUOTE_BYTES {
            refused.push(format!(
                "names {}, which has more than {MAX_QUOTE_BYTES} bytes",
                view_prompts::excerpt(&pointed.sentence)
            ));
        } else if claims.iter().any(|known| is_same_claim(&known.claim, &claim)) {
            refused.push(format!("names {} twice", view_prompts::excerpt(&pointed.sentence)));
        } else if claims.len() == most {
            refused.push(format!("names more than {most} claims"));
            break;
        } else {
            let same_as = checks.same_claim(&claim, words.speaker).map(|check| check.checked.check);
            claims.push(ExtractedClaim { check: next, quote, claim, same_as });
            next = CheckId(next.0 + 1);
        }
    }
    refused.truncate(decode::MAX_REFUSED);
    let (turn, draft, speaker) = (words.turn, words.draft, words.speaker.clone());
    Event::ClaimsExtracted(ClaimsExtracted { turn, draft, speaker, claims, refused })
}

/// Returns true if a wording may be one of a sentence, or of one of its facts: it has at least [`MIN_SHARED`] of its own content words
/// from the sentence. The others may be names that the sentence only refers to.
fn is_wording_of(sentence: &str, wording: &str) -> bool {
    let words = ContentWords::default();
    let (sentence, wording) = (words.of(sentence), words.of(wording));
    let shared = wording.intersection(&sentence).count();
    !wording.is_empty() && shared as f64 >= MIN_SHARED * wording.len() as f64
}

/// Decodes the result of a check. One that names no passage that was given, or quotes only words over [`MAX_QUOTE_BYTES`], decides
/// nothing; whether the passages contain the quoted words is checked when it is recorded.
///
/// # Errors
/// [`Unreadable`] if the explanation is empty.
pub fn checked(
    claim: &UncheckedClaim,
    check: CheckId,
    reply: CheckReply,
    given: &EngineReply,
) -> Result<Event, Unreadable> {
    let explanation = reply.explanation.trim();
    if explanation.is_empty() {
        return Err(Unreadable::because("the explanation is empty").advise("say how the passages bear on the claim"));
    }
    let sources = reply.sources.iter().filter_map(|quoted| {
        let alias = quoted.passage.trim().trim_matches(['[', ']']);
        let ground = given.grounds.iter().find(|ground| ground.alias == alias)?;
        let words = named(Some(&quoted.words)).filter(|words| words.len() <= MAX_QUOTE_BYTES)?;
        Some(source(ground, words))
    });
    let sources: Vec<EvidenceSource> = sources.take(MAX_SOURCES).collect();
    let is_web = |source: &EvidenceSource| source.address.is_some();
    let place = match (sources.iter().any(is_web), sources.iter().all(is_web)) {
        _ if sources.is_empty() => "",
        (true, true) => ", on web pages",
        (true, false) => ", on passages of the corpora and web pages",
        (false, _) => ", on passages of the corpora",
    };
    let verdict: CheckVerdict = reply.verdict.into();
    let mut checked = ClaimChecked {
        check,
        turn: claim.turn,
        draft: claim.draft,
        claim: claim.claim.claim.clone(),
        quote: Some(claim.claim.quote.clone()).filter(|quote| *quote != claim.claim.claim),
        verdict,
        by: format!("{}{place}", given.by),
        explanation: Some(decode::cut(explanation, MAX_CHARS)),
        confidence: reply.confidence.map(decode::unit),
        same_as: None,
        sources,
    };
    if checked.sources.is_empty() {
        checked.require_quotes();
    }
    Ok(Event::ClaimChecked(checked))
}

fn source(ground: &PassageRef, words: &str) -> EvidenceSource {
    let page = ground.page.as_ref();
    EvidenceSource {
        title: page.map_or_else(|| ground.alias.clone(), |page| page.title.clone()),
        address: page.map(|page| page.address.clone()),
        excerpt: Some(words.to_owned()),
        check: None,
        alias: Some(ground.alias.clone()),
        citation: view_prompts::citation(&ground.alias, std::slice::from_ref(ground)).filter(|_| page.is_none()),
    }
}

/// Takes over the result of an earlier check of the same claim.
pub fn taken_over(claim: &UncheckedClaim, earlier: &ClaimChecked) -> Event {
    Event::ClaimChecked(ClaimChecked {
        check: claim.claim.check,
        turn: claim.turn,
        draft: claim.draft,
        claim: claim.claim.claim.clone(),
        quote: Some(claim.claim.quote.clone()).filter(|quote| *quote != claim.claim.claim),
        same_as: Some(earlier.check),
        ..earlier.clone()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wording_shares_words_with_its_sentence() {
        let sentence = "My takings fell 19 percent this summer, and I do my own books.";
        assert!(is_wording_of(sentence, "Takings in the shop of Gus Ormerand fell 19 percent in the summer of 2022."));
        assert!(is_wording_of("Nine of them have papers.", "Nine sailors of the port have papers."));
        assert!(!is_wording_of(sentence, "the name of the sentence"));
        assert!(!is_wording_of(sentence, "The bus takes eleven minutes."));
        assert!(!is_wording_of(sentence, ""));
    }
}
