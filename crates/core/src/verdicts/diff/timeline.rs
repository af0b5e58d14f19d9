//! Timeline of a debate: the versions at which a label, the regime or an open crux changed.

use std::collections::{BTreeMap, BTreeSet};

use crate::events::event::{Event, Recorded};
use crate::events::ids::ArgumentId;
use crate::verdicts::crux_id::CruxKey;
use crate::verdicts::diff::verdict_diff::{Relabelled, relabelled};
use crate::verdicts::read_model::DebateReadModel;
use crate::verdicts::regime::RegimeKind;
use crate::verdicts::verdict::Verdict;
use faultline_argumentation::labelling::Label;

/// Changes of the verdict by one event.
#[derive(Clone, Debug, PartialEq)]
pub struct TimelineEntry {
    /// Version of the event.
    pub version: i64,
    /// Arguments whose grounded labels the event changed, in order.
    pub labels: Vec<Relabelled>,
    /// Regime after the event.
    pub regime: RegimeKind,
    /// Open cruxes that exist since the event, in order of their ids.
    pub gained: Vec<CruxKey>,
    /// Cruxes that are no longer open since the event, in order of their ids.
    pub lost: Vec<CruxKey>,
}

/// Timeline up to a version. It contains ids and labels, no texts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Timeline {
    /// Last version that was examined.
    version: i64,
    /// State after that version; `None` before the first event.
    last: Option<VerdictState>,
    entries: Vec<TimelineEntry>,
}

/// Part of a verdict whose changes a timeline contains.
#[derive(Clone, Debug, PartialEq)]
struct VerdictState {
    labels: BTreeMap<ArgumentId, Label>,
    regime: RegimeKind,
    cruxes: BTreeSet<CruxKey>,
}

impl VerdictState {
    fn of(verdict: Verdict) -> VerdictState {
        let cruxes = verdict.cruxes.iter().map(|crux| crux.key).collect();
        VerdictState { labels: verdict.labels, regime: verdict.regime.kind, cruxes }
    }

    /// False for events that change nothing in this state, so that examining them would only cost time.
    fn can_be_changed_by(&self, event: &Event) -> bool {
        match reach(event) {
            Reach::Nothing => false,
            // While something divides the participants, no consensus can come or go.
            Reach::Obstacles => matches!(self.regime, RegimeKind::Undetermined | RegimeKind::Consensus),
            Reach::Everything => true,
        }
    }
}

impl Timeline {
    /// Last version that was examined.
    pub fn version(&self) -> i64 {
        self.version
    }

    /// Returns the entries up to a version.
    pub fn until(&self, version: i64) -> &[TimelineEntry] {
        &self.entries[..self.entries.partition_point(|entry| entry.version <= version)]
    }

    /// Folds the next events of the debate into its read model, and examines those after [`Timeline::version`].
    ///
    /// Costs one verdict for each examined event that a verdict can depend on.
    pub fn extend(&mut self, read_model: &mut DebateReadModel, events: &[Recorded]) {
        for recorded in events {
            read_model.apply(recorded);
            if recorded.version > self.version {
                self.version = recorded.version;
                if self.last.as_ref().is_none_or(|last| last.can_be_changed_by(&recorded.event)) {
                    self.examine(VerdictState::of(read_model.verdict()));
                }
            }
        }
    }

    fn examine(&mut self, state: VerdictState) {
        let Some(last) = &self.last else {
            self.last = Some(state);
            return;
        };
        let entry = TimelineEntry {
            version: self.version,
            labels: relabelled(&last.labels, &state.labels),
            regime: state.regime,
            gained: state.cruxes.difference(&last.cruxes).copied().collect(),
            lost: last.cruxes.difference(&state.cruxes).copied().collect(),
        };
        let changes = !entry.labels.is_empty() || !entry.gained.is_empty() || !entry.lost.is_empty();
        if changes || entry.regime != last.regime {
            self.entries.push(entry);
            self.last = Some(state);
        }
    }
}

/// True if a rule of verdicts reads the event; after any other event the verdict is the same as before.
pub fn can_change_verdict(event: &Event) -> bool {
    !matches!(reach(event), Reach::Nothing)
}

/// True if the event can change labels and cruxes.
pub fn can_change_cruxes(event: &Event) -> bool {
    matches!(reach(event), Reach::Everything)
}

/// Part of a verdict that an event can change.
enum Reach {
    /// No rule of verdicts reads it.
    Nothing,
    /// What stands in the way of a consensus: silence, what was not read, and what was not compared.
    Obstacles,
    /// Labels and cruxes, too.
    Everything,
}

fn reach(event: &Event) -> Reach {
    match event {
        Event::EffectRequested(_)
        | Event::EffectAnswered(_)
        | Event::SearchRequested(_)
        | Event::InjectionSuspected(_)
        | Event::FloorGiven(_)
        | Event::AttentionScored(_)
        | Event::AgendaSet(_)
        | Event::TurnSkipped(_)
        | Event::HintGiven(_)
        | Event::IntentStated(_)
        | Event::ConvergenceMeasured(_)
        | Event::TableSeated(_)
        | Event::TurnDrafted(_)
        | Event::TurnRejected(_)
        | Event::ClaimsExtracted(_)
        | Event::ClaimChecked(_)
        | Event::DisagreementsDetected(_)
        | Event::ProgressMeasured(_)
        | Event::RecordKept(_) => Reach::Nothing,
        Event::TurnTaken(_)
        | Event::EffectFailed(_)
        | Event::EffectAbandoned(_)
        | Event::PhaseEntered(_)
        | Event::DebatePaused(_)
        | Event::DebateResumed(_)
        | Event::Interjected(_)
        | Event::TurnsCrystallized(_)
        | Event::ClaimsCompared(_)
        // It counts once it is judged, and so does the argument that carries it.
        | Event::AttackRaised(_) => Reach::Obstacles,
        Event::ArgumentAdvanced(advanced) if advanced.carries.is_some() => Reach::Obstacles,
        _ => Reach::Everything,
    }
}
