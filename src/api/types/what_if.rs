//! What if: changes that nobody made, and what would come of them.

use std::sync::Arc;

use async_graphql::{Context, ID, InputObject, Result, SimpleObject};

use crate::api::error::{coded, from_misnamed, from_panic};
use crate::api::types::crux::Crux;
use crate::api::types::debate::Debate;
use crate::api::types::scalars::LabelValue;
use crate::api::types::verdict::Regime;
use crate::desk::compute::compute;
use crate::verdicts::cruxes::Crux as Inner;
use crate::verdicts::difference::{Difference, Relabelled, Whole};
use crate::verdicts::verdict::Verdict;
use crate::verdicts::what_if::{Added, Change, Unthinkable, what_if};

/// An attack that nobody raised.
#[derive(InputObject)]
pub struct WhatIfAttack {
    /// The argument with which.
    pub source_id: ID,
    /// The argument against which.
    pub target_id: ID,
    /// Whether the two tell against each other alike, as where one claim rebuts another.
    #[graphql(default = false)]
    pub mutual: bool,
}

/// What would be if the debate were changed so, by the same rules by which it is judged as it is.
#[derive(SimpleObject)]
pub struct WhatIf {
    /// The arguments whose labels would differ, in order.
    labels: Vec<LabelChange>,
    /// Cruxes that there would be and are not, most telling first, each with its rank then.
    cruxes_gained: Vec<Crux>,
    /// Cruxes that there are and would not be, each with its rank now.
    cruxes_lost: Vec<Crux>,
    /// The debate as it is.
    before: DebateState,
    /// The debate as it would be.
    after: DebateState,
    /// Whether all of it is known, before and after.
    exact: bool,
}

/// An argument whose label differs.
#[derive(SimpleObject)]
pub struct LabelChange {
    /// The argument.
    argument_id: ID,
    /// Its label; none where it does not count yet.
    from: Option<LabelValue>,
    /// Its label then; none where it is removed.
    to: Option<LabelValue>,
}

/// A debate as a whole, before or after a change.
#[derive(SimpleObject)]
pub struct DebateState {
    /// Its state.
    regime: Regime,
    /// How many camps.
    n_camps: usize,
    /// How many preferred extensions, as a decimal number.
    n_extensions: String,
    /// How many open cruxes.
    n_cruxes: usize,
}

/// The change that a client asks for.
///
/// # Errors
/// `INVALID` where a name is none.
pub fn change(remove: Option<Vec<ID>>, add: Option<Vec<WhatIfAttack>>) -> Result<Change> {
    let id = |it: &ID| it.parse().map_err(|it| from_misnamed(&it));
    let added =
        |it: &WhatIfAttack| Ok(Added { source: id(&it.source_id)?, target: id(&it.target_id)?, mutual: it.mutual });
    Ok(Change {
        withdrawn: remove.unwrap_or_default().iter().map(id).collect::<Result<_>>()?,
        added: add.unwrap_or_default().iter().map(added).collect::<Result<_>>()?,
    })
}

impl WhatIf {
    /// What would be of a debate, worked out where it keeps nobody else waiting.
    ///
    /// # Errors
    /// `INVALID` where the change makes no sense, and `LIMIT` where it is too large.
    pub async fn of(context: &Context<'_>, debate: &Debate, change: Change) -> Result<WhatIf> {
        let (board, now) = (Arc::clone(debate.board(context).await?), Arc::clone(debate.verdict(context).await?));
        let found = compute(move || what_if(&board, &now, &change)).await.map_err(|it| from_panic(&it))?;
        match found {
            Ok(found) => WhatIf::new(context, debate, found).await,
            Err(why) => Err(coded(&why.to_string(), if why == Unthinkable::TooMuch { "LIMIT" } else { "INVALID" })),
        }
    }

    async fn new(context: &Context<'_>, debate: &Debate, found: Difference) -> Result<WhatIf> {
        let now = debate.verdict(context).await?;
        Ok(WhatIf {
            labels: found.labels.iter().map(Into::into).collect(),
            cruxes_gained: placed(context, debate, &found.gained).await?,
            cruxes_lost: placed(context, debate, &found.lost).await?,
            exact: found.before.exact && found.after.exact,
            before: DebateState::new(&found.before, now),
            after: DebateState::new(&found.after, now),
        })
    }
}

/// Cruxes of a debate, each with its rank.
///
/// # Errors
/// Where the debate cannot be folded.
pub async fn placed(context: &Context<'_>, debate: &Debate, cruxes: &[(usize, Inner)]) -> Result<Vec<Crux>> {
    let house = Arc::new(debate.clone());
    let mut told = Vec::with_capacity(cruxes.len());
    for (rank, crux) in cruxes {
        told.push(house.placed(context, *rank, crux, Arc::clone(&house)).await?);
    }
    Ok(told)
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
    /// A debate as a whole; limit and algorithm are those of this verdict.
    pub fn new(whole: &Whole, of: &Verdict) -> DebateState {
        DebateState {
            regime: Regime::new(&whole.regime, of.limit.clone(), whole.last_word, &of.algorithm),
            n_camps: whole.n_camps,
            n_extensions: whole.n_extensions.clone(),
            n_cruxes: whole.n_cruxes,
        }
    }
}
