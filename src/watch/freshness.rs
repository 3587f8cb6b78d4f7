//! How a watcher tells other processes whether the index is current: server and client.
//!
//! ```text
//! watch-HASH    a lock that a watcher holds as long as it lives, with its pid inside
//! asks-HASH/    a file for each question; there while the watcher can answer
//! ```
//!
//! Who asks makes a file, empty, under a name of its own. The watcher has that folder watched by the same queue as the
//! tree, so when it is told of the file it has been told of every change of the tree that was made before; it brings
//! the index up to date and writes what answers into the file: a token of the commit and the view. So no clocks and
//! no delays are trusted. Who asks looks at the size of the file, which makes no event, and gives up when the lock is
//! free or its patience ends. That is longer while the watcher says to be at work: whoever gave up then would do the same
//! work beside it, and would have to wait for the same lock. Where anything is missing nobody answers, and who asked walks the tree.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use crate::store::{self, Holder, Lock, LockError, Private};

/// The longest pause between two looks at an answer.
const MAX_PAUSE: Duration = Duration::from_millis(4);

/// How often it is looked whether the watcher lives.
const LIFE_SIGN: Duration = Duration::from_millis(50);

/// Answers that nobody has fetched go after so long.
const UNFETCHED: Duration = Duration::from_secs(60);

/// How long an answer is waited for.
#[derive(Clone, Copy, Debug)]
pub struct Timeouts {
    /// Since the watcher was last seen at work.
    pub idle: Duration,
    /// In any case.
    pub most: Duration,
}

/// A client of the watcher of an index.
#[derive(Clone, Debug)]
pub struct FreshnessClient {
    lock: PathBuf,
    asks: PathBuf,
}

/// A watcher's server; dropping the value closes the server.
pub struct FreshnessServer {
    client: FreshnessClient,
    lock: Lock,
    /// What was answered and may not have been fetched.
    answered: Vec<(Instant, PathBuf)>,
}

impl FreshnessClient {
    /// The one in the folder `dir` for what has this key.
    pub fn new(dir: &Path, key: &str) -> FreshnessClient {
        FreshnessClient { lock: dir.join(format!("watch-{key}")), asks: dir.join(format!("asks-{key}")) }
    }

    /// The folder of questions.
    pub fn asks(&self) -> &Path {
        &self.asks
    }

    /// Who watches, if somebody does.
    pub fn watcher(&self) -> Option<Option<Holder>> {
        Lock::holder(&self.lock)
    }

    /// Asks the watcher, and waits for its answer with `timeouts`. `None` where there is no watcher, or none that
    /// answers.
    pub fn ask(&self, timeouts: Timeouts) -> Option<String> {
        static ASKED: AtomicU64 = AtomicU64::new(0);
        if !self.asks.is_dir() || self.watcher().is_none() {
            return None;
        }
        let number = ASKED.fetch_add(1, Relaxed);
        let ask = self.asks.join(format!("{}-{number}", std::process::id()));
        Private::New.open(&ask).ok()?;
        let answer = self.answer(&ask, timeouts);
        let _ = fs::remove_file(&ask);
        answer
    }

    fn answer(&self, ask: &Path, timeouts: Timeouts) -> Option<String> {
        let begun = Instant::now();
        let (mut alive_at, mut at_work_at) = (begun, begun);
        let mut pause = Duration::from_micros(50);
        loop {
            // Where it is gone, a new watcher has cleared its requests.
            if ask.metadata().ok()?.len() > 0
                && let Ok(text) = fs::read_to_string(ask)
                && let Some(answer) = text.strip_suffix('\n')
            {
                return answer.strip_prefix("yes ").map(str::to_string);
            }
            let now = Instant::now();
            if now - alive_at >= LIFE_SIGN {
                self.watcher()?;
                alive_at = now;
            }
            if now - at_work_at >= LIFE_SIGN.min(timeouts.idle) && Lock::is_at_work(&self.lock) {
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

    /// Opens it to questions.
    pub fn open(&self) -> Result<(), store::FileError> {
        store::create_private_dir(&self.client.asks)
    }

    /// Closes it: who asks now has to look for itself.
    pub fn close(&self) {
        let _ = fs::remove_dir_all(&self.client.asks);
    }

    /// Says whether the watcher is at work.
    pub fn set_at_work(&mut self, is_at_work: bool) {
        self.lock.set_at_work(is_at_work);
    }

    /// Answers questions; without a token, that nobody knows.
    pub fn answer(&mut self, asks: Vec<PathBuf>, token: Option<&str>) {
        let text = token.map_or_else(|| "no\n".to_string(), |token| format!("yes {token}\n"));
        let now = Instant::now();
        for ask in asks {
            // Who has given up has taken the file away.
            if let Ok(mut file) = Private::Change.open(&ask) {
                let _ = file.write_all(text.as_bytes());
                self.answered.push((now, ask));
            }
        }
        let is_old = |at: Instant| now - at > UNFETCHED;
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
            // Much longer than who has no patience would wait.
            std::thread::sleep(LIFE_SIGN * 4);
            server.answer(vec![ask], Some("t1"));
            assert_eq!(asking.join().unwrap(), Some("t1".to_string()));
        });
        // Not for ever.
        assert_eq!(client.ask(Timeouts { most: LIFE_SIGN, ..LITTLE }), None);
        server.set_at_work(false);
        assert_eq!(client.ask(LITTLE), None);
        assert_eq!(client.watcher().flatten().map(|holder| holder.pid), Some(std::process::id()));
    }

    #[test]
    fn nobody_waits_for_a_watcher_that_is_gone() {
        let dir = tempfile::tempdir().unwrap();
        let client = FreshnessClient::new(dir.path(), "k");
        let lock = Lock::acquire(&client.lock, Duration::ZERO, &mut |_| ()).unwrap();
        fs::create_dir(client.asks()).unwrap();
        assert!(matches!(FreshnessServer::take(client.clone()), Err(LockError::Held { .. })));
        std::thread::scope(|scope| {
            let asking = scope.spawn(|| client.ask(LONG));
            while fs::read_dir(client.asks()).unwrap().next().is_none() {}
            // As a kill leaves it: the folder is there, the lock is free.
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
