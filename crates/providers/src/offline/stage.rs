//! Derived debate with what every reply needs of it.

use crate::offline::contest;
use crate::offline::debate::debate::DerivedDebate;

/// Debate together with the claims that suit an opening.
#[derive(Debug)]
pub struct OfflineStage {
    /// Derived debate.
    pub debate: DerivedDebate,
    /// Claims of each participant, with their scores.
    pub claims: Vec<Vec<(f64, usize)>>,
}

impl OfflineStage {
    /// Computes the claims of a debate.
    pub fn set(debate: DerivedDebate) -> Self {
        let claims = contest::claims(&debate);
        OfflineStage { debate, claims }
    }
}
