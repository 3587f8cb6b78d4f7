//! A tree of made-up sources, the same for the same number of files: Rust, Python and Go in turn, some 4 KB each, in
//! folders of forty. Names are made of words that real code has, so that queries and patterns which find something in any
//! tree find something here.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

const WORDS: [&str; 40] = [
    "read", "write", "parse", "file", "max", "size", "options", "config", "error", "index", "client",
    "server", "token", "store", "query", "view", "cache", "session", "user", "policy", "route", "stream",
    "buffer", "frame", "socket", "event", "timer", "task", "queue", "worker", "lock", "result", "value",
    "table", "record", "page", "block", "path", "node", "timeout",
];

/// Seeded.
struct Draw(u64);

impl Draw {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n
    }

    fn word(&mut self) -> &'static str {
        WORDS[self.below(WORDS.len())]
    }

    fn name(&mut self) -> String {
        format!("{}_{}", self.word(), self.word())
    }
}

/// Writes a number of files below a folder.
pub fn tree(root: &Path, files: usize) {
    let mut draw = Draw(1);
    for number in 0..files {
        let folder = root.join(format!("{}_{}", WORDS[number / 40 % WORDS.len()], number / 40));
        fs::create_dir_all(&folder).expect("a temporary folder");
        let (ending, item): (_, fn(&mut Draw) -> String) = match number % 3 {
            0 => ("rs", rust),
            1 => ("py", python),
            _ => ("go", go),
        };
        let head = if ending == "go" { "package main\n\n" } else { "" };
        let items: String = (0..12).map(|_| item(&mut draw)).collect();
        let name = format!("{}_{number}.{ending}", draw.name());
        fs::write(folder.join(name), format!("{head}{items}")).expect("a temporary folder");
    }
}

fn rust(draw: &mut Draw) -> String {
    let [name, one, two, called] = [(); 4].map(|()| draw.name());
    let (verb, noun, kind) = (draw.word(), draw.word(), draw.word());
    let mut text = format!("/// Whether to {verb} the {noun} of a {kind}, before the {one} is used.\n");
    let _ = writeln!(text, "pub fn {name}({one}: &str, {two}: usize) -> Option<usize> {{");
    let _ =
        writeln!(text, "    let {kind} = {called}({one})?;\n    if {kind} == {two} {{\n        return None;");
    let _ = writeln!(text, "    }}\n    Some({kind} + {})\n}}\n", draw.below(1000));
    text
}

fn python(draw: &mut Draw) -> String {
    let [name, one, two, called] = [(); 4].map(|()| draw.name());
    let (verb, noun, kind) = (draw.word(), draw.word(), draw.word());
    let mut text = format!("def {name}({one}, {two}=None):\n    \"\"\"Says how to {verb} a {noun}.\"\"\"\n");
    let _ = writeln!(text, "    {kind} = {called}({one})\n    if {kind} == {}:", draw.below(1000));
    let _ = writeln!(text, "        raise ValueError(\"{verb} {noun}: no {kind}\")\n    return {two}\n\n");
    text
}

fn go(draw: &mut Draw) -> String {
    let [name, one, two, called] = [(); 4].map(|()| draw.name());
    let (verb, noun, kind) = (draw.word(), draw.word(), draw.word());
    let mut text = format!("// {name} has to {verb} the {noun} once for each {kind}.\n");
    let _ = writeln!(text, "func {name}({one} string, {two} int) (int, error) {{");
    let _ =
        writeln!(text, "\t{kind}, err := {called}({one})\n\tif err != nil {{\n\t\treturn {two}, err\n\t}}");
    let _ = writeln!(text, "\treturn {kind} + {}, nil\n}}\n", draw.below(1000));
    text
}
