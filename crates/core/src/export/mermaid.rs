//! `mermaid`: argument map for Markdown renderers that support Mermaid.

use crate::events::argument::AttackKind;
use crate::export::map::{ArgumentMap, MapArgument, kind_name, label_name};
use crate::export::text::{clean, shortened, yaml_string};
use faultline_argumentation::labelling::Label;

/// Maximum number of characters of a claim.
const MAX_CLAIM_CHARS: usize = 240;

/// Renders the map as a flowchart, with attackers below their targets.
pub fn mermaid(map: &ArgumentMap) -> String {
    let mut mermaid = format!("---\ntitle: {}\n---\n", yaml_string(&map.topic));
    mermaid += "flowchart BT\n";
    mermaid += &format!("  %% {}\n", map.summary());
    for argument in &map.arguments {
        mermaid += &of_argument(map, argument);
    }
    for line in map.edges() {
        let (source, target) = (map.arguments[line.source].id, map.arguments[line.target].id);
        let head = if line.is_mutual { "<" } else { "" };
        let (start, end) = match line.kind {
            AttackKind::Rebut => ("--", "-->"),
            AttackKind::Undermine | AttackKind::Undercut => ("-.", ".->"),
        };
        mermaid += &format!("  {source} {head}{start} {} {end} {target}\n", kind_name(line.kind));
    }
    mermaid += "  classDef in fill:#f0fbf2,stroke:#1a7f37,stroke-width:2px,color:#1b1f24\n";
    mermaid += "  classDef out fill:#fdf3f2,stroke:#b42318,stroke-width:2px,stroke-dasharray:7 4,color:#1b1f24\n";
    mermaid += "  classDef undec fill:#fffaeb,stroke:#8a6100,stroke-width:2px,stroke-dasharray:2 3,color:#1b1f24\n";
    mermaid
}

fn of_argument(map: &ArgumentMap, argument: &MapArgument) -> String {
    let (sign, class) = match argument.label {
        Label::In => ("✓", "in"),
        Label::Out => ("✗", "out"),
        Label::Undec => ("?", "undec"),
    };
    let speaker = coded(&map.speakers[argument.speaker].name);
    let claim = coded(&shortened(&clean(&argument.claim), MAX_CLAIM_CHARS));
    // A thesis has the double border of the subroutine shape.
    let (open, close) = if argument.is_thesis { ("[[", "]]") } else { ("(", ")") };
    format!(
        "  {id}{open}\"{id} {sign} {} · {speaker}<br/>{claim}\"{close}:::{class}\n",
        label_name(argument.label),
        id = argument.id
    )
}

/// Escapes a text between quotes: characters that could end it or start a tag, Markdown or a code are written by
/// number.
fn coded(text: &str) -> String {
    let mut coded = String::with_capacity(text.len());
    for sign in clean(text).chars() {
        if sign.is_alphanumeric()
            || !sign.is_ascii()
            || matches!(sign, ' ' | ',' | '.' | '?' | '!' | '\'' | '-' | '(' | ')')
        {
            coded.push(sign);
        } else {
            coded += &format!("#{};", u32::from(sign));
        }
    }
    coded
}
