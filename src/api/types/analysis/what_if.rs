//! GraphQL types of hypothetical changes and their effects.

use std::sync::Arc;

use async_graphql::{Context, ID, InputObject, Result, SimpleObject};

use crate::api::error::{field_limit, from_panic, invalid};
use crate::api::ids::parse_argument_id;
use crate::api::types::analysis::verdict::Regime;
use crate::api::types::crux::crux::Crux;
use crate::api::types::debate::debate::Debate;
use crate::api::types::scalars::LabelValue;
use faultline_core::verdicts::diff::verdict_diff::{DebateSnapshot, Relabelled, VerdictDiff};
use faultline_core::verdicts::verdict::Verdict;
use faultline_core::verdicts::what_if::{Added, HypotheticalChange, MAX_ADDED, MAX_WITHDRAWN, WhatIfError, what_if};
use faultline_service::compute::compute;

/// A hypothetical attack.
#[derive(InputObject)]
pub struct WhatIfAttack {
    /// Id of the attacking argument, unique or short.
    pub source_id: ID,
    /// Id of the attacked argument, unique or short.
    pub target_id: ID,
    /// True if the two attack each other, as when one claim rebuts another.
    #[graphql(default = false)]
    pub mutual: bool,
}

/// Effects of a hypothetical change, computed by the same rules as the actual verdict.
#[derive(SimpleObject)]
pub struct WhatIf {
    /// Arguments whose labels would change, in order.
    label_changes: Vec<LabelChange>,
    /// Cruxes that would be added, highest rank first, with their ranks after the change.
    cruxes_gained: Vec<Crux>,
    /// Cruxes that would disappear, with their current ranks.
    cruxes_lost: Vec<Crux>,
    /// Current state.
    before: DebateState,
    /// State after the change.
    after: DebateState,
    /// True if both states are exact.
    exact: bool,
}

/// An argument whose label differs.
#[derive(SimpleObject)]
pub struct LabelChange {
    /// Id of the argument.
    argument_id: ID,
    /// Label before; null if it does not count before.
    from: Option<LabelValue>,
    /// Label after; null if it is removed.
    to: Option<LabelValue>,
}

/// Overall state of a debate before or after a change.
#[derive(SimpleObject)]
pub struct DebateState {
    /// Kind of state, with details.
    regime: Regime,
    /// Number of camps.
    camp_count: usize,
    /// Number of preferred extensions, as a decimal number.
    extension_count: String,
    /// Number of open cruxes.
    crux_count: usize,
}

/// Converts the arguments of `whatIf` to a change.
///
/// # Errors
/// `INVALID` if an id is malformed.
pub fn change(remove: Option<Vec<ID>>, add: Option<Vec<WhatIfAttack>>) -> Result<HypotheticalChange> {
    let added = |attack: &WhatIfAttack| {
        Ok(Added {
            source: parse_argument_id(&attack.source_id)?,
            target: parse_argument_id(&attack.target_id)?,
            mutual: attack.mutual,
        })
    };
    Ok(HypotheticalChange {
        withdrawn: remove.unwrap_or_default().iter().map(parse_argument_id).collect::<Result<_>>()?,
        added: add.unwrap_or_default().iter().map(added).collect::<Result<_>>()?,
    })
}

impl WhatIf {
    /// Computes the effects of a change on a debate, on the compute pool.
    ///
    /// # Errors
    /// `INVALID` if the change is not applicable, `LIMIT` if it is too large; the codes of `Debate::read_model` if the
    /// debate cannot be folded.
    pub async fn of(context: &Context<'_>, debate: &Debate, change: HypotheticalChange) -> Result<WhatIf> {
        let (read_model, now) =
            (Arc::clone(debate.read_model(context).await?), Arc::clone(debate.verdict(context).await?));
        let exceeded = match (change.withdrawn.len(), change.added.len()) {
            (withdrawn, _) if withdrawn > MAX_WITHDRAWN => ("withdrawn_arguments", MAX_WITHDRAWN, withdrawn),
            (_, added) => ("added_attacks", MAX_ADDED, added),
        };
        let found = compute(move || what_if(&read_model, &now, &change)).await.map_err(|error| from_panic(&error))?;
        match found {
            Ok(found) => WhatIf::new(context, debate, found).await,
            Err(WhatIfError::TooMuch) => {
                let (limit, max, actual) = exceeded;
                Err(field_limit(&WhatIfError::TooMuch.to_string(), limit, max, actual))
            }
            Err(why) => Err(invalid(&why.to_string())),
        }
    }

    async fn new(context: &Context<'_>, debate: &Debate, found: VerdictDiff) -> Result<WhatIf> {
        let (now, shared) = (debate.verdict(context).await?, Arc::new(debate.clone()));
        Ok(WhatIf {
            label_changes: found.labels.iter().map(Into::into).collect(),
            cruxes_gained: Crux::all_ranked(context, &shared, &found.gained).await?,
            cruxes_lost: Crux::all_ranked(context, &shared, &found.lost).await?,
            exact: found.before.exact && found.after.exact,
            before: DebateState::new(&found.before, now),
            after: DebateState::new(&found.after, now),
        })
    }
}

impl From<&Relabelled> for LabelChange {
    fn from(it: &Relabelled) -> Self {
        LabelChange {
            argument_id: ID(it.argument.to_string()),
            from: it.from.map(LabelValue::from),
            to: it.to.map(LabelValue::from),
        }
    }
}

impl DebateState {
    /// Builds the overall state; limit and algorithm are those of the verdict.
    pub fn new(whole: &DebateSnapshot, of: &Verdict) -> DebateState {
        DebateState {
            regime: Regime::new(&whole.regime, of.limit.clone(), whole.last_word, &of.algorithm),
            camp_count: whole.n_camps,
            extension_count: whole.n_extensions.clone(),
            crux_count: whole.n_cruxes,
        }
    }
}
