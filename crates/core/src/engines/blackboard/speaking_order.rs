//! Order in which the participants at a table speak.

/// Order in which the participants at a table speak.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpeakingOrder {
    /// Everybody in each round, at the same moment.
    AllAtOnce,
    /// One in each round: whoever wants it most.
    ByUrgency,
}
