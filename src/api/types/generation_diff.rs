//! GraphQL types of the differences between a generation of a projection and the served one.

use async_graphql::{ID, Result, SimpleObject};

use crate::api::error::{error_with_code, from_fault, invalid};
use crate::api::types::projection::{NAME, generation_number};
use faultline_core::events::ids::DebateId;
use faultline_core::verdicts::diff::stored_change::StoredChange;
use faultline_core::verdicts::diff::verdict_diff_stats::{ChangeStats, VerdictDiffStats};
use faultline_service::views::generation_diff;
use faultline_service::views::generation_diff::GenerationDiff as Comparison;
use faultline_store::generations::generations::GenerationState;
use faultline_store::views::views::Views;

/// Maximum number of debates that one request compares.
pub const MAX_COMPARED: i32 = 5_000;
/// Maximum number of changed debates that one request lists.
pub const MAX_CHANGED: i32 = 100;
/// Maximum number of changes of one debate that are listed.
const MAX_CHANGES: usize = 50;

/// Differences between the served generation and another one, of the debates that were compared.
#[derive(SimpleObject)]
pub struct GenerationDiff {
    /// Number of the served generation.
    served_number: i32,
    /// Number of the generation that was compared with it.
    number: i32,
    /// Number of debates that were compared.
    compared_count: u64,
    /// Number of compared debates without any difference, apart from the name of the algorithm.
    unchanged_count: u64,
    /// Number of debates that only the served generation contains.
    only_served_count: u64,
    /// Number of debates that only the other generation contains.
    only_new_count: u64,
    /// Number of debates that were not compared because they changed meanwhile.
    moved_count: u64,
    /// Number of debates that were not compared because the served verdict cannot be read.
    unreadable_count: u64,
    /// Differences by view and field, ordered by name.
    fields: Vec<FieldDifference>,
    /// First debates with differences, ordered by id.
    changed_debates: Vec<ChangedDebate>,
    /// Id of the last debate that was compared; continue with it as `after`. Null if there was none.
    end_cursor: Option<ID>,
    /// True if there are further debates. The counts cover only those up to `endCursor`.
    has_next_page: bool,
}

/// Differences in one field of a stored view, over the compared debates.
#[derive(SimpleObject)]
pub struct FieldDifference {
    /// View and field, such as `verdict.regime_kind`; `others` for those beyond the first 128.
    field: String,
    /// Number of debates with such a difference.
    debate_count: u64,
    /// Number of differences.
    change_count: u64,
    /// Differences by kind, ordered by name.
    kinds: Vec<DifferenceKind>,
}

/// Number of differences of one kind.
#[derive(SimpleObject)]
pub struct DifferenceKind {
    /// Kind: both values if there are few, as in `undetermined → polarized`; otherwise `added`, `removed` or `changed`.
    kind: String,
    /// Number of differences.
    change_count: u64,
}

/// A debate whose stored views differ.
#[derive(SimpleObject)]
pub struct ChangedDebate {
    /// Id of the debate.
    debate_id: ID,
    /// Topic.
    topic: String,
    /// Number of differences.
    change_count: u64,
    /// Differences, at most 50.
    changes: Vec<ViewChange>,
}

/// A difference in a stored view of a debate.
#[derive(SimpleObject)]
pub struct ViewChange {
    /// View: `listing`, `summary`, `verdict`, `cruxes` or `disputes`.
    view: String,
    /// Name of what differs, such as `regime_kind`; `row` for a row that only one generation has.
    field: String,
    /// Item to which it belongs, such as a crux and a participant; `verdict` or empty for the view as a whole.
    item: String,
    /// Value in the served generation, as text; null if there is none.
    before: Option<String>,
    /// Value in the other generation, as text; null if there is none.
    after: Option<String>,
}

/// Requested part of a comparison.
pub struct DiffRequest {
    /// Id of the generation.
    pub generation: ID,
    /// Debate after which to begin.
    pub after: Option<DebateId>,
    /// Maximum number of debates to compare; pages are compared as a whole.
    pub compared: i32,
    /// Maximum number of changed debates to list.
    pub changed: i32,
}

/// Compares a generation with the served one.
///
/// # Errors
/// `INVALID` if a number is out of range; `NOT_FOUND` if there is no such generation; `CONFLICT` if it has no rows to
/// compare, or none is served; the codes of [`from_fault`] if the database fails.
pub async fn diff(views: &Views, request: DiffRequest) -> Result<GenerationDiff> {
    let DiffRequest { generation, after, compared, changed } = request;
    for (name, value, most) in [("compare", compared, MAX_COMPARED), ("first", changed, MAX_CHANGED)] {
        if !(1..=most).contains(&value) {
            return Err(invalid(&format!("`{name}` ({value}) must be between 1 and {most}")));
        }
    }
    let number = generation_number(&generation)?;
    let fault = |error| from_fault(&error);
    let found = views.generations().one(number).await.map_err(fault)?;
    let found = found.ok_or_else(|| error_with_code(&format!("there is no generation {number}"), "NOT_FOUND"))?;
    if matches!(found.state, GenerationState::Wanted | GenerationState::Dropped | GenerationState::Rejected) {
        let reason = format!("generation {number} is {}; it has no rows to compare", found.state.name());
        return Err(error_with_code(&reason, "CONFLICT"));
    }
    let served = views.served_generation(NAME).await.map_err(fault)?;
    let served = served.ok_or_else(|| error_with_code("no generation is served yet", "CONFLICT"))?;
    let mut comparison = Comparison::new(views, (served, number), after);
    let (mut debates, mut n_compared, mut has_next_page) = (Vec::new(), 0, true);
    while n_compared < compared as usize {
        let page = comparison.next_page().await.map_err(fault)?;
        has_next_page = page.n_debates > 0;
        if !has_next_page {
            break;
        }
        n_compared += page.n_debates;
        debates.extend(page.changed.into_iter().map(ChangedDebate::from).take(changed as usize - debates.len()));
    }
    Ok(GenerationDiff::of((served, number), &comparison, debates, has_next_page))
}

impl GenerationDiff {
    fn of(
        (served_number, number): (i32, i32),
        comparison: &Comparison,
        changed_debates: Vec<ChangedDebate>,
        has_next_page: bool,
    ) -> GenerationDiff {
        let VerdictDiffStats { compared, unchanged, changes, only_before, only_after, moved, unreadable } =
            &comparison.stats;
        GenerationDiff {
            served_number,
            number,
            compared_count: *compared,
            unchanged_count: *unchanged,
            only_served_count: *only_before,
            only_new_count: *only_after,
            moved_count: *moved,
            unreadable_count: *unreadable,
            fields: changes.iter().map(|(field, stats)| FieldDifference::of(field, stats)).collect(),
            changed_debates,
            end_cursor: comparison.position().map(|debate| ID(debate.to_string())),
            has_next_page,
        }
    }
}

impl FieldDifference {
    fn of(field: &str, stats: &ChangeStats) -> FieldDifference {
        let kind = |(kind, n): (&String, &u64)| DifferenceKind { kind: kind.clone(), change_count: *n };
        FieldDifference {
            field: field.to_owned(),
            debate_count: stats.debates,
            change_count: stats.changes,
            kinds: stats.kinds.iter().map(kind).collect(),
        }
    }
}

impl From<generation_diff::ChangedDebate> for ChangedDebate {
    fn from(changed: generation_diff::ChangedDebate) -> Self {
        ChangedDebate {
            debate_id: ID(changed.debate.to_string()),
            topic: changed.topic,
            change_count: changed.changes.len() as u64,
            changes: changed.changes.into_iter().take(MAX_CHANGES).map(ViewChange::from).collect(),
        }
    }
}

impl From<StoredChange> for ViewChange {
    fn from(change: StoredChange) -> Self {
        ViewChange {
            view: change.view.name().to_owned(),
            field: change.field,
            item: change.item,
            before: change.from,
            after: change.to,
        }
    }
}
