//! Background tasks of the application, and the signal that stops them.

use tokio::sync::watch;
use tokio::task::JoinSet;

/// Background tasks that run until the application is closed.
#[derive(Debug, Default)]
pub struct Workers {
    stop: watch::Sender<bool>,
    tasks: JoinSet<()>,
    has_projector: bool,
}

impl Workers {
    /// Starts a task. It must end when the receiver turns true.
    pub fn start<T: Future<Output = ()> + Send + 'static>(&mut self, task: impl FnOnce(watch::Receiver<bool>) -> T) {
        self.tasks.spawn(task(self.stop.subscribe()));
    }

    /// Starts the projector unless it was started before.
    pub fn start_projector<T: Future<Output = ()> + Send + 'static>(
        &mut self,
        task: impl FnOnce(watch::Receiver<bool>) -> T,
    ) {
        if !std::mem::replace(&mut self.has_projector, true) {
            self.start(task);
        }
    }

    /// Returns the signal that stops the tasks.
    pub fn stop_signal(&self) -> watch::Sender<bool> {
        self.stop.clone()
    }

    /// Stops all tasks and waits until they have ended.
    pub async fn stop(mut self) {
        self.stop.send_replace(true);
        while self.tasks.join_next().await.is_some() {}
    }
}
