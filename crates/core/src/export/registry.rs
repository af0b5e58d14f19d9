//! List of all export formats.

use crate::events::event::Recorded;
use crate::export::aif::aif;
use crate::export::argdown::argdown;
use crate::export::dot::dot;
use crate::export::drawing::svg::svg;
use crate::export::dung::dung;
use crate::export::json::json;
use crate::export::jsonl::{JsonlWriter, jsonl};
use crate::export::legacy::transcript::transcript;
use crate::export::map_builder::debate_map;
use crate::export::mermaid::mermaid;
use crate::export::report::html::html;
use crate::export::report::markdown::markdown;
use crate::verdicts::read_model::DebateReadModel;
use faultline_argumentation::formats::format::Format;

/// Export format.
#[derive(Clone, Copy, Debug)]
pub struct Exporter {
    /// Name of the format, and extension of its files.
    pub name: &'static str,
    /// Description in a few words.
    pub about: &'static str,
    /// Media type.
    pub media_type: &'static str,
    /// Renders a debate from its read model and all its events.
    pub write: fn(&DebateReadModel, &[Recorded]) -> String,
    /// Creates a writer that renders event by event and writes the same text; `None` if the format needs the whole debate.
    pub lines: Option<fn() -> JsonlWriter>,
}

/// All formats.
pub const EXPORTERS: &[Exporter] = &[
    Exporter {
        name: "jsonl",
        about: "every event on one line; `import` reads it back",
        media_type: "application/x-ndjson",
        write: |_, events| jsonl(events),
        lines: Some(JsonlWriter::default),
    },
    Exporter {
        name: "json",
        about: "read models, verdict and events as one value; `import` reads it back",
        media_type: "application/json",
        write: json,
        lines: None,
    },
    Exporter {
        name: "md",
        about: "a report as Markdown",
        media_type: "text/markdown; charset=utf-8",
        write: markdown,
        lines: None,
    },
    Exporter {
        name: "html",
        about: "a report as a self-contained page",
        media_type: "text/html; charset=utf-8",
        write: page,
        lines: None,
    },
    Exporter {
        name: "txt",
        about: "a dialectic debate as a plain transcript, in the layout of the version in Python",
        media_type: "text/plain; charset=utf-8",
        write: transcript,
        lines: None,
    },
    Exporter {
        name: "dot",
        about: "the map of the debate for Graphviz",
        media_type: "text/vnd.graphviz; charset=utf-8",
        write: |read_model, _| dot(&debate_map(read_model)),
        lines: None,
    },
    Exporter {
        name: "svg",
        about: "the map of the debate as a picture",
        media_type: "image/svg+xml",
        write: |read_model, _| svg(&debate_map(read_model)),
        lines: None,
    },
    Exporter {
        name: "mermaid",
        about: "the map of the debate as a Mermaid flowchart",
        media_type: "text/vnd.mermaid; charset=utf-8",
        write: |read_model, _| mermaid(&debate_map(read_model)),
        lines: None,
    },
    Exporter {
        name: "argdown",
        about: "arguments, questions and proposals as Argdown",
        media_type: "text/markdown; charset=utf-8",
        write: |read_model, _| argdown(&debate_map(read_model)),
        lines: None,
    },
    Exporter {
        name: "aif",
        about: "the Argument Interchange Format as AIFdb writes it",
        media_type: "application/json",
        write: |read_model, _| aif(&debate_map(read_model), &read_model.transcript),
        lines: None,
    },
    Exporter {
        name: "apx",
        about: "the framework as facts, for ASPARTIX",
        media_type: "text/plain; charset=utf-8",
        write: |read_model, _| dung(&read_model.arguments, Format::Apx),
        lines: None,
    },
    Exporter {
        name: "tgf",
        about: "the framework in Trivial Graph Format",
        media_type: "text/plain; charset=utf-8",
        write: |read_model, _| dung(&read_model.arguments, Format::Tgf),
        lines: None,
    },
    Exporter {
        name: "af",
        about: "the framework in the ICCMA format of 2023",
        media_type: "text/plain; charset=utf-8",
        write: |read_model, _| dung(&read_model.arguments, Format::Af),
        lines: None,
    },
];

fn page(read_model: &DebateReadModel, events: &[Recorded]) -> String {
    let map = debate_map(read_model);
    let picture = (!map.nodes.is_empty()).then(|| svg(&map));
    html(read_model, events, picture.as_deref())
}

/// Other names of formats.
pub const ALIASES: &[(&str, &str)] = &[("markdown", "md"), ("text", "txt")];

/// Finds the format with this name or alias.
pub fn find(name: &str) -> Option<&'static Exporter> {
    let name = ALIASES.iter().find(|(alias, _)| *alias == name).map_or(name, |(_, name)| name);
    EXPORTERS.iter().find(|exporter| exporter.name == name)
}
