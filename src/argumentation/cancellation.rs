//! Cancellation of work whose result nobody waits for any more.
//!
//! A computation runs inside [`Cancellation::run`], on one thread. Every search looks at it now and then
//! ([`crate::argumentation::limits::Work`]), and so do long loops ([`is_cancelled`]): they then return at once. What they
//! return is incomplete and marked so; it must not be shown or stored, and whoever cancels has stopped waiting for it.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

thread_local! {
    /// What the work on this thread belongs to.
    static CURRENT: RefCell<Option<Cancellation>> = const { RefCell::new(None) };
}

/// A flag by which work is told to end. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct Cancellation(Arc<AtomicBool>);

impl Cancellation {
    /// Tells the work to end.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Runs work that this cancels, on the current thread.
    pub fn run<T>(&self, work: impl FnOnce() -> T) -> T {
        let before = CURRENT.replace(Some(self.clone()));
        let _restored = Restored(before);
        work()
    }

    fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Puts back what the thread worked for before, even if the work panics.
struct Restored(Option<Cancellation>);

impl Drop for Restored {
    fn drop(&mut self) {
        CURRENT.set(self.0.take());
    }
}

/// Whether the work on this thread was cancelled. Costs a few nanoseconds.
pub fn is_cancelled() -> bool {
    CURRENT.with_borrow(|current| current.as_ref().is_some_and(Cancellation::is_cancelled))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::argumentation::framework::Framework;
    use crate::argumentation::limits::Limits;
    use crate::argumentation::reasoning::extensions_of;
    use crate::argumentation::semantics::Semantics;

    #[test]
    fn work_ends_with_its_own_cancellation_and_with_no_other() {
        let (one, other) = (Cancellation::default(), Cancellation::default());
        other.cancel();
        assert!(!one.run(is_cancelled));
        assert!(other.run(is_cancelled));
        assert!(!other.run(|| one.run(is_cancelled)), "the innermost counts");
        assert!(!is_cancelled(), "nothing is left behind on the thread");
    }

    /// A framework of many cycles, so that every search has something to do.
    fn hard() -> Framework {
        let n = 60_u32;
        let attacks = (0..n).flat_map(|it| [(it, (it + 1) % n), (it, (it * 7 + 3) % n), ((it * 5 + 1) % n, it)]);
        Framework::new(n as usize, attacks).expect("a framework")
    }

    #[test]
    fn every_semantics_is_cut_short_and_says_so() {
        let cancelled = Cancellation::default();
        cancelled.cancel();
        for semantics in [Semantics::Preferred, Semantics::SemiStable, Semantics::Stage, Semantics::Stable] {
            let found = cancelled.run(|| extensions_of(&hard(), semantics, &Limits::default()));
            assert!(!found.exact && found.limit == Some("stop"), "{semantics:?}: {found:?}");
        }
    }
}
