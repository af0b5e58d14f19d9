//! GraphQL types of the difference between two versions of a debate, or between a debate and its fork.

use std::sync::Arc;

use async_graphql::{Context, ID, Result, SimpleObject};

use crate::api::error::from_panic;
use crate::api::types::analysis::verdict::CommonGround;
use crate::api::types::analysis::verdict_change::VerdictChange;
use crate::api::types::analysis::what_if::{DebateState, LabelChange};
use crate::api::types::crux::crux::Crux;
use crate::api::types::debate::debate::Debate;
use crate::api::types::debate::debate_ref::ParticipantSource;
use crate::api::types::scalars::Side;
use crate::api::types::speech::granted::GrantedStatement;
use faultline_core::events::dispute;
use faultline_core::events::ids::TurnId;
use faultline_core::verdicts::diff::verdict_diff::{StanceDiff, stance_diffs, verdict_diff};
use faultline_service::compute::compute;

/// Difference between two versions.
#[derive(SimpleObject)]
pub struct DebateDiff {
    /// The debate at the first version.
    from: Debate,
    /// The debate at the second version.
    to: Debate,
    /// All differences between the verdicts, each with its two values; empty exactly if the verdicts are equal. The
    /// other lists show some of them as objects.
    changes: Vec<VerdictChange>,
    /// Arguments whose labels differ, in order.
    label_changes: Vec<LabelChange>,
    /// Stances that differ, by dispute and persona.
    stance_changes: Vec<StanceChange>,
    /// Cruxes that only the second version has, highest rank first, with their ranks in it.
    cruxes_gained: Vec<Crux>,
    /// Cruxes that only the first version has, with their ranks in it.
    cruxes_lost: Vec<Crux>,
    /// Common ground that only the second version has.
    common_ground_gained: Vec<CommonGround>,
    /// Common ground that only the first version has.
    common_ground_lost: Vec<CommonGround>,
    /// Granted statements that only the second version has.
    granted_gained: Vec<GrantedStatement>,
    /// Granted statements that only the first version has.
    granted_lost: Vec<GrantedStatement>,
    /// Overall state at the first version.
    before: DebateState,
    /// Overall state at the second version.
    after: DebateState,
    /// True if both verdicts are exact.
    exact: bool,
}

/// A stance that differs.
#[derive(SimpleObject)]
#[graphql(complex)]
pub struct StanceChange {
    /// Id of the dispute.
    dispute_id: ID,
    /// Id of the persona whose stance differs.
    pub(crate) persona_id: ID,
    /// Side at the first version; null if none was taken.
    from: Option<Side>,
    /// Side at the second version; null if none was taken.
    to: Option<Side>,
    /// Id of the turn in which the second side was taken.
    turn_id: Option<ID>,
    #[graphql(skip)]
    pub(crate) participants: ParticipantSource,
}

impl StanceChange {
    fn new(shift: &StanceDiff, participants: &ParticipantSource) -> Self {
        let side = |stance: &Option<(dispute::Side, TurnId)>| stance.map(|(side, _)| side.into());
        StanceChange {
            dispute_id: ID(shift.dispute.to_string()),
            persona_id: ID(shift.persona.to_string()),
            from: side(&shift.from),
            to: side(&shift.to),
            turn_id: shift.to.map(|(_, turn)| ID(turn.to_string())),
            participants: participants.clone(),
        }
    }
}

impl DebateDiff {
    /// Computes the difference between two debates, or between two versions of one.
    ///
    /// # Errors
    /// The codes of `Debate::read_model` if one of them cannot be folded; `INTERNAL` if the computation fails.
    pub async fn of(context: &Context<'_>, from: Debate, to: Debate) -> Result<DebateDiff> {
        let shifted = stance_diffs(&from.read_model(context).await?.disputes, &to.read_model(context).await?.disputes);
        let verdicts = (Arc::clone(from.verdict(context).await?), Arc::clone(to.verdict(context).await?));
        let (one, other) = verdicts.clone();
        let found = compute(move || verdict_diff(&one, &other)).await.map_err(|error| from_panic(&error))?;
        let (first, second) = (Arc::new(from.clone()), Arc::new(to.clone()));
        let (before, after) = (ParticipantSource::from(&first), ParticipantSource::from(&second));
        let debates = (&from.id, &to.id);
        Ok(DebateDiff {
            changes: found.changes.iter().map(|change| VerdictChange::new(change, debates, &after)).collect(),
            label_changes: found.labels.iter().map(Into::into).collect(),
            stance_changes: shifted.iter().map(|shift| StanceChange::new(shift, &after)).collect(),
            cruxes_gained: Crux::all_ranked(context, &second, &found.gained).await?,
            cruxes_lost: Crux::all_ranked(context, &first, &found.lost).await?,
            common_ground_gained: found.agreed.iter().map(|ground| CommonGround::new(ground, &after)).collect(),
            common_ground_lost: found.disagreed.iter().map(|ground| CommonGround::new(ground, &before)).collect(),
            granted_gained: found.granted_gained.iter().map(|granted| GrantedStatement::new(granted, &after)).collect(),
            granted_lost: found.granted_lost.iter().map(|granted| GrantedStatement::new(granted, &before)).collect(),
            exact: found.before.exact && found.after.exact,
            before: DebateState::new(&found.before, &verdicts.0),
            after: DebateState::new(&found.after, &verdicts.1),
            from,
            to,
        })
    }
}
