//! The state of a process that a library could change: threads, signals, environment, files, folders, children, and the
//! allocator of tree-sitter.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsString, c_void};
use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// How long a thread that has been joined may take to disappear from `/proc`.
const PATIENCE: Duration = Duration::from_secs(60);

/// The state of this process: what could change, with its value as text.
pub struct ProcessState(Vec<(&'static str, String)>);

impl ProcessState {
    pub fn now() -> ProcessState {
        let status = read("/proc/self/status");
        let line =
            |begin: &str| status.lines().find(|line| line.starts_with(begin)).unwrap_or_default().to_string();
        let environment: BTreeMap<OsString, OsString> = std::env::vars_os().collect();
        let handlers: Vec<_> = (1..=64).map(handler).collect();
        ProcessState(vec![
            ("threads", format!("{:?}", threads())),
            ("children", format!("{:?}", children())),
            ("signals", format!("{:?}", ["SigIgn", "SigCgt", "SigBlk"].map(line))),
            ("handlers of signals", format!("{handlers:?}")),
            ("environment", format!("{environment:?}")),
            ("current folder", format!("{:?}", std::env::current_dir().expect("a current folder"))),
            ("umask", line("Umask")),
            ("open files", format!("{:?}", files())),
            ("limits", read("/proc/self/limits")),
            ("allocator of tree-sitter", format!("{:x?}", parser_allocator())),
        ])
    }

    /// Panics, unless the process is, soon, in this state. `when` says which moment is checked.
    pub fn assert_restored(&self, when: &str) {
        let begun = Instant::now();
        loop {
            let now = ProcessState::now();
            let Some(((what, before), (_, after))) =
                self.0.iter().zip(&now.0).find(|(one, other)| one != other)
            else {
                return;
            };
            assert!(begun.elapsed() < PATIENCE, "{when}: {what} changed from\n{before}\nto\n{after}");
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

fn read(path: &str) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn names(folder: &str) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{folder}: {error}"));
    entries.flatten().filter_map(|entry| entry.file_name().into_string().ok()).collect()
}

fn threads() -> BTreeMap<String, String> {
    let name = |thread: &String| fs::read_to_string(format!("/proc/self/task/{thread}/comm")).ok();
    names("/proc/self/task").into_iter().filter_map(|thread| Some((thread.clone(), name(&thread)?))).collect()
}

fn children() -> BTreeSet<String> {
    let pid = std::process::id().to_string();
    let is_child = |process: &String| {
        let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
        stat.rsplit(") ").next().and_then(|rest| rest.split(' ').nth(1)) == Some(pid.as_str())
    };
    names("/proc").into_iter().filter(is_child).collect()
}

fn files() -> BTreeMap<String, PathBuf> {
    let target = |name: &String| fs::read_link(format!("/proc/self/fd/{name}")).ok();
    let open = names("/proc/self/fd").into_iter().filter_map(|name| Some((name.clone(), target(&name)?)));
    // The descriptor by which the folder itself was listed.
    open.filter(|(_, target)| !target.ends_with("fd")).collect()
}

fn handler(signal: i32) -> (usize, i32) {
    // SAFETY: plain data, for which zeros are a value; the call only reads the disposition of a signal.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        libc::sigaction(signal, std::ptr::null(), &mut action);
        (action.sa_sigaction, action.sa_flags)
    }
}

unsafe extern "C" {
    static ts_current_malloc: *const c_void;
    static ts_current_calloc: *const c_void;
    static ts_current_realloc: *const c_void;
    static ts_current_free: *const c_void;
}

/// The functions by which tree-sitter allocates now.
fn parser_allocator() -> [usize; 4] {
    // SAFETY: pointers of the runtime that nothing changes meanwhile.
    unsafe {
        [ts_current_malloc, ts_current_calloc, ts_current_realloc, ts_current_free].map(|it| it as usize)
    }
}
