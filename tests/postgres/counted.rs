//! The statements that a thread sends to Postgres, as sqlx tells them.

use std::cell::RefCell;
use std::fmt::Debug;
use std::sync::{Arc, Mutex, Once, PoisonError};

use tracing::field::{Field, Visit};
use tracing::subscriber::set_global_default;
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::layer::{Context, SubscriberExt};
use tracing_subscriber::{Layer, Registry};

/// The statements sent, each with sqlx's summary of it.
#[derive(Clone, Debug, Default)]
pub struct Sent(Arc<Mutex<Vec<String>>>);

thread_local! {
    static HERE: RefCell<Option<Sent>> = const { RefCell::new(None) };
}

impl Sent {
    /// Takes note of what this thread sends from now on.
    pub fn by_this_thread() -> Sent {
        static LISTENING: Once = Once::new();
        // For the whole program: what is set for one thread loses events where others are made or dropped at the same time.
        LISTENING.call_once(|| {
            let only = filter_fn(|it| it.target() == "sqlx::query");
            set_global_default(Registry::default().with(Listener.with_filter(only))).expect("nobody else listens");
        });
        let sent = Sent::default();
        HERE.set(Some(sent.clone()));
        sent
    }

    /// What was sent since this was asked last.
    pub fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

struct Listener;

impl<S: tracing::Subscriber> Layer<S> for Listener {
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
            let Some(Sent(sent)) = here else { return };
            let mut statement = Statement(String::new());
            event.record(&mut statement);
            sent.lock().unwrap_or_else(PoisonError::into_inner).push(statement.0);
        });
    }
}
