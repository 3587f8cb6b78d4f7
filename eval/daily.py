#!/usr/bin/env python3
"""What a person who keeps Spyhop open all day expects, each line a command with its outcome.

    python3 eval/daily.py target/debug/spyhop [--only WORD]

Each check runs the program in a small repository, from a subfolder where that matters, and says what came out where it differs
from what is expected. Terminals, the picker, editors and completions have tests of their own in `tests/`. The exit code is 1
if a check fails.
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import screens

FILES = {
    "src/auth.rs": "/// Resolves the secret of a provider.\npub fn resolve_api_key(provider: &str) -> String {\n    lookup(provider)\n}\n\nfn lookup(name: &str) -> String {\n    format!(\"secret of {name}\")\n}\n",
    "src/pool.rs": "pub struct Pool;\n\nimpl Pool {\n    pub fn take_permit(&self) {}\n}\n\npub fn use_pool(pool: &Pool) {\n    pool.take_permit();\n}\n",
    "web/app.ts": "import { close } from './lib'\n\nexport function run() {\n  close()\n}\n",
    "web/lib.ts": "export function close() {}\n",
    "docs/guide.md": "# Brewing\n\nGrind the beans.\n",
    "config.json": "{ \"beans\": 3 }\n",
}

CHECKS = []


def check(name):
    def add(run):
        CHECKS.append((name, run))
        return run
    return add


class Tree:
    def __init__(self, program, folder):
        self.program, self.root = program, folder / "tree"
        self.index = folder / "index"
        for path, text in FILES.items():
            (self.root / path).parent.mkdir(parents=True, exist_ok=True)
            (self.root / path).write_text(text)
        for command in (["init", "-q"], ["add", "-A"], ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "a"]):
            subprocess.run(["git", *command], cwd=self.root, check=True)

    def run(self, *arguments, at="", stdin=None, **environment):
        env = {**os.environ, "SPYHOP_INDEX_DIR": str(self.index), "NO_COLOR": "1", **environment}
        return subprocess.run([self.program, *arguments], cwd=self.root / at, capture_output=True, text=True, env=env,
                              input=stdin if stdin is not None else "", timeout=120)


def expect(ran, code=None, out=None, err=None, not_out=None):
    faults = []
    if code is not None and ran.returncode != code:
        faults.append(f"exit code {ran.returncode}, expected {code}")
    for what, pattern, text in (("output", out, ran.stdout), ("errors", err, ran.stderr)):
        if pattern is not None and not re.search(pattern, text, re.M):
            faults.append(f"no {pattern!r} in the {what}")
    if not_out is not None and re.search(not_out, ran.stdout, re.M):
        faults.append(f"{not_out!r} in the output")
    if faults:
        shown = (ran.stdout + ran.stderr)[:600]
        raise AssertionError("; ".join(faults) + "\n" + "\n".join("    | " + line for line in shown.splitlines()))


@check("paths are relative to the current folder")
def _(tree):
    expect(tree.run("lookup", "--mode", "compact", at="src"), 0, out=r"^auth\.rs:\d+:\d+: ")
    expect(tree.run("files", "auth", at="src"), 0, out=r"^auth\.rs$")
    expect(tree.run("files", "auth", at="web"), 0, out=r"^\.\./src/auth\.rs$")
    expect(tree.run("grep", "-n", "lookup", "../src", at="web"), 0, out=r"^\.\./src/auth\.rs:3:")


@check("grep without a path searches the current folder")
def _(tree):
    expect(tree.run("grep", "lookup", ".", at="web"), 1, not_out=".")


@check("JSON has root-relative paths")
def _(tree):
    reply = json.loads(tree.run("resolve_api_key", "--json", at="src").stdout)
    assert reply["results"][0]["path"] == "src/auth.rs", reply["results"][0]


@check("words that a command cannot take are an error with the search")
def _(tree):
    for words in (["import", "cycle", "detection"], ["map", "reduce", "shuffle"]):
        expect(tree.run(*words), 2, err="spyhop search " + " ".join(words))
    expect(tree.run("export", "csv"), 2)
    assert not (tree.root / "csv").exists()


@check("a misspelled command is answered with the command")
def _(tree):
    expect(tree.run("statsu"), 2, err="did you mean 'status'")
    expect(tree.run("serach", "foo"), 2, err="did you mean 'search'")
    expect(tree.run("help", "nope"), 2, err="nope")


@check("a page of hits fits a screen")
def _(tree):
    ran = tree.run("where is the key of a provider resolved")
    expect(ran, 0, out="resolve_api_key", not_out="matches nothing")
    assert len(ran.stdout.splitlines()) <= 24, ran.stdout


@check("an answer with its warnings fits a terminal")
def _(tree):
    for number in range(12):
        body = "".join(f"        total += grind(beans, {n})\n" for n in range(30))
        text = f"class Mill{number}:\n    size = 1\n\n    def grind_beans(\n        self,\n        coarse):\n{body}"
        (tree.root / f"src/mill{number}.py").write_text(text)
    env = {**os.environ, "SPYHOP_INDEX_DIR": str(tree.index), "TERM": "xterm-256color"}
    tree.run("index", "-q")
    for rows, width in screens.SCREENS:
        question = "where does the mill griind the coarse beanss by total"
        text = screens.in_terminal([tree.program, "--no-pager", question], tree.root, rows, width, env)
        found = screens.faults(text, rows, width)
        assert not found and "no file contains 'griind'" in text and "grind_beans" in text, (found, text)


@check("compact is path:line:column: text, the rest goes to standard error")
def _(tree):
    ran = tree.run("permit of the pool", "--mode", "compact")
    lines = ran.stdout.splitlines()
    assert lines and all(re.match(r"[^:]+:\d+:\d+: ", line) for line in lines), ran.stdout
    expect(ran, 0, err="result")


@check("nothing found and an empty tree say what to do next")
def _(tree):
    expect(tree.run("grep", "no such words", "."), 1)
    empty = tree.root / "empty"
    empty.mkdir(exist_ok=True)
    expect(tree.run("anything", "--root", "."  , at="empty"), 1, out=r"\w+")


@check("grep takes ripgrep's flags")
def _(tree):
    expect(tree.run("grep", "-c", "lookup", "src/auth.rs"), 0, out="2")
    expect(tree.run("grep", "-q", "lookup", "."), 0, not_out=".")
    expect(tree.run("grep", "-l", "-t", "rust", "pool", "src"), 0, out="src/pool.rs")
    expect(tree.run("grep", "--vimgrep", "lookup", "src"), 0, out=r"^src/auth\.rs:3:5:")
    expect(tree.run("grep", "-r", "found", "lookup", "src/auth.rs"), 0, out="found")
    expect(tree.run("grep", "-g", "!*.rs", "lookup", "."), 1)
    expect(tree.run("grep", "x", "-", stdin="a\nx\n"), 0, out="^x$")
    expect(tree.run("grep", "lookup", "missing", "src"), 2, out="lookup", err="missing")
    expect(tree.run("grep", "--files", "-0", "."), 0, out="\0")


@check("files and symbols print everything in a pipe")
def _(tree):
    ran = tree.run("files")
    assert set(ran.stdout.split()) >= set(FILES), ran.stdout
    assert "\0" in tree.run("files", "-0").stdout
    expect(tree.run("symbols", "permit"), 0, out=r"^src/pool\.rs:4: \w+ .*take_permit$")
    expect(tree.run("symbols", "--vimgrep", "take_permit"), 0, out=r"^src/pool\.rs:4:")


@check("globs, kinds and languages are understood")
def _(tree):
    expect(tree.run("beans", "--glob", "!*.json"), 0, out="guide.md", not_out="config.json")
    for kind in ("func", "Fn", "functions", "methods"):
        expect(tree.run("take_permit resolve_api_key", "--kind", kind), 0)
    expect(tree.run("x", "--kind", "nope"), 2, err="choose one of")


@check("an index folder inside the tree is not source, and --db takes no file")
def _(tree):
    inside = tree.root / "own-index"
    expect(tree.run("index", "-q", "--index-dir", "own-index"), 0)
    ran = tree.run("files", "--index-dir", "own-index", "--hidden", "--no-ignore")
    assert inside.exists() and "own-index" not in ran.stdout, ran.stdout
    expect(tree.run("status", "--db", "config.json"), 2, err="config.json")


@check("bare spyhop shows the main commands, -h is short")
def _(tree):
    expect(tree.run(), 2, err="spyhop grep")
    short, long = tree.run("search", "-h").stdout, tree.run("search", "--help").stdout
    assert len(short.splitlines()) <= 45 < len(long.splitlines()), (len(short.splitlines()), len(long.splitlines()))
    for command in ("search", "grep", "files", "symbols", "index", "mcp"):
        expect(tree.run(command, "--help"), 0, out="Examples")


@check("index says how long it took and what is next")
def _(tree):
    expect(tree.run("index"), 0, out=r"\d+ files")


@check("a huge folder is not indexed unasked in a pipe")
def _(tree):
    expect(tree.run("anything", "--root", "/usr"), 2, err="--yes")


@check("read shows numbered lines of a file or a definition")
def _(tree):
    expect(tree.run("read", "auth.rs", "--lines", "2-3", at="src"), 0, out=r"2.*resolve_api_key")
    expect(tree.run("read", "--symbol", "Pool.take_permit"), 0, out="take_permit")


@check("the code graph answers who calls what")
def _(tree):
    expect(tree.run("callers", "lookup"), 0, out=r"auth\.rs:3  .*resolve_api_key")
    expect(tree.run("callers", "Pool.take_permit"), 0, out="use_pool")
    expect(tree.run("callers", "web/lib.ts#close"), 0, out=r"app\.ts:4")
    expect(tree.run("imports", "app.ts", at="web"), 0, out=r"lib\.ts")
    expect(tree.run("callers", "lookpu"), 2, err="lookpu")


@check("a path that lies deeper is suggested, why-not names files as typed, the verb pass names no password")
def _(tree):
    (tree.root / "lib/deep/net").mkdir(parents=True)
    (tree.root / "lib/deep/net/a.rs").write_text("fn f() {}\n")
    expect(tree.run("map", "deep/net"), 2, err="did you mean 'lib/deep/net'")
    expect(tree.run("why-not", "auth.rs", "lookup", at="src"), 0, out=r"^auth\.rs ranks 1")
    (tree.root / "notes.md").write_text("You can pass `MODEBUILD=overwrite` to it.\n")
    expect(tree.run("grep", "MODEBUILD", "notes.md"), 0, out="MODEBUILD=overwrite")


@check("--open opens the editor at the line")
def _(tree):
    log = tree.root.parent / "editor.log"
    editor = tree.root.parent / "vim"
    editor.write_text(f"#!/bin/sh\necho \"$@\" > {log}\n")
    editor.chmod(0o755)
    expect(tree.run("symbols", "take_permit", "--open", "1", VISUAL=str(editor), EDITOR=str(editor)), 0)
    assert "+4" in log.read_text() and "pool.rs" in log.read_text(), log.read_text()


@check("completions are printed for every shell")
def _(tree):
    for shell in ("bash", "zsh", "fish", "powershell", "nushell"):
        expect(tree.run("completions", shell), 0, out="spyhop")


@check("files and symbols take several words, in any order, and globs")
def _(tree):
    expect(tree.run("files", "rs", "auth"), 0, out=r"^src/auth\.rs$")
    expect(tree.run("files", "upload", "handler"), 1, err="No results")
    expect(tree.run("symbols", "permit", "take"), 0, out=r"take_permit")
    expect(tree.run("symbols", "take*"), 0, out=r"take_permit", not_out="resolve")
    for number in range(3):
        (tree.root / f"src/deep/{number}/r/c").mkdir(parents=True)
        (tree.root / f"src/deep/{number}/r/c/s.rs").write_text("fn f() {}\n")
    ran = tree.run("files", "src/deep")
    assert ran.stdout.splitlines()[0].startswith("src/deep/"), ran.stdout


@check("scattered matches are left out and counted, --scattered lists them")
def _(tree):
    (tree.root / "z/every/bright/rainbow").mkdir(parents=True)
    (tree.root / "z/every/bright/rainbow/apple.rs").write_text("fn f() {}\n")
    (tree.root / "zebra.rs").write_text("fn f() {}\n")
    expect(tree.run("files", "zebra"), 0, out=r"^zebra\.rs$", not_out="rainbow", err="1 scattered match left out")
    expect(tree.run("files", "zebra", "--scattered"), 0, out="rainbow")
    assert json.loads(tree.run("files", "zebra", "--json").stdout)["left_out"] == 1


@check("misspelled values are answered with what is meant")
def _(tree):
    expect(tree.run("x", "--kind", "strct"), 2, err="did you mean 'struct'")
    expect(tree.run("x", "--lang", "rst"), 2, err="did you mean 'rust'")
    expect(tree.run("x", "--path", "scr"), 2, err="did you mean 'src'")
    (tree.root / "fast.toml").write_text("")
    expect(tree.run("x", "--profile", "fats.toml"), 2, err=r"did you mean 'fast\.toml'")
    subprocess.run(["git", "branch", "feature"], cwd=tree.root, check=True)
    expect(tree.run("x", "--view", "faeture"), 2, err="did you mean 'feature'")


@check("words that are nowhere are named, with similar words")
def _(tree):
    expect(tree.run("resovles secrte provider"), 0, err="no file contains 'resovles' .similar: 'Resolves'. or 'secrte'")
    assert tree.run("resolves the secret").stderr == ""


@check("read takes a place and a name")
def _(tree):
    expect(tree.run("read", "src/auth.rs:2"), 0, out=r"^2\tpub fn resolve_api_key")
    expect(tree.run("read", "auth.rs:2-3", at="src"), 0, out=r"^auth\.rs:2-3 ")
    expect(tree.run("read", "Pool.take_permit"), 0, out="take_permit")
    expect(tree.run("read", "src/auht.rs"), 2, err=r"the nearest are 'src/auth\.rs'")


@check("paths out of the tree choose a tree, and are shown so that they can be opened")
def _(tree):
    other = tree.root.parent / "other"
    (other / ".git").mkdir(parents=True)
    (other / "brew.py").write_text("def brew_coffee(): pass\n")
    subprocess.run(["git", "init", "-q"], cwd=other, check=True)
    shown = tree.run("brew_coffee", "--path", "../other", "--mode", "compact").stdout.split(":")[0]
    assert (tree.root / shown).exists(), shown
    expect(tree.run("map", "../other"), 0, out="brew")
    expect(tree.run("why-not", "../other/brew.py", "brew coffee"), 0, out="ranks 1 of 1")
    expect(tree.run("map", ".."), 2, err="--root '..'")
    expect(tree.run("close", "--here", "--mode", "compact", at="web"), 0, out=r"^\w+\.ts:", not_out=r"\.rs")


@check("--index-dir is relative to the current folder")
def _(tree):
    (tree.root.parent / "beside").mkdir()
    expect(tree.run("index", "-q", "--index-dir", "../../beside/here", at="src"), 0)
    assert (tree.root.parent / "beside" / "here" / "WORKSPACE").exists()


@check("outside git, a folder uses the index of the folder around it")
def _(tree):
    plain = tree.root.parent / "plain"
    (plain / "deep").mkdir(parents=True)
    (plain / "top.py").write_text("def top(): pass\n")
    (plain / "deep" / "low.py").write_text("def low(): pass\n")
    tree.root = plain
    expect(tree.run("index", "-q"), 0)
    expect(tree.run("files", at="deep"), 0, out=r"^\.\./top\.py$")
    expect(tree.run("files", "--root", ".", at="deep"), 0, out=r"^low\.py$", not_out="top")


@check("grep takes the rest of ripgrep's flags")
def _(tree):
    def grep(*arguments, code=0, out=None, err=None, **more):
        expect(tree.run("grep", *arguments, **more), code, out=out, err=err)
    grep("--type-list", out=r"^rust: \*\.rs$")
    grep("--type-add", "leaf:*.ts", "-t", "leaf", "-l", "close", ".", out=r"web/app\.ts")
    grep("-T", "rust", "lookup", ".", code=1)
    grep("--sortr", "path", "-l", "close", "web", out=r"\Aweb/lib\.ts\nweb/app\.ts$")
    grep("--sort", "path", "-l", "close", "web", out=r"\Aweb/app\.ts\nweb/lib\.ts$")
    grep("--iglob", "*.RS", "-l", "lookup", ".", out="auth")
    grep("--max-depth", "1", "lookup", ".", code=1)
    grep("--passthru", "lookup", "src/auth.rs", out="Resolves the secret")
    grep("--trim", "lookup\\(prov", "src/auth.rs", out=r"^lookup\(provider\)")
    grep("-M", "10", "lookup", "src/auth.rs", out="Omitted long")
    grep("--files-without-match", "lookup", "src", out=r"^src/pool\.rs$")
    grep("-f", "-", "src", stdin="lookup\n", out="auth")
    grep("-b", "-o", "lookup", "src/auth.rs", out=r"^\d+:lookup$")
    grep("-p", "lookup", "src", out=r"lookup")
    for flags in (["-uuu"], ["-a"], ["-j", "1"], ["--crlf"], ["--no-ignore-vcs"], ["--no-messages"], ["--line-buffered"],
                  ["--no-require-git"], ["-E", "utf-8"], ["--colors", "match:fg:red"], ["--debug"],
                  ["--context-separator", "x"], ["--ignore-file", "none.txt"], ["--null-data"], ["-z"]):
        grep(*flags, "-c", "lookup", "src/auth.rs", out=r"\d")
    grep("--stats", "lookup", "src", out="matches")
    grep("-P", "a(?=b)", code=2, err="look-around")
    (tree.root / "rc").write_text("--max-count=1\n")
    grep("-c", "lookup", "src/auth.rs", RIPGREP_CONFIG_PATH=str(tree.root / "rc"), out="^1$")


@check("without a repository, .gitignore does not count, .ignore does")
def _(tree):
    plain = tree.root.parent / "plain"
    plain.mkdir()
    for name in ("a.txt", "b.txt"):
        (plain / name).write_text("beans\n")
    (plain / ".gitignore").write_text("a.txt\n")
    (plain / ".ignore").write_text("b.txt\n")
    tree.root = plain
    expect(tree.run("grep", "-l", "beans", "."), 0, out="a.txt", not_out="b.txt")


@check("hits are named in words of the command line, as is a missing editor")
def _(tree):
    expect(tree.run("symbols", "permit", "--open", "99999"), 2, err="--open 99999: the answer has")
    expect(tree.run("symbols", "permit", "--open", "1", VISUAL="no-such-editor -w"), 2, err="'no-such-editor' did not start")


@check("code of a hit has the lines down to its name, and no gap behind a gap")
def _(tree):
    body = "".join(f"    step_{n}();\n" for n in range(60))
    (tree.root / "long.c").write_text(f"static int\nbrew_the_coffee(\n    int beans,\n    int water)\n{{\n{body}    pour_the_water();\n}}\n")
    ran = tree.run("brew the coffee and pour the water")
    expect(ran, 0, out=r"1 │ static int\n +2 │ brew_the_coffee\(")
    assert not re.search(r"┆\n +┆", ran.stdout), ran.stdout


@check("why-not compares in log-odds, and only a file behind the tenth")
def _(tree):
    for number in range(14):
        words = "quokka burrow " * (14 - number)
        (tree.root / f"note{number:02}.md").write_text(f"# Note\n\n{words}\n{'other words here ' * 20 * number}\n")
    first = tree.run("why-not", "note00.md", "quokka burrow")
    expect(first, 0, out="ranks", not_out="tenth")
    last = json.loads(tree.run("why-not", "note13.md", "quokka burrow", "--json").stdout)
    assert last["rank"] > 10 and all(gap["tenth"] - gap["own"] > 0.05 for gap in last["missing"]), last


@check("lock files do not rank before sources")
def _(tree):
    (tree.root / "Cargo.lock").write_text("".join(f'[[package]]\nname = "lookup-{n}"\nversion = "1.0.0"\n' for n in range(500)))
    (tree.root / "package-lock.json").write_text(json.dumps({"packages": {f"lookup-{n}": {} for n in range(500)}}, indent=1))
    subprocess.run(["git", "add", "-A"], cwd=tree.root, check=True)
    paths = [hit["path"] for hit in json.loads(tree.run("lookup", "--json").stdout)["results"]]
    assert paths[0] == "src/auth.rs", paths


@check("--kind comment finds comments that stand alone and sections of documents")
def _(tree):
    comment = "// The percolator drips slowly.\n" * 30
    (tree.root / "src/notes.rs").write_text(f"{comment}\n\nfn unrelated() {{}}\n")
    expect(tree.run("percolator drips", "--kind", "comment"), 0, out=r"notes\.rs")
    expect(tree.run("grind the beans", "--kind", "comment"), 0, out=r"guide\.md")


@check("servers and queries on a terminal say that they wait, commands of terminals refuse pipes")
def _(tree):
    expect(tree.run("ui"), 2, err="terminal")
    own, other = os.openpty()
    process = subprocess.Popen([tree.program, "mcp"], cwd=tree.root, stdin=other, stdout=other, stderr=subprocess.PIPE,
                               env={**os.environ, "SPYHOP_INDEX_DIR": str(tree.index)})
    line = process.stderr.readline().decode()
    process.kill()
    process.wait()
    os.close(own)
    os.close(other)
    assert "waiting" in line, line


@check("the manual has pages with examples")
def _(tree):
    for name in ("search", "grep", "files", "read", "map"):
        expect(tree.run("man", name), 0, out=r"(?i)examples")


class Server:
    """A server that speaks JSON-RPC on its standard streams: a line for each message, or with headers as LSP has them."""

    def __init__(self, tree, *command, headers=False):
        env = {**os.environ, "SPYHOP_INDEX_DIR": str(tree.index)}
        self.headers, self.number, self.notified = headers, 0, []
        self.process = subprocess.Popen([tree.program, *command], cwd=tree.root, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=env)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

    def send(self, **message):
        text = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(text), text) if self.headers else text + b"\n")
        self.process.stdin.flush()

    def read(self):
        if not self.headers:
            return json.loads(self.process.stdout.readline())
        length = 0
        while (line := self.process.stdout.readline().strip()):
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        return json.loads(self.process.stdout.read(length))

    def ask(self, method, **params):
        self.number += 1
        self.send(id=self.number, method=method, params=params)
        while (reply := self.read()).get("id") != self.number or "method" in reply:
            if "id" in reply:
                self.send(id=reply["id"], result=None)
            self.notified.append(reply.get("method"))
        return reply["result"]


@check("an agent reads, searches, finds tools and uses names of other systems")
def _(tree):
    tree.run("index", "-q")
    with Server(tree, "mcp") as server:
        client = {"name": "daily", "version": "1"}
        hello = server.ask("initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo=client)
        assert hello["capabilities"]["tools"].get("listChanged"), hello
        server.send(method="notifications/initialized")
        def call(name, **arguments):
            return server.ask("tools/call", name=name, arguments=arguments)["content"][0]["text"]
        listed = {tool["name"] for tool in server.ask("tools/list")["tools"]}
        assert {"codebase_search", "grep_files", "file_search"} <= listed, listed
        found = call("tool_search", query="why is a file not found")
        assert len(found) < 800 * 4, len(found)
        again = {tool["name"] for tool in server.ask("tools/list")["tools"]}
        assert "notifications/tools/list_changed" in server.notified and again > listed, (server.notified, again - listed)
        assert "take_permit" in call("read_file", path="src/pool.rs", lines="4-4")
        assert "src/pool.rs" in call("file_search", query="pool")
        assert "resolve_api_key" in call("grep_files", pattern="lookup\\(provider", include="*.rs", context_lines=0)
        assert "src" in call("project_map", max_depth=1)


@check("an editor finds symbols and definitions")
def _(tree):
    tree.run("index", "-q")
    with Server(tree, "lsp", headers=True) as server:
        folder = {"uri": tree.root.as_uri(), "name": "tree"}
        server.ask("initialize", processId=None, rootUri=tree.root.as_uri(), workspaceFolders=[folder], capabilities={})
        server.send(method="initialized", params={})
        symbols = server.ask("workspace/symbol", query="tkperm")
        assert symbols[0]["name"] == "take_permit", symbols
        at = {"textDocument": {"uri": (tree.root / "src/auth.rs").as_uri()}, "position": {"line": 2, "character": 6}}
        place = server.ask("textDocument/definition", **at)
        assert (place[0] if isinstance(place, list) else place)["range"]["start"]["line"] == 5, place


@check("the repository has packages, recipes and an extension whose files are sound")
def _(tree):
    root = pathlib.Path(__file__).resolve().parent.parent
    for path in ("packaging/RELEASE.md", "docs/editors.md", "docs/ui.md"):
        assert (root / path).exists(), path
    json.loads((root / "editors/vscode/package.json").read_text())
    for script in [path for path in (root / "packaging").rglob("*") if path.is_file()]:
        if script.read_bytes().startswith((b"#!/bin/sh", b"#!/bin/bash", b"#!/usr/bin/env bash")):
            subprocess.run(["bash", "-n", str(script)], check=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--only", default="")
    args = parser.parse_args()
    program = str(pathlib.Path(args.program).resolve())
    failed = ran = 0
    for name, run in CHECKS:
        if args.only not in name:
            continue
        ran += 1
        with tempfile.TemporaryDirectory() as folder:
            try:
                run(Tree(program, pathlib.Path(folder)))
                print(f"ok      {name}")
            except (AssertionError, subprocess.TimeoutExpired, KeyError, IndexError) as error:
                failed += 1
                print(f"FAILED  {name}: {error}")
    print(f"{ran} checks, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
