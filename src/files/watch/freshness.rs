//! How a watcher tells other processes whether the index is current: server and client.
//!
//! ```text
//! watch-HASH    the lock that a watcher holds during its whole life; contains the watcher's pid
//! asks-HASH/    one file for each request; exists while the watcher can answer
//! ```
//!
//! A client creates an empty file with a unique name. The watcher observes this folder through the same event queue as the
//! tree. So the event of a request arrives after the events of all earlier changes to the tree. The watcher updates the
//! index and writes the answer into the file: a token of the commit and the view. The protocol relies on no clock and no
//! delay.
//!
//! The client polls the size of the file, which causes no event. The client gives up if the lock is free or a timeout
//! expires. The idle timeout starts anew as long as the watcher is working: a client that gave up would do the same work,
//! and would have to wait for the same lock. A client without an answer walks the tree.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use spyhop_base::store::{self, Lock, LockError, LockHolder, Private};

/// The longest pause between two polls of the answer.
const MAX_PAUSE: Duration = Duration::from_millis(4);

/// The interval between checks whether the watcher is alive.
const ALIVE_INTERVAL: Duration = Duration::from_millis(50);

/// The age at which an answer is deleted although no client has read it.
const MAX_ANSWER_AGE: Duration = Duration::from_secs(60);

/// How long a client waits for an answer.
#[derive(Clone, Copy, Debug)]
pub struct Timeouts {
    /// The longest time since the client last saw the watcher working.
    pub idle: Duration,
    /// The longest time in total.
    pub most: Duration,
}

/// A client of the watcher of an index.
#[derive(Clone, Debug)]
pub struct FreshnessClient {
    lock: PathBuf,
    asks: PathBuf,
}

/// The server of a watcher. Dropping the value closes the server.
pub struct FreshnessServer {
    client: FreshnessClient,
    lock: Lock,
    /// Answered requests, which the clients may not have read yet.
    answered: Vec<(Instant, PathBuf)>,
}

impl FreshnessClient {
    /// The client of the watcher with this key. The index folder `dir` contains the lock and the requests.
    pub fn new(dir: &Path, key: &str) -> FreshnessClient {
        FreshnessClient { lock: dir.join(format!("watch-{key}")), asks: dir.join(format!("asks-{key}")) }
    }

    /// The folder of the requests.
    pub fn asks(&self) -> &Path {
        &self.asks
    }

    /// The process that watches; `None` without a watcher, `Some(None)` if the lock does not name the process.
    pub fn watcher(&self) -> Option<Option<LockHolder>> {
        Lock::holder(&self.lock)
    }

    /// Sends a request and waits for the answer within `timeouts`. `None` if there is no watcher or no answer.
    pub fn ask(&self, timeouts: Timeouts) -> Option<String> {
        static ASKED: AtomicU64 = AtomicU64::new(0);
        if !self.asks.is_dir() || self.watcher().is_none() {
            return None;
        }
        let number = ASKED.fetch_add(1, Relaxed);
        let ask = self.asks.join(format!("{}-{number}", std::process::id()));
        Private::New.open(&ask).ok()?;
        let answer = self.wait_for_answer(&ask, timeouts);
        let _ = fs::remove_file(&ask);
        answer
    }

    fn wait_for_answer(&self, ask: &Path, timeouts: Timeouts) -> Option<String> {
        let begun = Instant::now();
        let (mut alive_at, mut at_work_at) = (begun, begun);
        let mut pause = Duration::from_micros(50);
        loop {
            // If the file is gone, a new watcher has deleted the requests of the old one.
            if ask.metadata().ok()?.len() > 0
                && let Ok(text) = fs::read_to_string(ask)
                && let Some(answer) = text.strip_suffix('\n')
            {
                return answer.strip_prefix("yes ").map(str::to_string);
            }
            let now = Instant::now();
            if now - alive_at >= ALIVE_INTERVAL {
                self.watcher()?;
                alive_at = now;
            }
            if now - at_work_at >= ALIVE_INTERVAL.min(timeouts.idle) && Lock::is_at_work(&self.lock) {
                at_work_at = now;
            }
            if now - at_work_at >= timeouts.idle || now - begun >= timeouts.most {
                return None;
            }
            std::thread::sleep(pause);
            pause = (pause * 3 / 2).min(MAX_PAUSE);
        }
    }
}

impl FreshnessServer {
    /// Takes the lock of the server, which answers no request yet. Fails if another process holds the lock.
    pub fn take(client: FreshnessClient) -> Result<FreshnessServer, LockError> {
        let lock = Lock::acquire(&client.lock, Duration::ZERO, &mut |_| ())?;
        let _ = fs::remove_dir_all(&client.asks);
        Ok(FreshnessServer { client, lock, answered: Vec::new() })
    }

    /// Creates the folder of the requests. From then on, clients can send requests.
    pub fn open(&self) -> Result<(), store::FileError> {
        store::create_private_dir(&self.client.asks)
    }

    /// Deletes the folder of the requests. Clients then walk the tree themselves.
    pub fn close(&self) {
        let _ = fs::remove_dir_all(&self.client.asks);
    }

    /// Publishes whether the watcher is working.
    pub fn set_at_work(&mut self, is_at_work: bool) {
        self.lock.set_at_work(is_at_work);
    }

    /// Answers requests. Without a token, the answer is that the watcher does not know.
    pub fn answer(&mut self, asks: Vec<PathBuf>, token: Option<&str>) {
        let text = token.map_or_else(|| "no\n".to_string(), |token| format!("yes {token}\n"));
        let now = Instant::now();
        for ask in asks {
            // A client that gave up has deleted its file.
            if let Ok(mut file) = Private::Change.open(&ask) {
                let _ = file.write_all(text.as_bytes());
                self.answered.push((now, ask));
            }
        }
        let is_old = |at: Instant| now - at > MAX_ANSWER_AGE;
        self.answered.iter().filter(|(at, _)| is_old(*at)).for_each(|(_, ask)| _ = fs::remove_file(ask));
        self.answered.retain(|(at, _)| !is_old(*at));
    }
}

impl Drop for FreshnessServer {
    fn drop(&mut self) {
        self.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Timeouts = Timeouts { idle: Duration::from_secs(60), most: Duration::from_secs(60) };
    const LITTLE: Timeouts = Timeouts { idle: Duration::from_millis(1), most: Duration::from_secs(60) };

    #[test]
    fn a_question_gets_the_answer_that_is_given() {
        let dir = tempfile::tempdir().unwrap();
        let client = FreshnessClient::new(dir.path(), "k");
        assert_eq!(client.ask(LONG), None);
        let mut server = FreshnessServer::take(client.clone()).unwrap();
        assert_eq!(client.ask(LONG), None);
        server.open().unwrap();
        for (token, expected) in [(Some("t1"), Some("t1".to_string())), (None, None)] {
            std::thread::scope(|scope| {
                let asking = scope.spawn(|| client.ask(LONG));
                let ask = loop {
                    let mut entries = fs::read_dir(client.asks()).unwrap();
                    if let Some(entry) = entries.next() {
                        break entry.unwrap().path();
                    }
                };
                server.answer(vec![ask], token);
                assert_eq!(asking.join().unwrap(), expected);
            });
        }
        assert_eq!(fs::read_dir(client.asks()).unwrap().count(), 0);
    }

    #[test]
    fn a_watcher_at_work_is_waited_for() {
        let dir = tempfile::tempdir().unwrap();
        let client = FreshnessClient::new(dir.path(), "k");
        let mut server = FreshnessServer::take(client.clone()).unwrap();
        server.open().unwrap();
        assert_eq!(client.ask(LITTLE), None);
        server.set_at_work(true);
        std::thread::scope(|scope| {
            let asking = scope.spawn(|| client.ask(LITTLE));
            let ask = loop {
                if let Some(entry) = fs::read_dir(client.asks()).unwrap().next() {
                    break entry.unwrap().path();
                }
            };
            // Much longer than the idle timeout.
            std::thread::sleep(ALIVE_INTERVAL * 4);
            server.answer(vec![ask], Some("t1"));
            assert_eq!(asking.join().unwrap(), Some("t1".to_string()));
        });
        // The total timeout still applies.
        assert_eq!(client.ask(Timeouts { most: ALIVE_INTERVAL, ..LITTLE }), None);
        server.set_at_work(false);
        assert_eq!(client.ask(LITTLE), None);
        assert_eq!(client.watcher().flatten().map(|holder| holder.pid), Some(std::process::id()));
    }

    #[test]
    fn a_request_does_not_wait_for_a_watcher_that_is_gone() {
        let dir = tempfile::tempdir().unwrap();
        let client = FreshnessClient::new(dir.path(), "k");
        let lock = Lock::acquire(&client.lock, Duration::ZERO, &mut |_| ()).unwrap();
        fs::create_dir(client.asks()).unwrap();
        assert!(matches!(FreshnessServer::take(client.clone()), Err(LockError::Held { .. })));
        std::thread::scope(|scope| {
            let asking = scope.spawn(|| client.ask(LONG));
            while fs::read_dir(client.asks()).unwrap().next().is_none() {}
            // The state after a kill: the folder exists and the lock is free.
            drop(lock);
            assert_eq!(asking.join().unwrap(), None);
        });
        assert!(client.asks().is_dir());
        assert_eq!(client.ask(LONG), None);
        let next = FreshnessServer::take(client.clone()).unwrap();
        next.open().unwrap();
        assert_eq!(client.ask(LITTLE), None);
    }
}
