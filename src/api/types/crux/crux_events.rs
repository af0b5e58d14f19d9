//! Newly found cruxes, and whether they match a filter.

use std::sync::Arc;

use async_graphql::Result;

use crate::api::error::invalid;
use crate::api::types::crux::crux::{Crux, CruxOrigin, RankedCrux};
use crate::api::types::debate::debate::Debate;
use crate::api::types::debate::debate_ref::DebateRef;
use faultline_service::feeds::crux_feed::FoundCrux;
use faultline_store::views::cruxes::CruxQuery;

/// Builds the crux with its debate at the version at which it was found.
///
/// # Errors
/// `INVALID` if the debate has no opening event.
pub fn crux(found: &FoundCrux) -> Result<Crux> {
    let read_model = found.read_model.as_ref();
    let at_discovery = Debate::from_read_model(read_model.clone(), Some(read_model.summary.version))?;
    let (Some(debate), Some(opened)) = (read_model.summary.debate, read_model.summary.opened_at) else {
        return Err(invalid("the debate has no opening event"));
    };
    let times = found.crux.times(&read_model.transcript, opened);
    Ok(Crux::new(
        RankedCrux { debate, rank: found.rank, crux: &found.crux, times },
        DebateRef::Known(Arc::new(at_discovery)),
    ))
}

/// Returns true if the crux matches the filter, by the same rules as in the list of cruxes.
pub fn matches_filter(filter: &CruxQuery, found: &FoundCrux) -> bool {
    let crux = &found.crux;
    let takes_side = |persona| {
        let sides = crux.positions.iter().filter(|position| position.persona == persona);
        sides.map(|position| position.side).any(|side| side.is_listed())
    };
    filter.debate.is_none_or(|id| found.read_model.summary.debate == Some(id))
        && filter.persona.clone().is_none_or(takes_side)
        && filter.kind.as_deref().is_none_or(|kind| CruxOrigin::of(crux.origin).name() == kind)
        && filter.open.is_none_or(|open| crux.open == open)
        && filter.regime.as_deref().is_none_or(|it| found.regime.name() == it)
        && filter.min_pivotality.is_none_or(|it| crux.pivotality.unwrap_or(-1.0) >= it)
}
