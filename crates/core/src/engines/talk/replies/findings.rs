//! Findings of a clerk on pairs of claims.

use crate::engines::shared::view_prompts;
use crate::engines::talk::replies::decode::{MAX_REFUSED, cut, unit};
use crate::engines::talk::replies::schema::{Found, PairJudged};
use crate::events::distillation::{Comparison, ComparisonFinding};
use crate::events::ids::PointId;
use crate::kernel::reply::Unreadable;
use crate::kernel::rulings::speaks_for_the_target;

/// Maximum number of characters kept of the reason of a finding.
const MAX_REASON_CHARS: usize = 150;

/// Decodes a clerk's findings on the requested pairs, each once, with the strength of the conflict.
///
/// # Errors
/// [`Unreadable`] if no finding concerns a requested pair.
pub fn findings(
    asked: &[(PointId, PointId)],
    given: Vec<PairJudged>,
    refused: &mut Vec<String>,
) -> Result<Vec<(Comparison, f64)>, Unreadable> {
    let mut found: Vec<(Comparison, f64)> = Vec::new();
    let mut is_answered = false;
    let n_given = given.len();
    if n_given > 2 * asked.len() {
        refused.push(format!("{n_given} pairs, of which the first {} are considered", 2 * asked.len()));
    }
    for it in given.into_iter().take(2 * asked.len()) {
        let point = |alias: &str| alias.trim().parse::<PointId>().ok();
        let pair = point(&it.one).zip(point(&it.other));
        let pair = pair
            .and_then(|(one, other)| asked.iter().copied().find(|pair| *pair == (one, other) || *pair == (other, one)));
        let Some((one, other)) = pair else {
            let named = format!("{}, {}", it.one, it.other);
            refused.push(format!("compares {}, which is not a requested pair", view_prompts::excerpt(&named)));
            continue;
        };
        if found.iter().any(|(pair, _)| (pair.one, pair.other) == (one, other)) {
            continue;
        }
        let finding = match it.finding {
            Found::Conflict => ComparisonFinding::Conflict,
            Found::Agreement => ComparisonFinding::Agreement,
            Found::Compatible => ComparisonFinding::Compatible,
            Found::Unknown => {
                is_answered = true;
                continue;
            }
        };
        if finding == ComparisonFinding::Conflict && speaks_for_the_target(&it.reason) {
            refused.push(format!("finds {one} and {other} in conflict for a reason that says the opposite"));
            continue;
        }
        found.push((
            Comparison { one, other, finding, reason: cut(it.reason.trim(), MAX_REASON_CHARS) },
            unit(it.strength),
        ));
    }
    if found.is_empty() && !is_answered {
        return Err(Unreadable::because("`pairs` contains no finding on a requested pair")
            .advise("give one finding for each pair"));
    }
    refused.truncate(MAX_REFUSED);
    Ok(found)
}
