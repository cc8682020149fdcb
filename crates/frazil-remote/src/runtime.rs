//! The threads on which requests wait.
//!
//! They are the one exception in the engine to the law that threads start in `frazil-pipeline`: they wait for the
//! network and copy what comes, and never decode. A child process after a fork has none of its parent's threads and
//! must not use its connections, so that each process has a runtime and a client of its own; what came from the parent
//! is left alone.

use std::future::Future;
use std::io;
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use frazil_types::sync::Mutex;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;

use crate::limits::MOST_REQUESTS;

/// Two threads decrypt more than most networks bring.
const THREADS: usize = 2;
/// The thread that holds the lock may be no more in a child process.
const PATIENCE: Duration = Duration::from_secs(1);

static CURRENT: Mutex<Option<&'static Network>> = Mutex::new(None);

/// What requests of one process share.
pub(crate) struct Network {
    id: u32,
    runtime: Runtime,
    /// Bounds requests under way.
    pub(crate) turns: Arc<Semaphore>,
    /// Of all requests without headers of their own: files on one server share connections.
    client: OnceLock<reqwest::Client>,
}

impl Network {
    /// This process's; made when first asked for.
    pub(crate) fn current() -> io::Result<&'static Self> {
        let id = std::process::id();
        let mut current = CURRENT.try_lock_for(PATIENCE);
        if let Some(known) = current.as_ref().and_then(|current| **current)
            && known.id == id
        {
            return Ok(known);
        }
        let runtime = Builder::new_multi_thread()
            .worker_threads(THREADS)
            .thread_name("frazil-remote")
            .on_thread_start(frazil_signals::leave_to_others)
            .enable_all()
            .build()?;
        // Never freed: there is one for each process.
        let made: &'static Self = Box::leak(Box::new(Self {
            id,
            runtime,
            turns: Arc::new(Semaphore::new(MOST_REQUESTS)),
            client: OnceLock::new(),
        }));
        if let Some(current) = &mut current {
            **current = Some(made);
        }
        Ok(made)
    }

    /// The client that all share; made when first asked for.
    pub(crate) fn client(
        &self,
        make: impl FnOnce() -> reqwest::Result<reqwest::Client>,
    ) -> reqwest::Result<reqwest::Client> {
        if let Some(known) = self.client.get() {
            return Ok(known.clone());
        }
        let made = make()?;
        Ok(self.client.get_or_init(|| made).clone())
    }

    /// Begins work; what becomes of it can be waited for.
    pub(crate) fn begin<T: Send + 'static>(
        &self,
        work: impl Future<Output = T> + Send + 'static,
    ) -> Receiver<T> {
        let (sender, receiver) = sync_channel(1);
        self.runtime.spawn(async move {
            // Nobody may wait for it any more.
            let _ = sender.send(work.await);
        });
        receiver
    }

    /// Begins work that other work of the network waits for.
    pub(crate) fn spawn<T: Send + 'static>(
        &self,
        work: impl Future<Output = T> + Send + 'static,
    ) -> JoinHandle<T> {
        self.runtime.spawn(work)
    }
}

/// Waits for work that was begun.
pub(crate) fn wait<T>(receiver: &Receiver<io::Result<T>>) -> io::Result<T> {
    let lost = |_| io::Error::other("a request ended without an answer");
    receiver.recv().map_err(lost)?
}
