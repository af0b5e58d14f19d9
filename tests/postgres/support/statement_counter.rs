//! Statements that a thread sends to Postgres, recorded from the log events of sqlx.

use std::cell::RefCell;
use std::fmt::Debug;
use std::sync::{Arc, Mutex, Once, PoisonError};

use tracing::field::{Field, Visit};
use tracing::subscriber::set_global_default;
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::layer::{Context, SubscriberExt};
use tracing_subscriber::{Layer, Registry};

/// Statements sent by one thread, each with the summary of sqlx.
#[derive(Clone, Debug, Default)]
pub struct StatementLog(Arc<Mutex<Vec<String>>>);

thread_local! {
    static HERE: RefCell<Option<StatementLog>> = const { RefCell::new(None) };
}

impl StatementLog {
    /// Records the statements that this thread sends from now on.
    pub fn for_this_thread() -> StatementLog {
        static LISTENING: Once = Once::new();
        // Global: a subscriber of one thread loses events while others are created or dropped.
        LISTENING.call_once(|| {
            let only = filter_fn(|metadata| metadata.target() == "sqlx::query");
            set_global_default(Registry::default().with(StatementListener.with_filter(only)))
                .expect("no other global subscriber is set");
        });
        let sent = StatementLog::default();
        HERE.set(Some(sent.clone()));
        sent
    }

    /// Takes the statements sent since the last call.
    pub fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

struct StatementListener;

impl<S: tracing::Subscriber> Layer<S> for StatementListener {
    fn on_event(&self, event: &tracing::Event<'_>, _: Context<'_, S>) {
        struct Statement(String);
        impl Visit for Statement {
            fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
                if field.name() == "summary" || field.name() == "db.statement" {
                    self.0 += &format!(" {value:?}");
                }
            }
        }
        HERE.with_borrow(|here| {
            let Some(StatementLog(sent)) = here else { return };
            let mut statement = Statement(String::new());
            event.record(&mut statement);
            sent.lock().unwrap_or_else(PoisonError::into_inner).push(statement.0);
        });
    }
}
