//! What differs between two moments of a debate, or between a debate and its fork.

use std::sync::Arc;

use async_graphql::{Context, ID, Result, SimpleObject};

use crate::api::error::from_panic;
use crate::api::types::crux::Crux;
use crate::api::types::debate::Debate;
use crate::api::types::scalars::Side;
use crate::api::types::verdict::CommonGround;
use crate::api::types::what_if::{DebateState, LabelChange, placed};
use crate::desk::compute::compute;
use crate::events::dispute;
use crate::events::ids::TurnId;
use crate::verdicts::difference::{Shift, difference, shifts};

/// What differs between two moments.
#[derive(SimpleObject)]
pub struct DebateDiff {
    /// The debate at the first.
    from: Debate,
    /// The debate at the second.
    to: Debate,
    /// The arguments whose labels differ, in order.
    labels: Vec<LabelChange>,
    /// The stances that differ, by dispute and persona.
    stances: Vec<StanceShift>,
    /// Cruxes that only the second has, most telling first, each with its rank then.
    cruxes_gained: Vec<Crux>,
    /// Cruxes that only the first has, each with its rank then.
    cruxes_lost: Vec<Crux>,
    /// Common ground that only the second has.
    common_ground_gained: Vec<CommonGround>,
    /// Common ground that only the first has.
    common_ground_lost: Vec<CommonGround>,
    /// The first as a whole.
    before: DebateState,
    /// The second as a whole.
    after: DebateState,
    /// Whether all of it is known, before and after.
    exact: bool,
}

/// A stance that differs.
#[derive(SimpleObject)]
pub struct StanceShift {
    /// The dispute.
    dispute_id: ID,
    /// Whose stance.
    persona_id: ID,
    /// The side at the first; none where nothing was said.
    from: Option<Side>,
    /// The side at the second.
    to: Option<Side>,
    /// The turn in which the second was said.
    turn_id: Option<ID>,
}

impl From<&Shift> for StanceShift {
    fn from(shift: &Shift) -> Self {
        let side = |it: &Option<(dispute::Side, TurnId)>| it.map(|(side, _)| side.into());
        StanceShift {
            dispute_id: ID(shift.dispute.to_string()),
            persona_id: ID(shift.persona.to_string()),
            from: side(&shift.from),
            to: side(&shift.to),
            turn_id: shift.to.map(|(_, turn)| ID(turn.to_string())),
        }
    }
}

impl DebateDiff {
    /// What differs between two debates, or one at two versions.
    ///
    /// # Errors
    /// Where one of them cannot be folded.
    pub async fn of(context: &Context<'_>, from: Debate, to: Debate) -> Result<DebateDiff> {
        let shifted = shifts(&from.board(context).await?.disputes, &to.board(context).await?.disputes);
        let verdicts = (Arc::clone(from.verdict(context).await?), Arc::clone(to.verdict(context).await?));
        let (one, other) = verdicts.clone();
        let found = compute(move || difference(&one, &other)).await.map_err(|it| from_panic(&it))?;
        Ok(DebateDiff {
            labels: found.labels.iter().map(Into::into).collect(),
            stances: shifted.iter().map(Into::into).collect(),
            cruxes_gained: placed(context, &to, &found.gained).await?,
            cruxes_lost: placed(context, &from, &found.lost).await?,
            common_ground_gained: found.agreed.iter().map(CommonGround::from).collect(),
            common_ground_lost: found.disagreed.iter().map(CommonGround::from).collect(),
            exact: found.before.exact && found.after.exact,
            before: DebateState::new(&found.before, &verdicts.0),
            after: DebateState::new(&found.after, &verdicts.1),
            from,
            to,
        })
    }
}
