//! Effects of a hypothetical change on the verdict of a debate.

use crate::labels;
use crate::tables::verdict_lists::{crux_list, label_changes};
use crate::text::page::TextPage;
use crate::text::span::{trusted, untrusted};
use crate::text::style::{TerminalStyle, Tone};
use faultline_core::events::ids::ArgumentId;
use faultline_core::verdicts::crux::Crux;
use faultline_core::verdicts::diff::verdict_diff::{DebateSnapshot, VerdictDiff};
use faultline_core::verdicts::read_model::DebateReadModel;

/// Width of the column of names.
const NAME: usize = 14;

/// Renders what would change if these arguments were withdrawn.
pub fn hypothesis(
    debate: &DebateReadModel,
    withdrawn: &[ArgumentId],
    found: &VerdictDiff,
    look: TerminalStyle,
) -> String {
    let mut page = TextPage::new(look);
    page.text(&[untrusted(Tone::Strong, &debate.summary.topic)]);
    let names: Vec<String> = withdrawn.iter().map(ToString::to_string).collect();
    let at = format!("If {} were withdrawn, as of version {}:", labels::listed(&names), debate.summary.version);
    page.text(&[trusted(Tone::Quiet, at)]);
    page.blank();
    let (before, after) = (&found.before, &found.after);
    let mut fact = |name: &'static str, of: &dyn Fn(&DebateSnapshot) -> String| {
        let (before, after) = (of(before), of(after));
        let changed = match before == after {
            true => vec![untrusted(Tone::Quiet, &format!("{after}, as now"))],
            false => {
                vec![untrusted(Tone::Plain, &before), trusted(Tone::Quiet, " → "), untrusted(Tone::Strong, &after)]
            }
        };
        page.hang(&[], &[trusted(Tone::Quiet, name)], NAME, &changed);
    };
    fact("verdict", &|it| it.regime.kind.name().to_owned());
    fact("cruxes", &|it| it.n_cruxes.to_string());
    fact("camps", &|it| it.n_camps.to_string());
    fact("extensions", &|it| it.n_extensions.clone());
    if before.regime.reason != after.regime.reason {
        page.hang(&[], &[trusted(Tone::Quiet, "reason")], NAME, &[untrusted(Tone::Plain, &after.regime.reason)]);
    }
    let cruxes = |ranked: &[(usize, Crux)]| ranked.iter().map(|(_, crux)| crux.clone()).collect::<Vec<_>>();
    crux_list(&mut page, "Cruxes that would disappear", &cruxes(&found.lost));
    crux_list(&mut page, "Cruxes that would appear", &cruxes(&found.gained));
    label_changes(&mut page, &found.labels, debate);
    if !(before.exact && after.exact) {
        page.blank();
        page.text(&[trusted(Tone::Open, "Not exact: a search for extensions or camps was stopped early.")]);
    }
    page.print()
}
