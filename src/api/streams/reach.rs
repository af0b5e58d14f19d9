//! What a resolver of a stream is told beside its arguments, and what it tells beside its items.
//!
//! Whoever shares a stream has it executed from a place of its own choosing, maybe only up to another; and has to know
//! behind which place each response leaves its reader, whatever fields were asked for.

use std::sync::{Arc, Mutex, PoisonError};

use async_graphql::Context;

use crate::api::streams::place::Place;
use crate::desk::follow::Upto;
use crate::store::lanes::Cursor;

/// From where to where a stream is wanted. Without one a request says so by its arguments.
#[derive(Clone, Debug, Default)]
pub struct Reach {
    /// Behind this place, whatever the arguments say.
    pub from: Option<Place>,
    /// So far; for ever where nothing is said.
    pub upto: Option<Upto<Place>>,
    mark: Arc<Mutex<Option<Place>>>,
}

impl Reach {
    /// Behind a place, and so far.
    pub fn new(from: Place, upto: Option<Upto<Place>>) -> Reach {
        Reach { from: Some(from), upto, mark: Arc::default() }
    }

    /// The one that a request carries.
    pub fn of(context: &Context<'_>) -> Reach {
        context.data_opt::<Reach>().cloned().unwrap_or_default()
    }

    /// Says where the item that comes next leaves its reader.
    pub fn mark(&self, place: Place) {
        *self.mark.lock().unwrap_or_else(PoisonError::into_inner) = Some(place);
    }

    /// What was said of the response that came last; items are resolved one after the other.
    pub fn marked(&self) -> Option<Place> {
        self.mark.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// The version to begin behind, where another is wanted than the arguments say.
    pub fn from_version(&self) -> Option<i64> {
        match self.from {
            Some(Place::Version(version)) => Some(version),
            _ => None,
        }
    }

    /// So far in a debate.
    pub fn upto_version(&self) -> Option<Upto<i64>> {
        match &self.upto {
            Some(Upto::Place(Place::Version(version))) => Some(Upto::Place(*version)),
            Some(Upto::Near) => Some(Upto::Near),
            _ => None,
        }
    }

    /// The cursor to begin behind, where another is wanted than the arguments say.
    pub fn from_cursor(&self) -> Option<Cursor> {
        match &self.from {
            Some(Place::Log(cursor)) => Some(cursor.clone()),
            _ => None,
        }
    }

    /// So far in the log.
    pub fn upto_cursor(&self) -> Option<Upto<Cursor>> {
        match &self.upto {
            Some(Upto::Place(Place::Log(cursor))) => Some(Upto::Place(cursor.clone())),
            Some(Upto::Near) => Some(Upto::Near),
            _ => None,
        }
    }
}
