//! Range of a stream to execute, and the positions that resolvers report beside their items.
//!
//! A shared stream is executed from a position that the hub chooses, possibly only up to another one; the hub passes
//! both as a [`ResumePoint`] beside the arguments. Otherwise the argument `after` determines the start.
//! [`ResumePoint::resolve`] decides between the two, once; everything below takes the resolved position. The hub also
//! has to know the position after each response, whatever fields were selected.

use std::sync::{Arc, Mutex, PoisonError};

use async_graphql::{Context, Result};

use crate::api::error::internal;
use crate::api::streams::position::Position;
use faultline_service::catch_up::Until;

/// Range of a stream to execute.
#[derive(Clone, Debug)]
pub struct ResumePoint {
    /// Position to start after.
    pub after: Position,
    /// Position to stop at; `None` for an endless stream.
    pub until: Option<Until<Position>>,
    reported: Arc<Mutex<Option<Position>>>,
}

impl ResumePoint {
    /// Creates a resume point after a position.
    pub fn new(after: Position, until: Option<Until<Position>>) -> ResumePoint {
        ResumePoint { after, until, reported: Arc::default() }
    }

    /// Returns the resume point of the current request: the one that the hub passed, or else an endless one after the position
    /// that the arguments name.
    ///
    /// # Errors
    /// The error of `argument`, which is called only if its position is needed.
    pub fn resolve(context: &Context<'_>, argument: impl FnOnce() -> Result<Position>) -> Result<ResumePoint> {
        match context.data_opt::<ResumePoint>() {
            Some(passed) => Ok(passed.clone()),
            None => Ok(ResumePoint::new(argument()?, None)),
        }
    }

    /// Reports the position after the next item.
    pub fn report(&self, position: Position) {
        *self.reported.lock().unwrap_or_else(PoisonError::into_inner) = Some(position);
    }

    /// Returns and clears the reported position of the last response; items are resolved one at a time.
    pub fn take_reported(&self) -> Option<Position> {
        self.reported.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Returns the start and the end in the positions of one kind of stream, which `convert` extracts.
    ///
    /// # Errors
    /// `INTERNAL` if a position is of another kind.
    pub fn bounds<P>(&self, convert: impl Fn(&Position) -> Option<P>) -> Result<(P, Option<Until<P>>)> {
        let convert = |position: &Position| {
            convert(position).ok_or_else(|| internal(&format!("{position:?} is not a position of this stream")))
        };
        let until = match &self.until {
            Some(Until::Position(position)) => Some(Until::Position(convert(position)?)),
            Some(Until::Near) => Some(Until::Near),
            None => None,
        };
        Ok((convert(&self.after)?, until))
    }
}
