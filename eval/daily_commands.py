"""What everyday use of the commands but `grep` expects; for `daily.py`."""

import json
import os
import re
import shutil
import subprocess
import time

import screens
from daily_tree import FILES, Terminal, check, expect


@check("paths are relative to the current folder")
def _(tree):
    expect(tree.run("lookup", "--mode", "compact", at="src"), 0, out=r"^auth\.rs:\d+:\d+: ")
    expect(tree.run("files", "auth", at="src"), 0, out=r"^auth\.rs$")
    expect(tree.run("files", "auth", at="web"), 0, out=r"^\.\./src/auth\.rs$")
    expect(tree.run("grep", "-n", "lookup", "../src", at="web"), 0, out=r"^\.\./src/auth\.rs:3:")


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
    expect(tree.run("index"), 0, out=r"\d+ files[^\n]*(KiB|bytes|B)\b[\s\S]*\d\.\d s; next: spyhop QUERY")
    expect(tree.run("index"), 0, out=r"nothing changed[\s\S]*\d\.\d s; next: spyhop QUERY")


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


@check("every printed path opens from where it was printed")
def _(tree):
    for arguments in (["grep", "-n", "lookup|close", ".."], ["grep", "--vimgrep", "lookup|close", ".."], ["files", "-n", "9"],
                      ["symbols", "permit"], ["symbols", "--vimgrep", "permit"], ["resolve the key", "--mode", "compact"],
                      ["search", "permit", "--vimgrep"], ["callers", "lookup", "--vimgrep"]):
        ran = tree.run(*arguments, at="web")
        paths = set(re.findall(r"^([\w./]+\.(?:rs|ts|md|json))\b", ran.stdout, re.M))
        assert paths and all((tree.root / "web" / path).is_file() for path in paths), (arguments, paths, ran.stdout, ran.stderr)


@check("the outline of the tree, the nearest files and the callers of a hit are named from the current folder")
def _(tree):
    expect(tree.run("map", at="web"), 0, out=r"\A\.\./  6 files[\s\S]*^ +\.\./src/auth\.rs")
    expect(tree.run("why-not", "auht.rs", "lookup", at="src"), 1, out=r"the nearest are 'auth\.rs'$")
    expect(tree.run("read", "../src/auht.rs", at="web"), 2, err=r"the nearest are '\.\./src/auth\.rs'")


@check("--here restricts, --absolute prints absolute paths, also beside those of JSON")
def _(tree):
    expect(tree.run("files", "--here", at="web"), 0, out=r"\Aapp\.ts\nlib\.ts\n\Z")
    expect(tree.run("symbols", "--here", at="web"), 0, out=r"^lib\.ts:", not_out=r"\.rs")
    for arguments in (["files", "auth", "--absolute"], ["grep", "-l", "lookup", "../src", "--absolute"],
                      ["resolve the key", "--mode", "compact", "--absolute"]):
        expect(tree.run(*arguments, at="web"), 0, out=rf"^{re.escape(str(tree.root.resolve()))}/src/auth\.rs")
    hit = json.loads(tree.run("lookup", "--json", "--absolute", at="web").stdout)["results"][0]
    assert (hit["path"], hit["absolute"]) == ("src/auth.rs", str(tree.root.resolve() / "src/auth.rs")), hit


@check("--db keeps its meaning: a folder below the root, from wherever it is typed")
def _(tree):
    expect(tree.run("index", "-q", "--db", ".own/db", at="src"), 0)
    assert (tree.root / ".own/db/WORKSPACE").exists() and not (tree.root / "src/.own").exists()


@check("words that find no file or definition are answered with the search")
def _(tree):
    expect(tree.run("files", "upload", "handler"), 1, err="spyhop search upload handler")
    expect(tree.run("symbols", "upload", "handler"), 1, err="spyhop search upload handler")


@check("weak hits are short and counted, --whole-page shows all, and statistics are for --mode debug")
def _(tree):
    for number in range(30):
        (tree.root / f"src/bean{number:02}.rs").write_text(f"fn roast_{number}() {{\n    let beans = {number};\n}}\n" * 3)
    (tree.root / "src/mill.rs").write_text("/// Grinds roasted beans into coffee.\npub fn grind_roasted_beans() {}\n")
    statistics = r"\d+ places|\d+ lines\b|chunks:|size:"
    few, every = (tree.run("grind roasted beans", *more).stdout for more in ([], ["--whole-page", "-n", "20"]))
    assert "pub fn grind_roasted_beans" in few and not re.search(statistics, few), few
    assert re.search(r"\d+ weaker hits: --whole-page shows them", few, re.M) and len(few.splitlines()) <= 40, few
    assert len(every.splitlines()) > len(few.splitlines()), every
    expect(tree.run("grind roasted beans", "--mode", "debug"), 0, out=r"^ +[+-]0\.\d+ size ")


@check("a reason is something that a reader can check")
def _(tree):
    shown = tree.run("lookup").stdout
    assert "fn 'lookup' is defined here · called by resolve_api_key" in shown, shown
    expect(tree.run("key of a provider"), 0, out=r"matches .*key")


@check("code has colours on a terminal, a page that does not fit goes through a pager, --color never has none")
def _(tree):
    assert "\x1b[" in tree.run("lookup", "--color", "always", NO_COLOR="").stdout
    assert "\x1b[" not in tree.run("lookup", "--color", "never").stdout
    pager = tree.root.parent / "pager"
    pager.write_text("#!/bin/sh\nexec sed 's/^/paged: /'\n")
    pager.chmod(0o755)
    plain = {name: None for name in ("CI", "NO_COLOR", *[name for name in os.environ if name.startswith(("CLAUDE", "CODEX"))])}
    with Terminal(tree, "read", "src/auth.rs", "--lines", "1-7", rows=5, SPYHOP_PAGER=str(pager), **plain) as terminal:
        terminal.read_until(r"paged: .*lookup")


@check("an empty tree, a folder without code and a search without hits say what to do next")
def _(tree):
    expect(tree.run("zyzzyva"), 1, out=r"spyhop grep 'zyzzyva'.*spyhop status")
    (tree.root / "empty").mkdir()
    expect(tree.run("anything", "--root", ".", at="empty"), 1, out=r"has no files.*--root DIR or --path DIR")
    (tree.root / "data").mkdir()
    (tree.root / "data/a.bin").write_bytes(bytes(range(256)) * 40)
    expect(tree.run("anything", "--root", ".", at="data"), 1, out=r"no file that is searched|zyzzyva|spyhop")


@check("an error of the system names its path and what was tried")
def _(tree):
    expect(tree.run("index", "--index-dir", "/proc/none"), 2, err=r"create /proc/none: No such file")
    expect(tree.run("index", "--index-dir", "config.json/x"), 2, err="below the file .*config.json")
    expect(tree.run("export", "none/there/out.spyhop"), 2, err="none/there")
    expect(tree.run("files", "--root", "nowhere"), 2, err="nowhere")


@check("the first answer of a large tree comes from its text, and the rest goes on in the background")
def _(tree):
    line = "sediment " * 8000 + "\n"
    for number in range(18):
        (tree.root / f"part{number:02}.txt").write_text(f"provider {number}\n" + line * (2**20 // len(line) - 1) * 4)
    ran = tree.run("provider", "--json", "--threads", "1")
    assert json.loads(ran.stdout)["snapshot"]["building"]["text_only"] > 0, ran.stdout[:900]
    expect(ran, 0, err=r"process \d+ completes the index in the background")
    until = time.monotonic() + 110
    while json.loads(tree.run("status", "--json").stdout)["state"] != "ready" and time.monotonic() < until:
        time.sleep(0.2)
    assert "building" not in json.loads(tree.run("provider", "--json").stdout)["snapshot"]


@check("a first index that takes longer than a second is announced in a pipe")
def _(tree):
    for number in range(120):
        lines = (f"pub fn brew_{number}_{n}(beans_{n}: u32) -> u32 {{ grind_{n}(beans_{n}) + {n} }}\n" for n in range(250))
        (tree.root / f"src/part{number:03}.rs").write_text("".join(lines))
    begun = time.monotonic()
    ran = tree.run("brew", "--threads", "1")
    took = time.monotonic() - begun
    assert took < 2 or re.search(r"has no index yet; indexing \d+ files", ran.stderr), (took, ran.stderr)


@check("a home folder is indexed only on request: a pipe is refused, a person is asked")
def _(tree):
    home = {"HOME": str(tree.root)}
    shutil.rmtree(tree.root / ".git")
    expect(tree.run("anything", **home), 2, err="home folder.*--yes|--yes.*home folder|--yes")
    assert not tree.index.exists()
    with Terminal(tree, "anything", **home) as terminal:
        terminal.read_until(r"\[y/N\]|\(y/n\)|y/N")
        terminal.type("n\n")
        assert terminal.ended() != 0
    expect(tree.run("lookup", "--yes", **home), 0)


@check("bash completes kinds, languages, branches, profiles and commands with what the program says")
def _(tree):
    subprocess.run(["git", "branch", "topic/paint"], cwd=tree.root, check=True)
    (tree.root / "own.toml").write_text("")
    folder = tree.root.parent / "bin"
    folder.mkdir()
    (folder / "spyhop").symlink_to(tree.program)
    script = """
        source <(spyhop completions bash)
        function=$(complete -p spyhop | sed 's/.*-F \\([^ ]*\\) .*/\\1/')
        COMP_WORDS=(spyhop "$@") COMP_CWORD=$# COMP_TYPE=9 COMPREPLY=()
        $function spyhop "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"
        printf '%s\\n' "${COMPREPLY[@]}" """
    env = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}", "SPYHOP_INDEX_DIR": str(tree.index)}
    for words, wanted in ((["sea"], "search"), (["x", "--kind", "str"], "struct"), (["x", "--lang", "ru"], "rust"),
                          (["x", "--view", "to"], "topic/paint"), (["x", "--profile", "ow"], "own.toml")):
        ran = subprocess.run(["bash", "--norc", "-c", script, "bash", *words], cwd=tree.root, env=env, capture_output=True, text=True)
        assert wanted in [line.strip() for line in ran.stdout.splitlines()], (words, ran.stdout, ran.stderr)
    nushell = tree.run("completions", "nushell").stdout
    assert '"struct"' in nushell and '"rust"' in nushell, nushell[:600]


@check("options and filters of other searches are answered with what is meant here")
def _(tree):
    expect(tree.run("-t", "rust", "lookup"), 2, err=r"search has no option '-t': --lang LANGUAGE")
    expect(tree.run("lookup", "-i"), 2, err=r"it ignores case; `spyhop grep` has it")
    expect(tree.run("symbols", "-w", "lookup"), 2, err=r"symbols has no option '-w': `spyhop grep` has it")
    expect(tree.run("language:rust", "path:src", "lookup"), 0, err=r"the filter is --lang rust[\s\S]*the filter is --path src")
    expect(tree.run("refs", "beans_column"), 2, err=r"spyhop grep -w beans_column finds its lines")
