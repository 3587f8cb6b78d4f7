//! How much memory a build and printing take, as the system counts it: that of the process alone, without the pages of
//! files.

use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use super::Tree;

/// What a build may exceed its bound by, in hundredths: the shares are estimates, and an allocator keeps some of what
/// was given back to it.
const TOLERANCE: u64 = 10;

const MIB: u64 = 1 << 20;

/// Files whose segments would fill what an update takes when nobody bounds it: hardly a name occurs twice. Some are
/// large enough to wait for each other.
fn wordy() -> Tree {
    let tree = Tree::new("");
    let mut number = 0u64;
    let mut name = || {
        number += 1;
        format!("{:x}", number.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    };
    for file in 0..32 {
        let words: Vec<String> = (0..8_000).map(|_| name()).collect();
        tree.write(&format!("words/{file:02}.txt"), words.join("\n"));
    }
    for file in 0..3 {
        let lines: String = (0..6_000).map(|line| format!("fn f{line}() {{ g{line}(a); }}\n")).collect();
        tree.write(&format!("code/{file}.rs"), lines);
    }
    tree
}

/// The anonymous memory that a process has, in bytes.
fn anonymous(child: &Child) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"));
    line.and_then(|rest| rest.trim().strip_suffix(" kB")?.parse::<u64>().ok()).unwrap_or(0) << 10
}

/// The most anonymous memory that a build takes under this bound.
fn peak(tree: &Tree, bound: &str) -> u64 {
    let mut command = tree.command();
    peak_of(command.args(["index", "--rebuild", "--quiet", "--threads", "2", "--max-memory", bound]))
}

/// The most anonymous memory that a run takes.
fn peak_of(command: &mut Command) -> u64 {
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::inherit()).spawn().unwrap();
    let mut most = 0;
    loop {
        most = most.max(anonymous(&child));
        if let Some(ended) = child.try_wait().unwrap() {
            assert!(ended.success());
            return most;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

#[test]
fn a_build_keeps_to_its_bound_and_its_answers() {
    let tree = wordy();
    let query = ["search", "f77 g77", "--stale-policy", "ignore"];
    let answer = |bound: &str| {
        let most = peak(&tree, bound);
        let reply = tree.json(&query);
        (most, [reply["results"].clone(), reply["total"].clone()])
    };
    let (least, of_least) = answer("64M");
    let (plenty, of_plenty) = answer("1G");
    let most = 64 * MIB * (100 + TOLERANCE) / 100;
    assert!(plenty > most, "the tree shows nothing: {} MiB", plenty / MIB);
    assert!(least <= most, "{} MiB, {} MiB where it is not bounded", least / MIB, plenty / MIB);
    assert_eq!(of_least, of_plenty);
}

#[test]
fn a_long_line_is_not_held_a_second_time_to_find_its_secrets() {
    let tree = Tree::new("");
    tree.write("one.txt", format!("{} needle\n", "straw ".repeat(8 << 20)));
    let run = |flags: &[&str]| peak_of(tree.command().args(["grep", "-o", "needle"]).args(flags));
    // Samples understate a peak where the system runs something else; one of several runs is close.
    let plain = (0..4).map(|_| run(&["--show-secrets"])).max().unwrap_or(0);
    let masked = run(&[]);
    assert!(masked <= plain + 16 * MIB, "{} MiB, {} MiB without masks", masked / MIB, plain / MIB);
}

#[test]
fn lines_that_nobody_takes_are_not_all_kept() {
    let tree = Tree::new("");
    let file = format!("needle {}\n", "straw ".repeat(10_000)).repeat(32);
    for number in 0..96 {
        tree.write(&format!("stack/{number:02}.txt"), &file);
    }
    let mut command = tree.command();
    command.args(["grep", "--brute", "--threads", "2", "needle"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::inherit()).spawn().unwrap();
    let mut first = [0; 1];
    let mut out = child.stdout.take().unwrap();
    out.read_exact(&mut first).unwrap();
    let (mut held, mut unchanged) = (0, 0);
    while unchanged < 10 {
        std::thread::sleep(Duration::from_millis(50));
        let now = anonymous(&child);
        unchanged = if now > held { 0 } else { unchanged + 1 };
        held = held.max(now);
    }
    let mut rest = Vec::new();
    out.read_to_end(&mut rest).unwrap();
    assert!(child.wait().unwrap().success());
    let whole = 96 * 32 * ("stack/00.txt:".len() + file.len() / 32);
    assert_eq!(1 + rest.len(), whole);
    assert!(held > MIB, "nothing was measured");
    assert!(held < whole as u64 * 2 / 3, "{} of {} MiB", held / MIB, whole as u64 / MIB);
}
