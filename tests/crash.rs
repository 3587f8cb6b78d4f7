//! Killed at any moment, an index still answers from one whole commit.
//!
//! The real binary indexes a generated tree and is killed with SIGKILL at seeded random moments of a build, of a refresh,
//! of the merging that follows many small ones, and of a collection. Every file holds the word of the state of the tree
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
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant, SystemTime};

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
    /// The number of the newest state that was ever written; a branch that is left takes its states with it.
    newest: u32,
    indexes: usize,
}

/// How a run ended.
struct Ended {
    killed: bool,
    took: Duration,
    /// What of that came after the commit: merging and clearing away.
    tail: Option<Duration>,
}

/// When to kill.
#[derive(Clone, Copy)]
enum Fuse {
    Begun(Duration),
    /// So long after the commit.
    Committed(Duration),
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
        self.change(random, changed);
    }

    /// The same with `changed` files that change.
    fn change(&mut self, random: &mut Random, changed: usize) {
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
            if changed < 2 {
                break;
            }
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

    fn index(&self, fuse: Option<Fuse>) -> Ended {
        self.run(&["index", "--quiet", "--threads", "3"], fuse)
    }

    /// Runs the program, killed at `fuse` if it is not done by then.
    fn run(&self, args: &[&str], fuse: Option<Fuse>) -> Ended {
        let start = Instant::now();
        let before = self.commit_point();
        let mut command = self.command();
        let mut child = command.args(args).spawn().unwrap();
        let mut committed = None;
        while child.try_wait().unwrap().is_none() {
            if committed.is_none() && self.commit_point() != before {
                committed = Some(Instant::now());
            }
            let is_time = match fuse {
                None => false,
                Some(Fuse::Begun(after)) => start.elapsed() >= after,
                Some(Fuse::Committed(after)) => committed.is_some_and(|then| then.elapsed() >= after),
            };
            if is_time {
                // It may have ended by itself; then there is nothing to kill, which is a moment like any other.
                let _ = child.kill();
                break;
            }
            std::thread::sleep(Duration::from_micros(200));
        }
        let output = child.wait_with_output().unwrap();
        let killed = output.status.signal() == Some(9);
        assert!(killed || output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        Ended { killed, took: start.elapsed(), tail: committed.map(|then| then.elapsed()) }
    }

    /// The folder of the segments, once there is one.
    fn segment_folder(&self) -> Option<PathBuf> {
        // The folder that is given holds one workspace.
        let mut inside = std::fs::read_dir(self.folder.path().join(format!("index{}", self.indexes))).ok()?;
        let workspace = inside.next()?.ok()?.path();
        // And that, one folder of data.
        let mut folders =
            std::fs::read_dir(workspace).ok()?.flatten().map(|entry| entry.path().join("tantivy"));
        folders.find(|folder| folder.is_dir())
    }

    /// What tells one commit from the next.
    fn commit_point(&self) -> Option<(u64, SystemTime)> {
        let metadata = self.segment_folder()?.join("meta.json").metadata().ok()?;
        Some((metadata.ino(), metadata.modified().ok()?))
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

    /// How many segments lie there, those of a commit before among them.
    fn segments(&self) -> usize {
        let folder = self.segment_folder().expect("there is an index");
        let names = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        names.filter(|path| path.extension().is_some_and(|extension| extension == "term")).count()
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

/// What was found after the kills.
#[derive(Debug, Default)]
#[allow(dead_code)] // it is printed
struct Tally {
    moments: u32,
    killed: u32,
    no_index: u32,
    old_state: u32,
    new_state: u32,
    new_state_though_killed: u32,
    merges: u32,
    most_segments: usize,
}

/// What an undisturbed run takes, as the machine is just now: the median of the last few.
struct Usual(Vec<Duration>);

impl Usual {
    fn time(&self) -> Duration {
        let mut last = self.0[self.0.len().saturating_sub(5)..].to_vec();
        last.sort();
        last[last.len() / 2]
    }

    /// The longest of them: not every run merges.
    fn longest(&self) -> Duration {
        self.0.iter().rev().take(8).max().copied().unwrap_or_default()
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
    let mut tally = Tally { moments: moments(), ..Tally::default() };
    for moment in 0..moments() {
        world.fresh_index();
        // The first one is killed for certain.
        let fuse = if moment == 0 { Duration::ZERO } else { random.moment(whole.time()) };
        let ended = world.index(Some(Fuse::Begun(fuse)));
        tally.killed += u32::from(ended.killed);
        match world.answers(&[&world.state]) {
            None if ended.killed => {
                tally.no_index += 1;
                whole.0.push(world.recovers());
            }
            None => panic!("it ended by itself and there is no index"),
            Some(_) => {
                world.is_clean();
                tally.new_state += 1;
                tally.new_state_though_killed += u32::from(ended.killed);
                world.recovers();
            }
        }
    }
    println!("builds of {FILES} files, {:.0?} each: {tally:?}", whole.time());
    assert!(tally.killed > 0);
}

/// Kills refreshes after changes that `change` makes: anywhere, or where they merge, after the commit.
fn kill_refreshes(seed: u64, merging: bool, change: impl Fn(&mut World, &mut Random)) -> Tally {
    let mut world = World::new();
    let mut random = Random(seed);
    world.recovers();
    let mut refresh = |world: &mut World| {
        change(world, &mut random);
        let ended = world.index(None);
        if merging { ended.tail.unwrap_or_default() } else { ended.took }
    };
    let mut whole = Usual((0..3).map(|_| refresh(&mut world)).collect());
    let mut committed = world.state.clone();
    let mut tally = Tally { moments: moments(), ..Tally::default() };
    let mut segments = world.segments();
    for moment in 0..moments() {
        change(&mut world, &mut random);
        let usual = if merging { whole.longest() } else { whole.time() };
        let after = if moment == 0 { Duration::ZERO } else { random.moment(usual) };
        let ended = world.index(Some(if merging { Fuse::Committed(after) } else { Fuse::Begun(after) }));
        tally.killed += u32::from(ended.killed);
        let found = world.answers(&[&committed, &world.state]).expect("an index that answered still does");
        world.is_clean();
        if *found == world.state {
            tally.new_state += 1;
            tally.new_state_though_killed += u32::from(ended.killed);
        } else {
            assert!(ended.killed, "it ended by itself and answers from before");
            tally.old_state += 1;
        }
        committed = found.clone();
        // Half of the time the next refresh meets what the kill left behind, and is killed itself.
        if random.below(2) == 0 {
            let took = world.recovers();
            if merging {
                // What was killed is merged by the next one that has something to write.
                change(&mut world, &mut random);
                whole.0.extend(world.index(None).tail);
            } else if committed != world.state {
                whole.0.push(took);
            }
            committed = world.state.clone();
        }
        tally.merges += u32::from(world.segments() < segments);
        segments = world.segments();
        tally.most_segments = tally.most_segments.max(segments);
    }
    world.recovers();
    let what = if merging { "merges after refreshes" } else { "refreshes" };
    println!("{what} of {FILES} files, {:.0?} each: {tally:?}", whole.longest());
    assert!(tally.killed > 0);
    tally
}

#[test]
fn a_killed_refresh_leaves_the_old_state_or_the_new_one() {
    let _alone = ALONE.lock();
    kill_refreshes(2, false, World::advance);
}

/// Each refresh adds a small segment, so that every few of them merge; that is the last thing they do.
#[test]
fn a_killed_merge_leaves_what_was_committed() {
    let _alone = ALONE.lock();
    let tally = kill_refreshes(3, true, |world, random| world.change(random, 1));
    assert!(tally.new_state_though_killed > 0 && tally.merges > 0, "no moment lay near a merge: {tally:?}");
    assert!(tally.most_segments < 40, "segments pile up: {tally:?}");
}

/// Git in the tree, with nothing of this machine's settings.
fn git(world: &World, args: &[&str]) {
    let mut command = Command::new("git");
    command.current_dir(world.folder.path().join("tree"));
    command.args(["-c", "user.name=a", "-c", "user.email=a@example.com"]).args(args);
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("GIT_")) {
        command.env_remove(name);
    }
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null");
    assert!(command.stdout(Stdio::null()).status().unwrap().success(), "{args:?}");
}

/// Indexes a branch that changes half of the files, leaves it and deletes it: what only it had is to be collected.
fn leave_a_branch(world: &mut World, random: &mut Random) {
    let before = world.state.clone();
    git(world, &["checkout", "-q", "-b", "gone"]);
    let number = world.newest;
    world.advance(random);
    git(world, &["add", "-A"]);
    git(world, &["commit", "-q", "-m", "gone"]);
    world.index(None);
    git(world, &["checkout", "-q", "main"]);
    git(world, &["branch", "-q", "-D", "gone"]);
    assert!(world.newest > number);
    world.state = before;
    world.recovers();
}

#[test]
fn a_killed_collection_leaves_what_was_committed() {
    let _alone = ALONE.lock();
    let mut world = World::new();
    let mut random = Random(4);
    git(&world, &["init", "-q", "-b", "main"]);
    git(&world, &["add", "-A"]);
    git(&world, &["commit", "-q", "-m", "first"]);
    world.recovers();
    let mut whole = Usual(Vec::new());
    for _ in 0..3 {
        leave_a_branch(&mut world, &mut random);
        whole.0.push(world.run(&["gc"], None).took);
    }
    let mut tally = Tally { moments: moments(), ..Tally::default() };
    for moment in 0..moments() {
        leave_a_branch(&mut world, &mut random);
        let after = if moment == 0 { Duration::ZERO } else { random.moment(whole.time()) };
        let ended = world.run(&["gc"], Some(Fuse::Begun(after)));
        tally.killed += u32::from(ended.killed);
        // Collecting changes no answer, so there is only one state that it may be of.
        assert_eq!(world.answers(&[&world.state]), Some(&world.state));
        world.is_clean();
        tally.new_state += 1;
        if random.below(2) == 0 {
            whole.0.push(world.run(&["gc"], None).took);
            world.recovers();
        }
    }
    world.recovers();
    println!("collections, {:.0?} each: {tally:?}", whole.time());
    assert!(tally.killed > 0);
}
