//! Table of citations and their quotations.

use crate::events::citation::{Citation, Evidence, Quote};
use crate::events::event::{Event, Recorded};
use crate::events::ids::{ArgumentId, DebateId, PersonaId, ReasonId, TurnId};
use crate::export::tables::cell::TableRows;
use crate::export::tables::export_table::{ExportTable, TableFold, TableSource};

/// Column with the id of the cited passage.
pub const PASSAGE_COLUMN: &str = "passage_id";
/// Column with the owner of the passage's document, which the library knows.
pub const OWNER_COLUMN: &str = "owner_id";
/// Column with the name of the passage's document, which the library knows.
pub const DOCUMENT_COLUMN: &str = "document";

/// Citations in turns, and in the evidence of arguments and reasons, in order.
pub const CITATIONS: ExportTable = ExportTable {
    name: "citations",
    about: "One row per quotation of a citation, or per citation without one, in turns and in the evidence of arguments and \
            reasons, in the order in which they were recorded.",
    columns: COLUMNS,
    source: TableSource::Events {
        kinds: &["debate_opened", "debate_forked", "turn_taken", "argument_advanced", "reason_given"],
        fold: || Box::new(CitationsFold::default()),
    },
};

/// Place of a citation.
#[derive(Clone)]
struct CitationPlace {
    version: i64,
    turn: TurnId,
    speaker: PersonaId,
    argument: Option<ArgumentId>,
    reason: Option<ReasonId>,
}

impl CitationPlace {
    fn source(&self) -> &'static str {
        match (self.argument, self.reason) {
            (Some(_), _) => "argument",
            (None, Some(_)) => "reason",
            (None, None) => "turn",
        }
    }
}

struct CitationItem<'a> {
    debate: DebateId,
    place: &'a CitationPlace,
    citation: &'a Citation,
    quote: Option<&'a Quote>,
}

table_row!(item: CitationItem<'_> {
    Uuid "debate_id" "Id of the debate." => item.debate;
    Integer "version" "Version of the event that contains the citation." => item.place.version;
    Text "turn_id" "Turn with the citation, or of the argument or reason with it." => item.place.turn;
    Text "speaker_id" "Persona that cites." => &item.place.speaker;
    Text "source" "Place of the citation: `turn`, `argument` or `reason`." => item.place.source();
    Text or null "argument_id" "Argument whose evidence it is." => item.place.argument;
    Text or null "reason_id" "Reason whose evidence it is." => item.place.reason;
    Text "alias" "Alias of the passage in the prompt, such as `g1`." => item.citation.alias.as_str();
    Uuid "passage_id" "Id of the cited passage in the library; for a web page, an id derived from its address and text."
        => item.citation.chunk;
    Text or null "owner_id" "Persona or shared corpus that the passage belongs to; null for a web page, and for a passage that is \
        no longer in the library." => None::<&str>;
    Text or null "document" "Name of the passage's document, unique for its owner; null in the same cases." => None::<&str>;
    Text or null "page_title" "Title of the web page." => item.citation.page.as_ref().map(|page| page.title.as_str());
    Text or null "page_address" "Address of the web page." => item.citation.page.as_ref().map(|page| page.address.as_str());
    Text or null "quote" "Words attributed to the passage; null for a citation without a quotation."
        => item.quote.map(|quote| quote.text.as_str());
    Text or null "quote_check" "`verbatim`, `abridged` or `unverified`; null without a quotation."
        => item.quote.map(|quote| quote.check.name());
});

#[derive(Default)]
struct CitationsFold(Vec<(CitationPlace, Citation)>);

impl CitationsFold {
    fn evidence(&mut self, place: &CitationPlace, evidence: &[Evidence]) {
        let citations = evidence.iter().filter_map(|piece| piece.citation.clone());
        self.0.extend(citations.map(|citation| (place.clone(), citation)));
    }
}

impl TableFold for CitationsFold {
    fn apply(&mut self, recorded: &Recorded) {
        let version = recorded.version;
        let place = |turn: TurnId, speaker: &PersonaId| CitationPlace {
            version,
            turn,
            speaker: speaker.clone(),
            argument: None,
            reason: None,
        };
        match &recorded.event {
            Event::TurnTaken(taken) => {
                let place = place(taken.turn, &taken.speaker);
                self.0.extend(taken.citations.iter().map(|citation| (place.clone(), citation.clone())));
            }
            Event::ArgumentAdvanced(advanced) => {
                let place = place(advanced.turn, &advanced.speaker);
                let place = CitationPlace { argument: Some(advanced.argument), ..place };
                self.evidence(&place, &advanced.evidence);
            }
            Event::ReasonGiven(given) => {
                let place = place(given.turn, &given.speaker);
                self.evidence(&CitationPlace { reason: Some(given.reason), ..place }, &given.evidence);
            }
            _ => {}
        }
    }

    fn push_rows(&self, debate: DebateId, rows: &mut TableRows) {
        for (place, citation) in &self.0 {
            if citation.quotes.is_empty() {
                push_row(rows, &CitationItem { debate, place, citation, quote: None });
            }
            for quote in &citation.quotes {
                push_row(rows, &CitationItem { debate, place, citation, quote: Some(quote) });
            }
        }
    }
}
