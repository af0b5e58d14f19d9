//! Range of a stream to execute, passed to resolvers beside their arguments, and the positions they report beside their
//! items.
//!
//! A shared stream is executed from a position that the hub chooses, possibly only up to another one. The hub also has
//! to know the position after each response, whatever fields were selected.

use std::sync::{Arc, Mutex, PoisonError};

use async_graphql::Context;

use crate::api::streams::position::Position;
use crate::service::catch_up::Until;
use faultline_store::lanes::Cursor;

/// Range of a stream to execute. Without one, the arguments of the field determine the start.
#[derive(Clone, Debug, Default)]
pub struct ResumePoint {
    /// Position to start after, which overrides the arguments.
    pub from: Option<Position>,
    /// Position to stop at; `None` for an endless stream.
    pub upto: Option<Until<Position>>,
    mark: Arc<Mutex<Option<Position>>>,
}

impl ResumePoint {
    /// Creates a range that starts after a position.
    pub fn new(from: Position, upto: Option<Until<Position>>) -> ResumePoint {
        ResumePoint { from: Some(from), upto, mark: Arc::default() }
    }

    /// Returns the range of the current request.
    pub fn of(context: &Context<'_>) -> ResumePoint {
        context.data_opt::<ResumePoint>().cloned().unwrap_or_default()
    }

    /// Reports the position after the next item.
    pub fn mark(&self, place: Position) {
        *self.mark.lock().unwrap_or_else(PoisonError::into_inner) = Some(place);
    }

    /// Returns and clears the reported position of the last response; items are resolved one at a time.
    pub fn marked(&self) -> Option<Position> {
        self.mark.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Returns the version to start after, if it overrides the arguments.
    pub fn from_version(&self) -> Option<i64> {
        match self.from {
            Some(Position::Version(version)) => Some(version),
            _ => None,
        }
    }

    /// Returns the version to stop at.
    pub fn upto_version(&self) -> Option<Until<i64>> {
        match &self.upto {
            Some(Until::Place(Position::Version(version))) => Some(Until::Place(*version)),
            Some(Until::Near) => Some(Until::Near),
            _ => None,
        }
    }

    /// Returns the cursor to start after, if it overrides the arguments.
    pub fn from_cursor(&self) -> Option<Cursor> {
        match &self.from {
            Some(Position::Log(cursor)) => Some(cursor.clone()),
            _ => None,
        }
    }

    /// Returns the cursor to stop at.
    pub fn upto_cursor(&self) -> Option<Until<Cursor>> {
        match &self.upto {
            Some(Until::Place(Position::Log(cursor))) => Some(Until::Place(cursor.clone())),
            Some(Until::Near) => Some(Until::Near),
            _ => None,
        }
    }
}
