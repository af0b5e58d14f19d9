//! The formats in which a debate leaves the house: a line each.

use crate::argumentation::formats::format::Format;
use crate::events::event::Recorded;
use crate::export::aif::aif;
use crate::export::argdown::argdown;
use crate::export::dot::dot;
use crate::export::dung::dung;
use crate::export::html::html;
use crate::export::json::json;
use crate::export::jsonl::jsonl;
use crate::export::map::Map;
use crate::export::markdown::markdown;
use crate::export::mermaid::mermaid;
use crate::export::svg::svg;
use crate::verdicts::board::Board;

/// A format in which a debate leaves the house.
#[derive(Clone, Copy, Debug)]
pub struct Exporter {
    /// Its name, and the extension of its files.
    pub name: &'static str,
    /// What it is, in a few words.
    pub about: &'static str,
    /// What a server calls it.
    pub media_type: &'static str,
    /// Writes a debate: its views, and all its events.
    pub write: fn(&Board, &[Recorded]) -> String,
}

/// All formats.
pub const EXPORTERS: &[Exporter] = &[
    Exporter {
        name: "jsonl",
        about: "every event, a line each; `import` reads it back",
        media_type: "application/x-ndjson",
        write: |_, events| jsonl(events),
    },
    Exporter {
        name: "json",
        about: "views, verdict and events as one value; `import` reads it back",
        media_type: "application/json",
        write: json,
    },
    Exporter { name: "md", about: "a report as Markdown", media_type: "text/markdown; charset=utf-8", write: markdown },
    Exporter {
        name: "html",
        about: "a report as a page that needs nothing else",
        media_type: "text/html; charset=utf-8",
        write: page,
    },
    Exporter {
        name: "dot",
        about: "the argument map for Graphviz",
        media_type: "text/vnd.graphviz; charset=utf-8",
        write: |board, _| dot(&Map::of(board)),
    },
    Exporter {
        name: "svg",
        about: "the argument map as a picture",
        media_type: "image/svg+xml",
        write: |board, _| svg(&Map::of(board)),
    },
    Exporter {
        name: "mermaid",
        about: "the argument map for Markdown that draws",
        media_type: "text/vnd.mermaid; charset=utf-8",
        write: |board, _| mermaid(&Map::of(board)),
    },
    Exporter {
        name: "argdown",
        about: "arguments and attacks as Argdown",
        media_type: "text/markdown; charset=utf-8",
        write: |board, _| argdown(&Map::of(board)),
    },
    Exporter {
        name: "aif",
        about: "the Argument Interchange Format as AIFdb writes it",
        media_type: "application/json",
        write: |board, _| aif(&Map::of(board), &board.transcript),
    },
    Exporter {
        name: "apx",
        about: "the framework as facts, for ASPARTIX",
        media_type: "text/plain; charset=utf-8",
        write: |board, _| dung(&board.arguments, Format::Apx),
    },
    Exporter {
        name: "tgf",
        about: "the framework in Trivial Graph Format",
        media_type: "text/plain; charset=utf-8",
        write: |board, _| dung(&board.arguments, Format::Tgf),
    },
    Exporter {
        name: "af",
        about: "the framework as ICCMA has it since 2023",
        media_type: "text/plain; charset=utf-8",
        write: |board, _| dung(&board.arguments, Format::Af),
    },
];

fn page(board: &Board, events: &[Recorded]) -> String {
    let picture = (!board.arguments.arguments.is_empty()).then(|| svg(&Map::of(board)));
    html(board, events, picture.as_deref())
}

/// The format of this name.
pub fn find(name: &str) -> Option<&'static Exporter> {
    EXPORTERS.iter().find(|it| it.name == name)
}
