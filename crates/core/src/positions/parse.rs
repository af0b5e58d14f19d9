//! Parser of `positions.toml`, given as text.
//!
//! ```toml
//! [[topics]]
//! name = "closure"
//! question = "Should the city close its centre to private cars?"
//! side = "yes"                                       # yes, no or nuanced
//! statement = { document = "letter", quote = "..." } # every quotation: words of one passage, byte for byte
//! opening = [{ document = "essay", quote = "..." }]
//! closing = [{ document = "essay", quote = "..." }]
//! falsifiers = [{ document = "talk", quote = "I would change my mind if ..." }]
//!
//! [[topics.claims]]
//! name = "buses"
//! sentence = { document = "essay", quote = "..." }
//! premises = [{ document = "essay", quote = "..." }]
//! assumptions = [{ own = "in the words of the author of this file" }]
//!
//! [[topics.replies]]
//! to = "gus-ormerand/heavy-trade"
//! kind = "concede"                                   # rebut, undermine, undercut, grant, concede, reframe, compatible
//! component = "premise 1"                            # claim (default), premise N or assumption N, from 1
//! in_words = false                                   # for a grant that gives a point, but does not say the component
//! words = [{ document = "talk", quote = "..." }]
//! reason = { document = "talk", quote = "..." }
//! gives_way = [{ claim = "takings", extent = "partial", becomes = { document = "talk", quote = "..." } }]
//! ```
//!
//! `compatible`, `disputes` and `crux` are documented at their types in [`crate::positions::model`], `facts` at
//! [`AnnotatedFact`].

use std::str::FromStr;

use toml::Spanned;

use crate::events::argument::ArgumentPart;
use crate::events::checks::check::CheckVerdict;
use crate::events::ids::PersonaId;
use crate::events::turn::ConcessionExtent;
use crate::positions::finding::{FindingKind, PositionsFinding};
use crate::positions::model::{
    AnnotatedClaim, AnnotatedCrux, AnnotatedDispute, AnnotatedFact, AnnotatedReply, Basis, ClaimRef, CompatibleClaims,
    CruxSignature, GivesWay, PassageQuote, Positions, ReplyKind, TopicPositions,
};
use crate::positions::table::{
    BasisTable, ClaimTable, CompatibleTable, CruxTable, DisputeTable, FactTable, FactVerdict, FileTable, GivesWayTable,
    QuoteTable, ReplyTable, TopicTable,
};

/// Maximum size of a file, in bytes.
pub const MAX_POSITIONS_BYTES: usize = 1024 * 1024;

/// Maximum number of entries of any list in a file.
pub const MAX_LIST_ENTRIES: usize = 500;

/// Maximum number of bytes of a quotation or another text.
pub const MAX_TEXT_BYTES: usize = 2000;

/// Maximum number of bytes of a short name.
pub const MAX_NAME_BYTES: usize = 40;

/// Parses a file. Linear in the text, and at most quadratic in [`MAX_POSITIONS_BYTES`] for line numbers.
///
/// # Errors
/// All findings of kind [`FindingKind::Structure`] and [`FindingKind::Limit`]; only the first one if the text is not
/// TOML or a key is unknown, missing or of another type. Nesting is limited by the TOML parser.
pub fn parse(text: &str) -> Result<Positions, Vec<PositionsFinding>> {
    if text.len() > MAX_POSITIONS_BYTES {
        let what = format!(
            "the file has {} bytes; at most {MAX_POSITIONS_BYTES} are allowed (MAX_POSITIONS_BYTES)",
            text.len()
        );
        return Err(vec![PositionsFinding { line: None, key: String::new(), kind: FindingKind::Limit, what }]);
    }
    let file: FileTable = toml::from_str(text).map_err(|error| {
        let line = error.span().map(|span| text[..span.start].matches('\n').count() + 1);
        let what = error.message().trim().to_owned();
        vec![PositionsFinding { line, key: String::new(), kind: FindingKind::Structure, what }]
    })?;
    let lines = text.match_indices('\n').map(|(at, _)| at).collect();
    let mut parser = Parser { lines, key: String::new(), findings: Vec::new() };
    parser.bound("topics", file.topics.len(), 1);
    let topics = file.topics.into_iter().map(|topic| parser.topic(topic)).collect();
    if parser.findings.is_empty() { Ok(Positions { topics }) } else { Err(parser.findings) }
}

struct Parser {
    /// Bytes of line ends, ascending.
    lines: Vec<usize>,
    /// Key of the entry that is being parsed.
    key: String,
    findings: Vec<PositionsFinding>,
}

impl Parser {
    fn find(&mut self, kind: FindingKind, line: usize, what: String) {
        self.findings.push(PositionsFinding { line: Some(line), key: self.key.clone(), kind, what });
    }

    fn line<T>(&self, value: &Spanned<T>) -> usize {
        self.lines.partition_point(|end| *end < value.span().start) + 1
    }

    fn bound(&mut self, list: &str, entries: usize, line: usize) {
        if entries > MAX_LIST_ENTRIES {
            let what =
                format!("{list} has {entries} entries; at most {MAX_LIST_ENTRIES} are allowed (MAX_LIST_ENTRIES)");
            self.find(FindingKind::Limit, line, what);
        }
    }

    fn topic(&mut self, table: TopicTable) -> TopicPositions {
        let line = self.line(&table.name);
        self.key = table.name.get_ref().chars().take(MAX_NAME_BYTES).collect();
        let name = self.name(table.name);
        let lists = [
            ("wordings", table.wordings.len()),
            ("opening", table.opening.len()),
            ("closing", table.closing.len()),
            ("falsifiers", table.falsifiers.len()),
            ("claims", table.claims.len()),
            ("replies", table.replies.len()),
            ("compatible", table.compatible.len()),
            ("disputes", table.disputes.len()),
            ("facts", table.facts.len()),
        ];
        lists.into_iter().for_each(|(list, entries)| self.bound(list, entries, line));
        for (list, empty) in [("opening", table.opening.is_empty()), ("closing", table.closing.is_empty())] {
            if empty {
                self.find(FindingKind::Structure, line, format!("{list} is empty; quote at least one passage"));
            }
        }
        self.text("question", &table.question, line);
        table.wordings.iter().for_each(|wording| self.text("wordings", wording, line));
        let statement = self.quote(table.statement);
        let openings = self.quotes(table.opening);
        let closings = self.quotes(table.closing);
        let falsifiers = self.quotes(table.falsifiers);
        let claims = table.claims.into_iter().map(|claim| self.within("claims", &name, |parser| parser.claim(claim)));
        let claims = claims.collect();
        let replies = table.replies.into_iter();
        let replies = replies.filter_map(|reply| self.within("replies", &name, |parser| parser.reply(reply))).collect();
        let compatible = table.compatible.into_iter();
        let compatible = compatible
            .filter_map(|entry| self.within("compatible", &name, |parser| parser.compatible(entry)))
            .collect();
        let disputes = table.disputes.into_iter();
        let disputes =
            disputes.map(|dispute| self.within("disputes", &name, |parser| parser.dispute(dispute))).collect();
        let crux = table.crux.map(|crux| self.within("crux", &name, |parser| parser.crux(crux)));
        let facts = table.facts.into_iter();
        let facts = facts.filter_map(|fact| self.within("facts", &name, |parser| parser.fact(fact))).collect();
        TopicPositions {
            name,
            question: table.question,
            wordings: table.wordings,
            side: table.side,
            statement,
            openings,
            closings,
            falsifiers,
            claims,
            replies,
            compatible,
            disputes,
            crux,
            facts,
            line,
        }
    }

    /// Parses an entry under its key, and restores the key of the topic.
    fn within<T>(&mut self, list: &str, topic: &str, parse: impl FnOnce(&mut Parser) -> T) -> T {
        self.key = format!("{topic}/{list}");
        let parsed = parse(self);
        topic.clone_into(&mut self.key);
        parsed
    }

    fn claim(&mut self, table: ClaimTable) -> AnnotatedClaim {
        let line = self.line(&table.name);
        let name = self.name(table.name);
        self.key = format!("{}/{name}", self.key);
        self.bound("premises", table.premises.len(), line);
        self.bound("assumptions", table.assumptions.len(), line);
        AnnotatedClaim {
            name,
            sentence: self.quote(table.sentence),
            premises: table.premises.into_iter().filter_map(|basis| self.basis(basis, line)).collect(),
            assumptions: table.assumptions.into_iter().filter_map(|basis| self.basis(basis, line)).collect(),
            answers_topic: table.answers_topic,
            supports_side: table.supports_side,
            line,
        }
    }

    fn reply(&mut self, table: ReplyTable) -> Option<AnnotatedReply> {
        let line = self.line(&table.to);
        let to = self.claim_ref(&table.to)?;
        self.key = format!("{}/{to}", self.key);
        if table.words.is_empty() {
            self.find(FindingKind::Structure, line, "words is empty; quote the words of the reply".to_owned());
        }
        let lists = [("words", table.words.len()), ("gives_way", table.gives_way.len()), ("needs", table.needs.len())];
        lists.into_iter().for_each(|(list, entries)| self.bound(list, entries, line));
        let component = match &table.component {
            Some(component) => self.component(component)?,
            None => ArgumentPart::Claim,
        };
        let kind: ReplyKind = table.kind;
        Some(AnnotatedReply {
            to,
            kind,
            component,
            in_words: table.in_words,
            with: table.with,
            words: self.quotes(table.words),
            reason: self.basis(table.reason, line)?,
            gives_way: table.gives_way.into_iter().filter_map(|entry| self.gives_way(entry, line)).collect(),
            needs: table.needs.iter().filter_map(|needed| self.claim_ref(needed)).collect(),
            line,
        })
    }

    fn gives_way(&mut self, table: GivesWayTable, line: usize) -> Option<GivesWay> {
        let GivesWayTable { claim, extent, becomes, dispute, side, topic, closing } = table;
        if closing.is_some() && topic.is_none() {
            self.find(FindingKind::Structure, line, "closing belongs to gives_way = { topic }".to_owned());
        }
        match (claim, extent, becomes, dispute, side, topic) {
            (Some(name), Some(ConcessionExtent::Full), None, None, None, None) => {
                let extent = ConcessionExtent::Full;
                Some(GivesWay::Claim { name: name.into_inner(), extent, becomes: None })
            }
            (Some(name), Some(extent), Some(becomes), None, None, None) if extent != ConcessionExtent::Full => {
                let becomes = Some(self.quote(becomes));
                Some(GivesWay::Claim { name: name.into_inner(), extent, becomes })
            }
            (None, None, None, Some(name), Some(side), None) => {
                Some(GivesWay::Dispute { name: name.into_inner(), side })
            }
            (None, None, None, None, None, Some(side)) => {
                Some(GivesWay::Topic { side, closing: closing.map(|quote| self.quote(quote)) })
            }
            _ => {
                let what = "gives_way needs { claim, extent = \"full\" }, { claim, extent = \"partial\" or \"scope\", \
                            becomes }, { dispute, side } or { topic, closing }";
                self.find(FindingKind::Structure, line, what.to_owned());
                None
            }
        }
    }

    fn compatible(&mut self, table: CompatibleTable) -> Option<CompatibleClaims> {
        let line = self.line(&table.with);
        self.bound("claims", table.claims.len(), line);
        self.text("reason", &table.reason, line);
        let with = self.claim_ref(&table.with)?;
        Some(CompatibleClaims { with, claims: table.claims, reason: table.reason, line })
    }

    fn dispute(&mut self, table: DisputeTable) -> AnnotatedDispute {
        let line = self.line(&table.name);
        let name = self.name(table.name);
        self.key = format!("{}/{name}", self.key);
        if table.settled_by.is_empty() {
            let what = "settled_by is empty; quote what would settle the dispute";
            self.find(FindingKind::Structure, line, what.to_owned());
        }
        self.bound("settled_by", table.settled_by.len(), line);
        self.text("question", &table.question, line);
        let (words, settled_by) = (self.quote(table.words), self.quotes(table.settled_by));
        AnnotatedDispute { name, question: table.question, side: table.side, words, settled_by, line }
    }

    fn crux(&mut self, table: CruxTable) -> AnnotatedCrux {
        let line = self.line(&table.dispute);
        self.bound("signs", table.signs.len(), line);
        let mut signs = Vec::new();
        for entry in table.signs {
            let line = self.line(&entry.persona);
            let words = self.quote(entry.words);
            match PersonaId::from_str(entry.persona.get_ref()) {
                Ok(persona) => signs.push(CruxSignature { persona, words, line }),
                Err(why) => self.find(FindingKind::Structure, line, why.to_string()),
            }
        }
        AnnotatedCrux { dispute: table.dispute.into_inner(), words: self.quote(table.words), signs, line }
    }

    fn fact(&mut self, table: FactTable) -> Option<AnnotatedFact> {
        let line = self.line(&table.of);
        self.text("sentence", &table.sentence, line);
        self.text("reason", &table.reason, line);
        let verdict = match table.verdict {
            FactVerdict::True => CheckVerdict::True,
            FactVerdict::False => CheckVerdict::False,
            FactVerdict::Unknown => CheckVerdict::Unverifiable,
        };
        let source = table.source.map(|source| self.quote(source));
        match PersonaId::from_str(table.of.get_ref()) {
            Ok(of) => Some(AnnotatedFact { of, sentence: table.sentence, verdict, source, reason: table.reason, line }),
            Err(why) => {
                self.find(FindingKind::Structure, line, why.to_string());
                None
            }
        }
    }

    fn component(&mut self, text: &Spanned<String>) -> Option<ArgumentPart> {
        let index = |number: &str| number.parse::<u32>().ok().and_then(|number| number.checked_sub(1));
        let part = match text.get_ref().split_once(' ') {
            None if text.get_ref() == "claim" => Some(ArgumentPart::Claim),
            Some(("premise", number)) => index(number).map(ArgumentPart::Premise),
            Some(("assumption", number)) => index(number).map(ArgumentPart::Assumption),
            _ => None,
        };
        if part.is_none() {
            let value: String = text.get_ref().chars().take(MAX_NAME_BYTES).collect();
            let what = format!("component {value:?} is not \"claim\", \"premise N\" or \"assumption N\", from 1");
            self.find(FindingKind::Structure, self.line(text), what);
        }
        part
    }

    fn claim_ref(&mut self, text: &Spanned<String>) -> Option<ClaimRef> {
        let parts = text.get_ref().split_once('/');
        let parsed = parts.and_then(|(persona, claim)| {
            Some(ClaimRef {
                persona: PersonaId::from_str(persona).ok()?,
                claim: is_name(claim).then(|| claim.to_owned())?,
            })
        });
        if parsed.is_none() {
            let value: String = text.get_ref().chars().take(2 * MAX_NAME_BYTES).collect();
            let what = format!("{value:?} is not the claim of a persona; write persona/claim");
            self.find(FindingKind::Structure, self.line(text), what);
        }
        parsed
    }

    fn name(&mut self, name: Spanned<String>) -> String {
        if !is_name(name.get_ref()) {
            let value: String = name.get_ref().chars().take(2 * MAX_NAME_BYTES).collect();
            let what = format!(
                "name {value:?} is not a short name; use lower-case letters, digits and hyphens, at most {MAX_NAME_BYTES} \
                 bytes (MAX_NAME_BYTES)"
            );
            self.find(FindingKind::Structure, self.line(&name), what);
        }
        name.into_inner()
    }

    fn text(&mut self, key: &str, text: &str, line: usize) {
        if text.trim().is_empty() || text.contains(char::is_control) {
            self.find(FindingKind::Structure, line, format!("{key} must be one line of text"));
        }
        if text.len() > MAX_TEXT_BYTES {
            let what = format!("{key} has {} bytes; at most {MAX_TEXT_BYTES} are allowed (MAX_TEXT_BYTES)", text.len());
            self.find(FindingKind::Limit, line, what);
        }
    }

    fn quotes(&mut self, tables: Vec<QuoteTable>) -> Vec<PassageQuote> {
        tables.into_iter().map(|table| self.quote(table)).collect()
    }

    fn quote(&mut self, table: QuoteTable) -> PassageQuote {
        let line = self.line(&table.document);
        self.text("quote", &table.quote, line);
        PassageQuote { document: table.document.into_inner(), quote: table.quote, line }
    }

    fn basis(&mut self, table: BasisTable, line: usize) -> Option<Basis> {
        match table {
            BasisTable { document: Some(document), quote: Some(quote), own: None } => {
                Some(Basis::Quoted(self.quote(QuoteTable { document, quote: quote.into_inner() })))
            }
            BasisTable { document: None, quote: None, own: Some(own) } => {
                self.text("own", own.get_ref(), self.line(&own));
                Some(Basis::Own(own.into_inner()))
            }
            _ => {
                let what = "a premise, assumption or reason needs { document, quote } or { own }";
                self.find(FindingKind::Structure, line, what.to_owned());
                None
            }
        }
    }
}

/// Returns true for a short name: lower-case letters, digits and hyphens, at most [`MAX_NAME_BYTES`].
fn is_name(name: &str) -> bool {
    let fits = (1..=MAX_NAME_BYTES).contains(&name.len());
    fits && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
}
