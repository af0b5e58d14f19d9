//! Measures of a debate, and their definitions, as text.

use crate::text::page::TextPage;
use crate::text::span::{trusted, untrusted};
use crate::text::style::{TerminalStyle, Tone};
use faultline_core::measures::measure::{MeasureDefinition, MeasureGroup, MeasurePart, MeasureUnit, Measured};
use faultline_core::measures::measure_text::{number, value_text};
use faultline_core::projections::summary::Summary;

/// Width of the column of names.
const NAME: usize = 30;
/// Indentation of formulas and parts.
const INDENT: usize = 4;
/// Maximum number of characters of a part's label.
const MAX_LABEL: usize = 100;

/// Renders the definitions of measures, by subject.
pub fn definitions(listed: &[&MeasureDefinition], look: TerminalStyle) -> String {
    let mut page = TextPage::new(look);
    for group in MeasureGroup::ALL {
        let own: Vec<_> = listed.iter().filter(|it| it.group == group).collect();
        if own.is_empty() {
            continue;
        }
        page.text(&[trusted(Tone::Strong, capitalized(group.name()))]);
        for it in own {
            let about = format!("{} ({})", it.name, it.unit.name().replace('_', " "));
            page.hang(&[], &[trusted(Tone::Plain, format!("  {}", it.key))], NAME, &[trusted(Tone::Quiet, &about)]);
            page.hang(&[], &[trusted(Tone::Plain, "")], INDENT, &[trusted(Tone::Plain, it.formula)]);
        }
        page.blank();
    }
    page.print()
}

/// Renders the measures of a debate, by subject, with the parts behind them if requested.
pub fn measured(summary: &Summary, found: &[Measured], with_parts: bool, look: TerminalStyle) -> String {
    let mut page = TextPage::new(look);
    let version = format!("version {}, {} engine", summary.version, summary.engine);
    page.text(&[untrusted(Tone::Strong, &summary.topic)]);
    page.text(&[trusted(Tone::Quiet, &version)]);
    for group in MeasureGroup::ALL {
        let own: Vec<_> = found.iter().filter(|it| it.definition.group == group).collect();
        if own.is_empty() {
            continue;
        }
        page.blank();
        page.text(&[trusted(Tone::Strong, capitalized(group.name()))]);
        for it in own {
            let label = trusted(Tone::Plain, format!("  {}", it.definition.name));
            let value = value_of(it);
            let tone = if it.measurement.value.is_some() { Tone::Plain } else { Tone::Quiet };
            page.hang(&[], &[label], NAME, &[trusted(tone, &value)]);
            if with_parts {
                for part in &it.measurement.parts {
                    let text = part_of(part, it.definition.unit);
                    page.hang(&[], &[trusted(Tone::Plain, "")], INDENT, &[untrusted(Tone::Quiet, &text)]);
                }
            }
        }
    }
    page.print()
}

fn value_of(it: &Measured) -> String {
    let absent = || format!("- {}", it.measurement.absent.as_deref().unwrap_or_default());
    value_text(&it.measurement, it.definition.unit).unwrap_or_else(absent)
}

fn part_of(part: &MeasurePart, unit: MeasureUnit) -> String {
    let label: String = part.label.chars().take(MAX_LABEL).collect();
    let cut = if part.label.chars().nth(MAX_LABEL).is_some() { "..." } else { "" };
    let whose = match &part.persona {
        Some(persona) if part.label != persona.as_str() => format!("{persona}: "),
        _ => String::new(),
    };
    let value = part.value.map(|value| format!("  {}", number(value, unit))).unwrap_or_default();
    let turns: Vec<String> = part.turns.iter().map(ToString::to_string).collect();
    let turns = if turns.is_empty() { String::new() } else { format!("  {}", turns.join(" ")) };
    format!("{whose}{label}{cut}{value}{turns}")
}

fn capitalized(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}
