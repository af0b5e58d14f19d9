//! `apx`, `tgf` and `af`: the framework alone, under the names that arguments have in the debate (`a3`).

use crate::argumentation::formats::format::Format;
use crate::argumentation::formats::names::Names;
use crate::argumentation::formats::write::write;
use crate::projections::argument_graph::ArgumentGraph;

/// The framework of what counts.
pub fn dung(graph: &ArgumentGraph, format: Format) -> String {
    let framed = graph.framed();
    let names: Vec<String> = framed.ids.iter().map(ToString::to_string).collect();
    let names = Names::words(names.iter().map(String::as_str)).expect("every argument has a name of its own");
    write(format, &names, &framed.framework).expect("letters and digits can be written anywhere")
}
