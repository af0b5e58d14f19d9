//! Sets of arguments that are accepted together, under each of seven semantics.

use std::sync::Arc;

use async_graphql::{Context, ID, Result, SimpleObject};

use crate::api::error::{from_panic, invalid};
use crate::api::types::argument::Label;
use crate::api::types::debate::Debate;
use crate::argumentation::count::Count;
use crate::argumentation::extensions;
use crate::argumentation::limits::Limits;
use crate::argumentation::reasoning::extensions_of;
use crate::argumentation::semantics::Semantics;
use crate::desk::compute::compute;
use crate::verdicts::labels::labels_under;

/// The most extensions that one answer lists.
pub const MAX_SETS: i32 = 1_000;

/// The sets of arguments that are accepted together under a semantics.
#[derive(SimpleObject)]
pub struct Extensions {
    /// The sets, each in order. All of them where `exact`; else each is one.
    sets: Vec<Vec<ID>>,
    /// How many there are, as a decimal number of any size: not counted from `sets`.
    count: String,
    /// Whether that is their number; else there are at least so many.
    count_exact: bool,
    /// Whether `sets` are all.
    exact: bool,
    /// The limit that was reached, where one was: `sets` where only the list is cut; else the search was given up, at its
    /// `nodes`, its `conflicts` or the size of a `component`.
    limit: Option<String>,
}

impl Extensions {
    /// Those of a debate, worked out where it keeps nobody else waiting.
    ///
    /// # Errors
    /// `INVALID` where so many are not listed.
    pub async fn of(context: &Context<'_>, debate: &Debate, semantics: Semantics, most: i32) -> Result<Extensions> {
        let sets = usize::try_from(most).ok().filter(|_| (1..=MAX_SETS).contains(&most));
        let sets =
            sets.ok_or_else(|| invalid(&format!("limit is 1 to {MAX_SETS}: so many sets are listed at once")))?;
        let board = Arc::clone(debate.board(context).await?);
        let found = compute(move || {
            let framed = board.arguments.framed();
            let found = extensions_of(&framed.framework, semantics, &Limits { sets, ..Limits::default() });
            let names = |set: &Vec<u32>| set.iter().map(|it| ID(framed.id(*it).to_string())).collect();
            let named: Vec<Vec<ID>> = found.sets.iter().map(names).collect();
            Extensions::new(named, &found)
        });
        found.await.map_err(|it| from_panic(&it))
    }

    fn new(sets: Vec<Vec<ID>>, found: &extensions::Extensions) -> Extensions {
        Extensions {
            sets,
            count: found.count.number().to_string(),
            count_exact: matches!(found.count, Count::Exactly(_)),
            exact: found.exact,
            limit: found.limit.map(str::to_owned),
        }
    }
}

/// What a semantics makes of each argument of a debate that counts.
///
/// # Errors
/// Our own fault alone.
pub async fn labelling(context: &Context<'_>, debate: &Debate, semantics: Semantics) -> Result<Vec<Label>> {
    let board = Arc::clone(debate.board(context).await?);
    let work = move || labels_under(&board.arguments.framed(), semantics, &Limits::default());
    let labels = compute(work).await.map_err(|it| from_panic(&it))?;
    let told = labels.iter().map(|it| Label {
        argument_id: ID(it.argument.to_string()),
        value: it.label.into(),
        exact: it.exact,
    });
    Ok(told.collect())
}
