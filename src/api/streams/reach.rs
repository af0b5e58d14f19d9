//! Range of a stream to execute, passed to resolvers beside their arguments, and the positions they report beside their
//! items.
//!
//! A shared stream is executed from a position that the hub chooses, possibly only up to another one. The hub also has
//! to know the position after each response, whatever fields were selected.

use std::sync::{Arc, Mutex, PoisonError};

use async_graphql::Context;

use crate::api::streams::place::Place;
use crate::desk::follow::Upto;
use crate::store::lanes::Cursor;

/// Range of a stream to execute. Without one, the arguments of the field determine the start.
#[derive(Clone, Debug, Default)]
pub struct Reach {
    /// Position to start after, which overrides the arguments.
    pub from: Option<Place>,
    /// Position to stop at; `None` for an endless stream.
    pub upto: Option<Upto<Place>>,
    mark: Arc<Mutex<Option<Place>>>,
}

impl Reach {
    /// Creates a range that starts after a position.
    pub fn new(from: Place, upto: Option<Upto<Place>>) -> Reach {
        Reach { from: Some(from), upto, mark: Arc::default() }
    }

    /// Returns the range of the current request.
    pub fn of(context: &Context<'_>) -> Reach {
        context.data_opt::<Reach>().cloned().unwrap_or_default()
    }

    /// Reports the position after the next item.
    pub fn mark(&self, place: Place) {
        *self.mark.lock().unwrap_or_else(PoisonError::into_inner) = Some(place);
    }

    /// Returns and clears the reported position of the last response; items are resolved one at a time.
    pub fn marked(&self) -> Option<Place> {
        self.mark.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Returns the version to start after, if it overrides the arguments.
    pub fn from_version(&self) -> Option<i64> {
        match self.from {
            Some(Place::Version(version)) => Some(version),
            _ => None,
        }
    }

    /// Returns the version to stop at.
    pub fn upto_version(&self) -> Option<Upto<i64>> {
        match &self.upto {
            Some(Upto::Place(Place::Version(version))) => Some(Upto::Place(*version)),
            Some(Upto::Near) => Some(Upto::Near),
            _ => None,
        }
    }

    /// Returns the cursor to start after, if it overrides the arguments.
    pub fn from_cursor(&self) -> Option<Cursor> {
        match &self.from {
            Some(Place::Log(cursor)) => Some(cursor.clone()),
            _ => None,
        }
    }

    /// Returns the cursor to stop at.
    pub fn upto_cursor(&self) -> Option<Upto<Cursor>> {
        match &self.upto {
            Some(Upto::Place(Place::Log(cursor))) => Some(Upto::Place(cursor.clone())),
            Some(Upto::Near) => Some(Upto::Near),
            _ => None,
        }
    }
}
