//! Finds quotations in the events drawn from a reply, and checks them against the passages.
//!
//! | searched for | where | result |
//! |--------------|-------|--------|
//! | whole sentences | in cited passages | a quotation if the passage contains them, marked or not |
//! | words between quotation marks | in all supplied passages | a quotation and a citation if a passage contains them |
//! | marked words that resemble a cited passage, or precede an alias | in that passage | unverified if not contained |
//!
//! Other words between quotation marks are someone else's, or only set off. The rule is the same for all engines,
//! because it examines events, not replies.

use std::ops::Range;

use crate::events::checks::check::EvidenceSource;
use crate::events::citation::Evidence;
use crate::events::citation::{Citation, Quote, QuoteCheck};
use crate::events::event::Event;
use crate::events::turn::TurnTaken;
use crate::kernel::effect::SuppliedPassage;
use crate::kernel::quotations::quote_matching::{Checked, check, marked, n_words, overlap, pieces};
use crate::kernel::quotations::text_folding::FoldedText;

/// Maximum number of quotations kept of one reply; an excess is reported among the rejected parts.
pub const MAX_QUOTES: usize = 48;
/// Maximum number of searches for one reply: sentences, and words between marks.
const MAX_LOOKED_FOR: usize = 256;
/// Maximum number of sentences joined into one quotation; further ones form a second quotation.
const MAX_TOGETHER: usize = 16;
/// Minimum number of words of a quoted sentence; shorter ones can occur anywhere.
const MIN_SENTENCE_WORDS: usize = 4;
/// Minimum number of words between quotation marks; fewer set off a term.
const MIN_MARKED_WORDS: usize = 3;
/// Minimum overlap with a passage for words between marks to count as a quotation of it.
const MIN_MEANT: f64 = 0.5;

/// Checks the citations of events drawn from a reply against the supplied passages, and adds the quotations found.
pub fn verify_quotations(mut facts: Vec<Event>, passages: &[SuppliedPassage]) -> Vec<Event> {
    if passages.is_empty() {
        return facts;
    }
    let shelf = Shelf::new(passages);
    let words: Vec<String> = facts.iter().flat_map(said).map(str::to_owned).collect();
    for fact in &mut facts {
        match fact {
            Event::TurnTaken(it) => turn(it, &words, &shelf),
            Event::TurnDrafted(it) => turn(&mut it.turn, &words, &shelf),
            Event::ArgumentAdvanced(it) => it.evidence.iter_mut().for_each(|piece| evidence(piece, &shelf)),
            Event::ReasonGiven(it) => it.evidence.iter_mut().for_each(|piece| evidence(piece, &shelf)),
            Event::ClaimChecked(it) => it.sources.iter_mut().for_each(|reference| source(reference, &shelf)),
            _ => {}
        }
    }
    facts
}

/// Checks the events drawn from a reply of this service's own checkers and speakers: their quotations, and that claims rated true or
/// false quote a source.
pub fn verify_facts(facts: Vec<Event>, passages: &[SuppliedPassage]) -> Vec<Event> {
    require_source_quotes(verify_quotations(facts, passages))
}

/// Rates claims unverifiable that were rated otherwise without words that a source contains.
fn require_source_quotes(mut facts: Vec<Event>) -> Vec<Event> {
    for fact in &mut facts {
        if let Event::ClaimChecked(checked) = fact
            && checked.same_as.is_none()
        {
            checked.require_quotes();
        }
    }
    facts
}

/// Returns the texts of an event that people read.
fn said(fact: &Event) -> Vec<&str> {
    let mut words: Vec<&str> = Vec::new();
    match fact {
        Event::TurnTaken(it) => words.push(&it.text),
        Event::TurnDrafted(it) => words.push(&it.turn.text),
        Event::ArgumentAdvanced(it) => {
            words.push(&it.claim);
            words.extend(it.premises.iter().chain(&it.assumptions).map(String::as_str));
            words.extend(it.evidence.iter().map(|evidence| evidence.text.as_str()));
        }
        Event::AttackRaised(it) => words.push(&it.rationale),
        Event::StanceTaken(it) => words.extend(it.statement.as_deref()),
        Event::CruxProposed(it) => words.push(&it.statement),
        Event::ProposalDrafted(it) => words.extend([it.text.as_str(), &it.reasoning]),
        Event::ProposalCriticized(it) => {
            words.extend(it.issues.iter().map(|issue| issue.text.as_str()));
            words.extend(it.edge_cases.iter().chain(&it.contradictions).map(String::as_str));
        }
        Event::ProposalAccepted(it) => {
            words.extend([it.words.as_str(), &it.reason]);
            words.extend(it.change_of_mind.as_deref());
        }
        Event::ProposalSynthesized(it) => {
            words.extend([it.text.as_str(), &it.reasoning]);
            words.extend(it.changes.iter().map(|change| change.text.as_str()));
        }
        _ => {}
    }
    words
}

fn turn(taken: &mut TurnTaken, words: &[String], shelf: &Shelf) {
    let cited: Vec<usize> = taken.citations.iter().filter_map(|citation| shelf.place(citation)).collect();
    let mut search =
        Search { shelf, cited: &cited, claimed: None, left: MAX_LOOKED_FOR, spent: false, found: Vec::new() };
    words.iter().for_each(|text| search.read(text));
    let (found, spent) = (search.found, search.spent);
    if spent || found.len() > MAX_QUOTES {
        taken.refused.push(format!(
            "contains more quotations than can be checked; the first {} were checked",
            found.len().min(MAX_QUOTES)
        ));
    }
    for (at, quote) in found.into_iter().take(MAX_QUOTES) {
        let ground = &shelf.passages[at].ground;
        let of_it = |citation: &&mut Citation| citation.chunk == ground.chunk;
        match taken.citations.iter_mut().find(of_it) {
            Some(citation) => citation.quotes.push(quote),
            None => {
                let citation = Citation::new(ground.alias.as_str(), ground.chunk);
                taken.citations.push(Citation { page: ground.page.clone(), quotes: vec![quote], ..citation });
            }
        }
    }
}

/// Checks evidence that cites a passage: words between marks are taken to be from that passage.
fn evidence(piece: &mut Evidence, shelf: &Shelf) {
    let Some(citation) = &mut piece.citation else { return };
    let Some(at) = shelf.place(citation) else { return };
    let mut search =
        Search { shelf, cited: &[at], claimed: Some(at), left: MAX_LOOKED_FOR, spent: false, found: Vec::new() };
    search.read(&piece.text);
    let of_it = search.found.into_iter().filter(|(place, _)| *place == at);
    citation.quotes = of_it.map(|(_, quote)| quote).take(MAX_QUOTES).collect();
}

/// Checks an excerpt against the text that the checker was given, whether it is in quotation marks or not.
fn source(found: &mut EvidenceSource, shelf: &Shelf) {
    let Some(text) = &found.excerpt else { return };
    let cited = found.citation.as_ref().and_then(|citation| shelf.place(citation));
    let given = || shelf.passages.iter().position(|passage| Some(&passage.ground.alias) == found.alias.as_ref());
    if let Some(at) = cited.or_else(given) {
        let Checked { check, ranges } = check(&FoldedText::of(text), &shelf.folded[at]);
        found.check = Some(check);
        // The checker knows a passage by its alias only.
        if Some(&found.title) == found.alias.as_ref() {
            found.title.clone_from(&shelf.passages[at].title);
        }
        if let Some(citation) = &mut found.citation {
            citation.quotes = vec![Quote { text: text.clone(), check, ranges }];
        }
    }
}

/// Passages supplied to the author of a reply.
struct Shelf<'a> {
    passages: &'a [SuppliedPassage],
    folded: Vec<FoldedText>,
}

impl<'a> Shelf<'a> {
    fn new(passages: &'a [SuppliedPassage]) -> Shelf<'a> {
        Shelf { passages, folded: passages.iter().map(|passage| FoldedText::of(&passage.text)).collect() }
    }

    fn place(&self, citation: &Citation) -> Option<usize> {
        self.passages.iter().position(|passage| passage.ground.chunk == citation.chunk)
    }

    /// Returns the passage whose alias directly follows some words: `“…” [g2]`.
    fn named(&self, behind: &str) -> Option<usize> {
        let inner = behind.trim_start_matches([' ', ',', '.', ';', ':']).strip_prefix(['[', '('])?;
        let alias = &inner[..inner.find([']', ')'])?];
        self.passages.iter().position(|passage| passage.ground.alias == alias.trim())
    }
}

/// Search for quotations in the words of one reply.
struct Search<'a> {
    shelf: &'a Shelf<'a>,
    cited: &'a [usize],
    /// The passage from which words between marks are taken, if it is known beforehand.
    claimed: Option<usize>,
    left: usize,
    /// True if the search limit was exceeded.
    spent: bool,
    /// Quotations found, each with the index of its passage; equal words once.
    found: Vec<(usize, Quote)>,
}

impl Search<'_> {
    fn read(&mut self, words: &str) {
        let borrowed = self.sentences(words);
        for inside in marked(words) {
            let known = borrowed.iter().any(|range| range.start <= inside.start && inside.end <= range.end);
            if !known && n_words(&words[inside.clone()]) >= MIN_MARKED_WORDS && self.may_look() {
                self.marked(words, inside);
            }
        }
    }

    fn may_look(&mut self) -> bool {
        self.spent |= self.left == 0;
        self.left = self.left.saturating_sub(1);
        !self.spent
    }

    fn keep(&mut self, at: usize, text: &str, checked: Checked) {
        let (text, Checked { check, ranges }) = (text.trim(), checked);
        if !self.found.iter().any(|(place, quote)| *place == at && quote.text == text) {
            self.found.push((at, Quote { text: text.to_owned(), check, ranges }));
        }
    }

    /// Finds whole sentences that occur in a cited passage, joining those that occur together. Returns their ranges.
    fn sentences(&mut self, words: &str) -> Vec<Range<usize>> {
        let (pieces, mut borrowed, mut next) = (pieces(words), Vec::new(), 0);
        while next < pieces.len() {
            let Some((at, n, checked)) = self.together(words, &pieces[next..]) else {
                next += 1;
                continue;
            };
            let range = pieces[next].start..pieces[next + n - 1].end;
            next += n;
            if n_words(&words[range.clone()]) >= MIN_SENTENCE_WORDS {
                self.keep(at, &words[range.clone()], checked);
                borrowed.push(range);
            }
        }
        borrowed
    }

    /// Returns the first cited passage that contains the first piece, the number of pieces that occur there together,
    /// and the match.
    fn together(&mut self, words: &str, pieces: &[Range<usize>]) -> Option<(usize, usize, Checked)> {
        let shelf = self.shelf;
        let first = |n: usize| FoldedText::of(&words[pieces[0].start..pieces[n - 1].end]);
        let stands = |words: &FoldedText, at: usize| {
            let checked = check(words, &shelf.folded[at]);
            (checked.check == QuoteCheck::Verbatim).then_some(checked)
        };
        if !self.may_look() {
            return None;
        }
        let one = first(1);
        let (at, mut checked) = self.cited.iter().find_map(|at| Some((*at, stands(&one, *at)?)))?;
        let mut n = 1;
        while n < pieces.len().min(MAX_TOGETHER) && self.may_look() {
            let Some(longer) = stands(&first(n + 1), at) else { break };
            (n, checked) = (n + 1, longer);
        }
        Some((at, n, checked))
    }

    fn marked(&mut self, words: &str, inside: Range<usize>) {
        let text = &words[inside.clone()];
        let (folded, shelf) = (FoldedText::of(text), self.shelf);
        let close = &words[inside.end..];
        let behind = close.chars().next().map_or("", |letter| &close[letter.len_utf8()..]);
        let claimed = shelf.named(behind).or(self.claimed);
        for at in claimed.into_iter().chain(self.cited.iter().copied()).chain(0..shelf.folded.len()) {
            let checked = check(&folded, &shelf.folded[at]);
            if checked.check != QuoteCheck::Unverified {
                return self.keep(at, text, checked);
            }
        }
        let near = self.cited.iter().map(|at| (overlap(&folded, &shelf.folded[*at]), *at));
        let near = near.filter(|(share, _)| *share >= MIN_MEANT).max_by(|one, other| one.0.total_cmp(&other.0));
        if let Some(at) = claimed.or(near.map(|(_, at)| at)) {
            self.keep(at, text, Checked { check: QuoteCheck::Unverified, ranges: Vec::new() });
        }
    }
}
