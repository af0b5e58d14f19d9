//! GraphQL type of extensions (sets of jointly accepted arguments) under seven semantics.

use std::sync::Arc;

use async_graphql::{Context, ID, Result, SimpleObject};

use crate::api::error::{from_panic, invalid};
use crate::api::types::debate::debate::Debate;
use crate::api::types::speech::argument::Label;
use faultline_argumentation::extensions;
use faultline_argumentation::limits::SolverLimits;
use faultline_argumentation::reasoning::extensions_of;
use faultline_argumentation::semantics::Semantics;
use faultline_argumentation::structures::count::Count;
use faultline_core::verdicts::labels::labels::labels_under;
use faultline_service::compute::compute;

/// Maximum number of extensions in one response.
pub const MAX_SETS: i32 = 1_000;

/// Extensions under one semantics: the sets of arguments that are accepted together.
#[derive(SimpleObject)]
pub struct Extensions {
    /// Extensions, ordered. The list is complete if `exact`; otherwise it contains only some of them.
    sets: Vec<Vec<ID>>,
    /// Number of extensions as a decimal number of any size; it can exceed the length of `sets`.
    count: String,
    /// True if `count` is exact; false if it is a lower bound.
    count_exact: bool,
    /// True if `sets` is complete.
    exact: bool,
    /// Limit that was reached, if any: `sets` if only the list is cut; otherwise the search was stopped early by its
    /// limit on `nodes`, on `conflicts` or on the size of a `component`.
    limit: Option<String>,
}

impl Extensions {
    /// Computes the extensions of a debate, on the compute pool.
    ///
    /// # Errors
    /// `INVALID` if `most` is out of range; the codes of `Debate::read_model` if the debate cannot be folded.
    pub async fn of(context: &Context<'_>, debate: &Debate, semantics: Semantics, most: i32) -> Result<Extensions> {
        let sets = usize::try_from(most).ok().filter(|_| (1..=MAX_SETS).contains(&most));
        let sets = sets.ok_or_else(|| invalid(&format!("`limit` must be between 1 and {MAX_SETS}")))?;
        let read_model = Arc::clone(debate.read_model(context).await?);
        let found = compute(move || {
            let framed = read_model.arguments.framework();
            let found = extensions_of(&framed.framework, semantics, &SolverLimits { sets, ..SolverLimits::default() });
            let names = |set: &Vec<u32>| set.iter().map(|index| ID(framed.id(*index).to_string())).collect();
            let named: Vec<Vec<ID>> = found.sets.iter().map(names).collect();
            Extensions::new(named, &found)
        });
        found.await.map_err(|error| from_panic(&error))
    }

    fn new(sets: Vec<Vec<ID>>, found: &extensions::ExtensionList) -> Extensions {
        Extensions {
            sets,
            count: found.count.number().to_string(),
            count_exact: matches!(found.count, Count::Exactly(_)),
            exact: found.exact,
            limit: found.limit.map(str::to_owned),
        }
    }
}

/// Computes the labels of all arguments of a debate that count, under a semantics.
///
/// # Errors
/// The codes of `Debate::read_model` if the debate cannot be folded; `INTERNAL` if the computation fails.
pub async fn labelling(context: &Context<'_>, debate: &Debate, semantics: Semantics) -> Result<Vec<Label>> {
    let read_model = Arc::clone(debate.read_model(context).await?);
    let work = move || labels_under(&read_model.arguments.framework(), semantics, &SolverLimits::default());
    let labels = compute(work).await.map_err(|error| from_panic(&error))?;
    let labels = labels.iter().map(|entry| Label {
        argument_id: ID(entry.argument.to_string()),
        value: entry.label.into(),
        exact: entry.exact,
    });
    Ok(labels.collect())
}
