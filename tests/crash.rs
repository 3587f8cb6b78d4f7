//! Killed at any moment, an index still answers from one whole commit.
//!
//! The real binary indexes a generated tree and is killed with SIGKILL at seeded random moments of a build and of a
//! refresh; merges and collections are frozen before each step by the unit tests of the index. Every file holds the word of the state of the tree
//! that wrote it last, and a state changes a part of the files, adds some and removes some; so how many files answer to each word tells which state an index is of, and
//! no mixture of two states answers like either. Moments are drawn over the time that an undisturbed run takes and a
//! tenth more, so the commit and what follows it are hit too. The pause before the kill decides only which moment is
//! tried: whatever it is, the answer must be whole, and the doctor must find nothing.
//!
//! ```text
//! cargo test --test crash                                            6 moments of each
//! SPYHOP_CRASHES=50 cargo test --release --test crash -- --nocapture
//! ```
#![cfg(unix)]

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use serde_json::Value;
use support::Random;

/// Files of the first state. Fewer than search ranks at most, so that a total counts them all.
const FILES: usize = 150;

/// How many moments of a build, and of a refresh.
fn moments() -> u32 {
    let moments = std::env::var("SPYHOP_CRASHES").ok();
    moments.map_or(support::cases(6, 24) as u32, |text| text.parse().expect("SPYHOP_CRASHES is a number"))
}

/// The word of a state: one term, of letters that no stemmer cuts.
fn word(state: u32) -> String {
    let letter = |number: u32| char::from(b'a' + number as u8);
    format!("qx{}{}{}qx", letter(state / 676), letter(state / 26 % 26), letter(state % 26))
}

/// A state of the tree: for each file, by number, the state that wrote it last.
#[derive(Clone, PartialEq, Eq, Debug)]
struct State {
    number: u32,
    files: BTreeMap<usize, u32>,
}

/// A tree, the index beside it, and the state that the tree is in.
struct World {
    folder: tempfile::TempDir,
    state: State,
    /// The number of the newest state that was ever written.
    newest: u32,
    indexes: usize,
}

/// How a run ended.
struct Ended {
    killed: bool,
    took: Duration,
}

impl World {
    fn new() -> World {
        let folder = tempfile::tempdir().unwrap();
        for number in 0..12 {
            std::fs::create_dir_all(folder.path().join(format!("tree/part{number}"))).unwrap();
        }
        let state = State { number: 0, files: (0..FILES).map(|file| (file, 0)).collect() };
        let world = World { folder, state, newest: 0, indexes: 0 };
        (0..FILES).for_each(|file| world.write(file));
        world
    }

    fn path(&self, file: usize) -> PathBuf {
        self.folder.path().join(format!("tree/part{}/file{file}.rs", file % 12))
    }

    fn write(&self, file: usize) {
        let word = word(self.state.number);
        let mut text = format!("//! Part {file} of the generated tree, {word}.\n\n");
        for item in 0..12 {
            text += &format!(
                "/// Turns number {item} of {file} around.\npub fn turn_{item}_of_{file}(x: u64) -> u64 {{\n    x.rotate_left({item}) ^ {file}\n}}\n\n"
            );
        }
        std::fs::write(self.path(file), text).unwrap();
    }

    /// Moves the tree on: some files change, some are added, some go.
    fn advance(&mut self, random: &mut Random) {
        let changed = 20 + random.below(60);
        self.newest += 1;
        self.state.number = self.newest;
        let number = self.newest;
        let first = random.below(FILES);
        for file in (first..first + changed).map(|file| file % FILES) {
            if let Some(wrote) = self.state.files.get_mut(&file) {
                *wrote = number;
                self.write(file);
            }
        }
        for file in [first, FILES + random.below(30)] {
            match self.state.files.remove(&file) {
                Some(_) => std::fs::remove_file(self.path(file)).unwrap(),
                None => {
                    self.state.files.insert(file, number);
                    self.write(file);
                }
            }
        }
    }

    fn fresh_index(&mut self) {
        self.indexes += 1;
    }

    fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_spyhop"));
        command.current_dir(self.folder.path().join("tree"));
        command.env("SPYHOP_INDEX_DIR", self.folder.path().join(format!("index{}", self.indexes)));
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        command
    }

    /// Indexes; killed so long after its beginning if it is not done by then.
    fn index(&self, fuse: Option<Duration>) -> Ended {
        let start = Instant::now();
        let mut child = self.command().args(["index", "--quiet", "--threads", "3"]).spawn().unwrap();
        while child.try_wait().unwrap().is_none() {
            if fuse.is_some_and(|after| start.elapsed() >= after) {
                // It may have ended by itself; then there is nothing to kill, which is a moment like any other.
                let _ = child.kill();
                break;
            }
            std::thread::sleep(Duration::from_micros(200));
        }
        let output = child.wait_with_output().unwrap();
        let killed = output.status.signal() == Some(9);
        assert!(killed || output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        Ended { killed, took: start.elapsed() }
    }

    /// The state that the index is of, among `states`; `None` when there is no index, or a part of a first one, of the
    /// last of them. Everything else fails.
    fn answers<'s>(&self, states: &[&'s State]) -> Option<&'s State> {
        let written = states.iter().flat_map(|state| state.files.values().copied());
        let newest = self.newest.saturating_sub(15)..=self.newest;
        let words: BTreeSet<u32> = written.chain(newest).collect();
        let mut command = self.command();
        command.args(["search", "--batch", "--require-index", "--no-refresh", "--per-file", "1", "-n", "50"]);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        words.iter().for_each(|number| writeln!(stdin, "{}", word(*number)).unwrap());
        drop(stdin);
        let output = child.wait_with_output().unwrap();
        let replies: Vec<Value> = String::from_utf8(output.stdout)
            .unwrap()
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        assert_eq!(replies.len(), words.len(), "{}", String::from_utf8_lossy(&output.stderr));
        if replies.iter().all(|reply| reply["kind"] == "no-index") {
            return None;
        }
        // A first build that was killed on its way answers from what it has written down, and says so.
        if replies.iter().all(|reply| reply["snapshot"]["building"].is_object()) {
            assert!(replies.iter().all(|reply| reply["complete"] == false), "{}", replies[0]);
            let totals =
                words.iter().zip(&replies).map(|(number, reply)| (*number, reply["total"].as_u64().unwrap()));
            let state = states.last().unwrap();
            let most = |number: u32| state.files.values().filter(|wrote| **wrote == number).count() as u64;
            totals.for_each(|(number, total)| {
                assert!(total <= most(number), "{number}: {total} of {}", most(number))
            });
            return None;
        }
        let seen = |reply: &Value| {
            assert_eq!(reply["error"], Value::Null, "{reply}");
            (reply["snapshot"]["indexed_files"].as_u64().unwrap(), reply["total"].as_u64().unwrap())
        };
        let seen: Vec<(u64, u64)> = replies.iter().map(seen).collect();
        let expected = |state: &State| -> Vec<(u64, u64)> {
            let holding = |number: u32| state.files.values().filter(|wrote| **wrote == number).count() as u64;
            words.iter().map(|number| (state.files.len() as u64, holding(*number))).collect()
        };
        let state = states.iter().copied().find(|state| expected(state) == seen);
        let state = state.unwrap_or_else(|| panic!("a mixture: {seen:?}, none of {states:?}"));
        for (number, reply) in words.iter().zip(&replies) {
            for hit in reply["results"].as_array().unwrap() {
                let path = hit["path"].as_str().unwrap();
                let digits = path.rsplit_once("file").unwrap().1.strip_suffix(".rs").unwrap();
                assert_eq!(state.files.get(&digits.parse().unwrap()), Some(number), "{path}");
            }
        }
        Some(state)
    }

    /// Whatever was left behind is no damage.
    fn is_clean(&self) {
        let output = self.command().args(["doctor", "--json"]).stdout(Stdio::piped()).output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        let found: Value = serde_json::from_str(&said).unwrap_or_else(|_| panic!("{output:?}"));
        assert_eq!((output.status.code(), &found["clean"]), (Some(0), &Value::Bool(true)), "{said}");
    }

    /// An undisturbed run gives the newest state, whatever was left behind. How long it took.
    fn recovers(&self) -> Duration {
        let ended = self.index(None);
        assert!(!ended.killed);
        assert_eq!(self.answers(&[&self.state]), Some(&self.state));
        self.is_clean();
        ended.took
    }
}

/// What an undisturbed run takes, as the machine is just now: the median of the last few.
struct Usual(Vec<Duration>);

impl Usual {
    fn time(&self) -> Duration {
        let mut last = self.0[self.0.len().saturating_sub(5)..].to_vec();
        last.sort();
        last[last.len() / 2]
    }
}

/// One test at a time: each measures how long a run takes, which the other one would change.
static ALONE: Mutex<()> = Mutex::new(());

#[test]
fn a_killed_build_leaves_no_index_or_a_whole_one() {
    let _alone = ALONE.lock();
    let mut world = World::new();
    let mut random = Random(1);
    let build = |world: &mut World| {
        world.fresh_index();
        world.index(None).took
    };
    let mut whole = Usual((0..3).map(|_| build(&mut world)).collect());
    let mut killed = 0;
    for moment in 0..moments() {
        world.fresh_index();
        // The first one is killed for certain.
        let fuse = if moment == 0 { Duration::ZERO } else { random.moment(whole.time()) };
        let ended = world.index(Some(fuse));
        killed += u32::from(ended.killed);
        match world.answers(&[&world.state]) {
            None if ended.killed => whole.0.push(world.recovers()),
            None => panic!("it ended by itself and there is no index"),
            Some(_) => {
                world.is_clean();
                world.recovers();
            }
        }
    }
    println!("builds of {FILES} files, {:.0?} each: {killed} of {} killed", whole.time(), moments());
    assert!(killed > 0);
}

#[test]
fn a_killed_refresh_leaves_the_old_state_or_the_new_one() {
    let _alone = ALONE.lock();
    let mut world = World::new();
    let mut random = Random(2);
    world.recovers();
    let mut refresh = |world: &mut World| {
        world.advance(&mut random);
        world.index(None).took
    };
    let mut whole = Usual((0..3).map(|_| refresh(&mut world)).collect());
    let mut committed = world.state.clone();
    let mut killed = 0;
    for moment in 0..moments() {
        world.advance(&mut random);
        let after = if moment == 0 { Duration::ZERO } else { random.moment(whole.time()) };
        let ended = world.index(Some(after));
        killed += u32::from(ended.killed);
        let found = world.answers(&[&committed, &world.state]).expect("an index that answered still does");
        world.is_clean();
        assert!(ended.killed || *found == world.state, "it ended by itself and answers from before");
        committed = found.clone();
        // Half of the time the next refresh meets what the kill left behind, and is killed itself.
        if random.below(2) == 0 {
            let took = world.recovers();
            if committed != world.state {
                whole.0.push(took);
            }
            committed = world.state.clone();
        }
    }
    world.recovers();
    println!("refreshes of {FILES} files, {:.0?} each: {killed} of {} killed", whole.time(), moments());
    assert!(killed > 0);
}
