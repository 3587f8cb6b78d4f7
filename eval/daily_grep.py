"""What everyday use of `spyhop grep` expects; for `daily.py`."""

import subprocess
import time

import pathlib

from daily_tree import check, expect


@check("grep without a path searches the current folder")
def _(tree):
    terminal = {"stdin": subprocess.DEVNULL}
    expect(tree.run("grep", "lookup", at="web", **terminal), 1, not_out=".")
    expect(tree.run("grep", "-n", "lookup", at="src", **terminal), 0, out=r"^auth\.rs:3:")
    expect(tree.run("grep", "close", at="src", stdin="one\nclose\n"), 0, out=r"\Aclose\n\Z")


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
