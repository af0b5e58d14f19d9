//! Validates fact checks in external events.

use crate::events::checks::check::{CheckVerdict, ClaimChecked, EvidenceSource, MAX_ADDRESS_BYTES, is_web_address};
use crate::events::citation::{Citation, Evidence, QuoteCheck};
use crate::events::event::Event;
use crate::events::receipt::WebPage;
use crate::kernel::engine::Refusal;
use crate::kernel::external::claims::check_count;
use crate::kernel::external::id_rules::{check_not_blank, drafted_for, missing, next, share};
use crate::kernel::quotations::quote_matching;
use crate::kernel::quotations::text_folding::FoldedText;
use crate::verdicts::read_model::DebateReadModel;

/// Maximum number of checks in an external debate.
pub const MAX_CHECKS: usize = 5_000;
/// Maximum number of sources of a check.
pub const MAX_SOURCES: usize = 20;

/// Checks whether a [`ClaimChecked`] event is consistent with the debate; accepts all other events.
///
/// # Errors
/// [`Refusal`] if the event is not.
pub fn check_fact_check(read_model: &DebateReadModel, event: &Event) -> Result<(), Refusal> {
    let Event::ClaimChecked(it) = event else { return Ok(()) };
    check_count("checks", read_model.fact_checks.checks.len(), MAX_CHECKS)?;
    // A claim that was extracted before brings its id.
    match read_model.fact_checks.unchecked.get(&it.check) {
        Some(known) if (known.draft, known.turn, &known.claim.claim) != (it.draft, it.turn, &it.claim) => {
            return Err(Refusal::invalid(format!("{} checks another claim: {:?}", it.check, known.claim.claim)));
        }
        Some(_) => {}
        None => next("check", &it.check, &read_model.fact_checks.next_check())?,
    }
    if let Some(same) = it.same_as.filter(|same| !read_model.fact_checks.checks.contains_key(same)) {
        return Err(missing("check", same));
    }
    quoted(read_model, it)?;
    check_not_blank("claim", &it.claim)?;
    check_not_blank("name of the checker", &it.by)?;
    it.explanation.iter().try_for_each(|explanation| check_not_blank("explanation", explanation))?;
    it.confidence.map_or(Ok(()), |confidence| share("confidence", confidence))?;
    found(it)
}

/// Checks that the quoted words occur in the turn.
fn quoted(read_model: &DebateReadModel, it: &ClaimChecked) -> Result<(), Refusal> {
    let text = match it.draft {
        Some(id) => {
            let draft = read_model.motion.drafts.get(&id).ok_or_else(|| missing("draft", id))?;
            drafted_for(draft, it.turn)?;
            &draft.drafted.turn.text
        }
        None => &read_model.transcript.get(it.turn).ok_or_else(|| missing("turn", it.turn))?.text,
    };
    let Some(quote) = &it.quote else { return Ok(()) };
    check_not_blank("quote", quote)?;
    match quote_matching::check(&FoldedText::of(quote), &FoldedText::of(text)).check {
        QuoteCheck::Verbatim | QuoteCheck::Abridged => Ok(()),
        QuoteCheck::Unverified => {
            let place = it.draft.map_or_else(|| it.turn.to_string(), |draft| draft.to_string());
            Err(Refusal::invalid(format!("the quote does not occur in {place}")))
        }
    }
}

fn found(it: &ClaimChecked) -> Result<(), Refusal> {
    let n = it.sources.len();
    if n > MAX_SOURCES {
        let reason = format!("a check has {n} sources; at most {MAX_SOURCES} are allowed");
        return Err(Refusal::limit("sources", MAX_SOURCES as u64, n as u64, reason));
    }
    if n == 0 && it.verdict != CheckVerdict::Unverifiable {
        let verdict = it.verdict.name();
        return Err(Refusal::invalid(format!(
            "the verdict {verdict} requires a source; name one, or use the verdict unverifiable"
        )));
    }
    it.sources.iter().try_for_each(source)
}

fn source(it: &EvidenceSource) -> Result<(), Refusal> {
    check_not_blank("title of a source", &it.title)?;
    it.excerpt.iter().try_for_each(|excerpt| check_not_blank("excerpt", excerpt))?;
    it.address.as_deref().map_or(Ok(()), address)
}

/// Checks the web pages that an event cites or supplies: a page would link to them.
///
/// # Errors
/// [`Refusal`] if one of them has no web address or no title.
pub fn check_pages(event: &Event) -> Result<(), Refusal> {
    let evidence = |evidence: &'_ [Evidence]| -> Vec<_> {
        evidence.iter().filter_map(|piece| piece.citation.as_ref()?.page.clone()).collect()
    };
    let cited = |citations: &[Citation]| citations.iter().filter_map(|citation| citation.page.clone()).collect();
    let pages: Vec<WebPage> = match event {
        Event::EffectRequested(it) => it.grounds.iter().filter_map(|ground| ground.page.clone()).collect(),
        Event::TurnTaken(it) => cited(&it.citations),
        Event::TurnDrafted(it) => cited(&it.turn.citations),
        Event::ArgumentAdvanced(it) => evidence(&it.evidence),
        Event::ReasonGiven(it) => evidence(&it.evidence),
        Event::ClaimChecked(it) => {
            it.sources.iter().filter_map(|source| source.citation.as_ref()?.page.clone()).collect()
        }
        _ => return Ok(()),
    };
    pages.iter().try_for_each(|page| {
        check_not_blank("title of a page", &page.title)?;
        address(&page.address)
    })
}

fn address(text: &str) -> Result<(), Refusal> {
    if is_web_address(text) {
        return Ok(());
    }
    let excerpt: String = text.chars().take(64).collect();
    Err(Refusal::invalid(format!(
        "{excerpt:?} is not a web address such as https://example.org/page of at most {MAX_ADDRESS_BYTES} bytes"
    )))
}
