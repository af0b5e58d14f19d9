//! `apx`, `tgf` and `af`: the argumentation framework without texts. Arguments keep their ids of the debate (`a3`).

use crate::projections::argument_graph::ArgumentGraph;
use faultline_argumentation::formats::format::Format;
use faultline_argumentation::formats::names::ArgumentNames;
use faultline_argumentation::formats::write::write;

/// Writes the framework of the live arguments.
pub fn dung(graph: &ArgumentGraph, format: Format) -> String {
    let framed = graph.framework();
    let names: Vec<String> = framed.ids.iter().map(ToString::to_string).collect();
    let names = ArgumentNames::from_words(names.iter().map(String::as_str)).expect("argument ids are unique");
    write(format, &names, &framed.framework).expect("argument ids are valid in every format")
}
