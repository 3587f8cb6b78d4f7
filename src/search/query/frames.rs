//! Frames in a text: the lines of files that stack traces, compilers and tools name.

use std::sync::OnceLock;

use regex::Regex;
use serde::{Deserialize, Serialize};

/// A line of a file, or a file, as a text names it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Frame {
    /// The path as written, with `/` as separator. The path is often from another machine.
    pub path: String,
    /// The line, counted from 1; `None` if the whole file is named, by its path in the tree.
    pub line: Option<u32>,
    /// The function that the frame names, with its container as written.
    pub function: Option<String>,
}

/// The most frames of a text; deep recursion repeats frames.
const MAX_FRAMES: usize = 64;

/// The distinct frames of `text`, the innermost first: `File "x.py", line 3` of Python, whose traces end with the innermost
/// frame, `x.go:3` of Go, Rust, Java, Node and compilers, `x.php(3)` and `x.php on line 3` of PHP, `x.cs:line 3` of C#.
pub(crate) fn frames_of(text: &str) -> Vec<Frame> {
    static PATTERN: OnceLock<Regex> = OnceLock::new();
    // Compiling the pattern takes a seventh of the first question of a process, and few questions name a line.
    if !may_name_line(text) {
        return Vec::new();
    }
    let pattern = PATTERN.get_or_init(|| {
        let pattern =
            r#"File "(?<python>[^"\n]+)", line (?<number>\d+)(?:, in (?<in>\w+))?|(?:(?<function>[\w$.]+) ?\()?(?<path>[\w@+./\\-]*\w\.[A-Za-z]\w{0,9})(?::(?:line )?(?<line>\d+)|\((?<at>\d+)\)| on line (?<on>\d+))"#;
        Regex::new(pattern).expect("a constant pattern")
    });
    let mut frames: Vec<Frame> = Vec::new();
    for found in pattern.captures_iter(text) {
        let path = found.name("python").or_else(|| found.name("path"));
        let line = ["number", "line", "at", "on"].iter().find_map(|name| found.name(name));
        let (Some(path), Some(line)) = (path, line) else { continue };
        let Ok(line @ 1..) = line.as_str().parse::<u32>() else { continue };
        let function = found.name("in").or_else(|| found.name("function"));
        let function = function.map(|function| function.as_str().to_string());
        let function = function.or_else(|| function_above(&text[..path.start()]));
        let frame = Frame { path: path.as_str().replace('\\', "/"), line: Some(line), function };
        if !frames.contains(&frame) {
            frames.push(frame);
        }
        if frames.len() == MAX_FRAMES {
            break;
        }
    }
    if frames.last().is_some_and(|last| last.path.ends_with(".py")) {
        frames.reverse();
    }
    frames
}

/// The function on the line above a place that begins its line, as Go and Rust print frames: `pkg.(*Server).serve(0xc0)`,
/// `4: app::serve`. The signs of a receiver are left out, and so are the numbers of closures.
fn function_above(before: &str) -> Option<String> {
    let (above, start) = before.rsplit_once('\n')?;
    if !start.starts_with([' ', '\t']) || !matches!(start.trim(), "" | "at") {
        return None;
    }
    let line = above.rsplit('\n').next()?.trim();
    let name = line.strip_suffix(')').and_then(|line| line.rfind('(').map(|at| &line[..at])).unwrap_or(line);
    let name = name.split_once(": ").map_or(name, |(_, name)| name);
    let name = name.rsplit('/').next()?.replace(['(', '*', ')'], "").replace("::{{closure}}", "");
    let is_closure =
        |part: &str| part.starts_with("func") && part[4..].bytes().all(|byte| byte.is_ascii_digit());
    let is_number = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let mut name = name.as_str();
    while let Some((outer, last)) = name.rsplit_once('.')
        && (is_closure(last) || is_number(last))
    {
        name = outer;
    }
    let is_name =
        !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | ':' | '$'));
    is_name.then(|| name.to_string())
}

/// Whether `text` has what each frame has: `:` or a bracket before a digit, or a word for a line.
fn may_name_line(text: &str) -> bool {
    text.as_bytes().windows(2).any(|pair| matches!(pair[0], b':' | b'(') && pair[1].is_ascii_digit())
        || ["\", line ", ":line ", " on line "].iter().any(|words| text.contains(words))
}

impl Frame {
    /// How many components at the end of `path` equal those of the frame; 0 if the file names differ, or if the frame is
    /// another whole file.
    pub(crate) fn shared_parts(&self, path: &str) -> usize {
        if self.line.is_none() && self.path != path {
            return 0;
        }
        let components = self.path.rsplit('/').filter(|part| !part.is_empty() && *part != ".");
        components.zip(path.rsplit('/')).take_while(|(one, other)| one == other).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_of_the_common_runtimes_are_read() {
        let check = |text: &str, expected: &[(&str, u32)]| {
            let found = frames_of(text);
            let found: Vec<_> =
                found.iter().map(|frame| (frame.path.as_str(), frame.line.unwrap())).collect();
            assert_eq!(found, expected, "{text}");
        };
        check("  File \"/a/django/db/query.py\", line 31, in f\n    f()", &[("/a/django/db/query.py", 31)]);
        check(
            "\t/go/src/k8s.io/pkg/kubelet/kubelet.go:1421 +0x1d",
            &[("/go/src/k8s.io/pkg/kubelet/kubelet.go", 1421)],
        );
        check(
            "   at harbor::x\n             at ./src/runtime/task.rs:12:5",
            &[("./src/runtime/task.rs", 12)],
        );
        check("\tat com.example.Crane.liftBox(Crane.java:932)", &[("Crane.java", 932)]);
        check("    at f (C:\\web\\src\\app.js:10:5)", &[("/web/src/app.js", 10)]);
        check("query.py:1958", &[("query.py", 1958)]);
        check(
            "#0 /var/www/src/Crane.php(75): lift()\n#1 {main}\n in /var/www/src/Hook.php on line 12",
            &[("/var/www/src/Crane.php", 75), ("/var/www/src/Hook.php", 12)],
        );
        check("   at Crane.Lift() in C:\\src\\Crane.cs:line 9", &[("/src/Crane.cs", 9)]);
        check("at 12:30, 10.0.0.1:80, std::mem", &[]);
    }

    #[test]
    fn frames_name_their_functions() {
        let check = |text: &str, expected: Option<&str>| {
            assert_eq!(frames_of(text)[0].function.as_deref(), expected, "{text}");
        };
        check("  File \"/a/db/query.py\", line 31, in fetch", Some("fetch"));
        check("  File \"/a/db/query.py\", line 31, in <module>", None);
        check("\tat com.example.Crane.liftBox(Crane.java:932)", Some("com.example.Crane.liftBox"));
        check("    at Crane.lift (/web/src/app.js:10:5)", Some("Crane.lift"));
        check(
            "example.com/crane.(*Hook).lift(0xc0, 0x1)\n\t/go/src/crane/hook.go:12 +0x1d",
            Some("crane.Hook.lift"),
        );
        check("main.run.func2.1()\n\t/go/src/main.go:12 +0x1d", Some("main.run"));
        check("   4: crane::hook::lift\n             at ./src/hook.rs:12:9", Some("crane::hook::lift"));
        check("panic: out of rope\n\n\t/go/src/main.go:12", None);
        check("error[E0308]: mismatched types\n  --> src/hook.rs:12:9", None);
        check("query.py:1958", None);
    }

    #[test]
    fn the_innermost_frame_is_the_first() {
        let lines = |text: &str| frames_of(text).iter().map(|frame| frame.line.unwrap()).collect::<Vec<_>>();
        assert_eq!(lines("  File \"/a.py\", line 1, in main\n  File \"/b.py\", line 2, in lift"), [2, 1]);
        assert_eq!(lines("\tat a.B.lift(B.java:2)\n\tat a.A.main(A.java:1)"), [2, 1]);
    }

    #[test]
    fn parts_are_shared_from_the_end() {
        let shared = |frame: &str, path: &str| {
            Frame { path: frame.to_string(), line: Some(1), function: None }.shared_parts(path)
        };
        assert_eq!(shared("/usr/lib/python3/django/db/models/query.py", "django/db/models/query.py"), 4);
        assert_eq!(shared("query.py", "django/db/models/query.py"), 1);
        assert_eq!(shared("./src/a.rs", "src/a.rs"), 2);
        assert_eq!(shared("src/b.rs", "src/a.rs"), 0);
    }
}
