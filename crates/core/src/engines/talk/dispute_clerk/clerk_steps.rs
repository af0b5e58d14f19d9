//! Steps of a clerk who distils a talk into disputes, for engines with rounds.

use crate::engines::talk::dispute_clerk::dispute_clerk::DisputeClerk;
use crate::engines::talk::speeches::Speeches;
use crate::engines::talk::state::{Talk, Window};
use crate::engines::talk::talk::{Distiller, next_comparison};
use crate::events::receipt::{CRYSTALLIZE, Tier};
use crate::kernel::effect::{Effect, effect_key};
use crate::kernel::engine::Plan;

/// Subject of the clerk's effect keys.
pub const CLERK: &str = "clerk";

/// Clerk, with the talk that it reads.
#[derive(Clone, Copy)]
pub struct ClerkSteps<'a> {
    /// The talk.
    pub talk: &'a Talk,
    /// The clerk.
    pub clerk: &'a DisputeClerk,
    /// Maximum number of turns in one distillation.
    pub most_distilled: usize,
}

impl<'a> ClerkSteps<'a> {
    /// Returns true if turns are undistilled, and the last distillation was not given up.
    pub fn has_unread(self) -> bool {
        !self.talk.gave_up && !self.talk.undistilled().is_empty()
    }

    /// Returns the turns for the next distillation.
    pub fn window(self) -> Window<'a> {
        self.talk.window(self.most_distilled)
    }

    /// Requests the next distillation.
    pub fn distillation(self) -> Effect {
        let asked = self.clerk.crystallization(self.talk, &self.window());
        let key = effect_key(CRYSTALLIZE, CLERK, self.talk.crystallizations);
        Speeches { talk: self.talk }.clerk(key, Tier::Deep, asked)
    }

    /// Returns what the clerk does before the debate ends: it reads what is unread, and then compares reasons, while that succeeds.
    /// Other plans are returned as they are.
    pub fn before_end(self, plan: Plan) -> Plan {
        if !matches!(plan, Plan::Conclude(_)) {
            return plan;
        }
        let reading = self.has_unread().then(|| self.distillation());
        reading.or_else(|| next_comparison(self.talk, self.clerk)).map_or(plan, |effect| Plan::Ask(vec![effect]))
    }
}
