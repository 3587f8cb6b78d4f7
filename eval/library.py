"""The bars of a library of sources, through the program.

    python3 eval/library.py --bin target/release/spyhop [ingest hostile kills untouched readme] [--moments 100] [--seed 1]

ingest     a zip of 200 MB in a folder in memory: the rate of unpacking, and the peak memory until indexing begins
hostile    archives with one fault each: the message, the exit code, and what is left of them
kills      kill -9 at random moments of an import, an update and a removal: nothing or a resumed import, raw files unchanged
untouched  hashes, modes and times of the user's files before and after a session of everything
readme     the lines of README's section about several sources, as they stand, with a git server on loopback for the URL

Each ends with a line of figures. The exit code is 1 if something is not as it must be. Only the standard library is used.
"""
import argparse
import hashlib
import json
import os
import pathlib
import random
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import time
import zipfile

import hostile

WORD = "pelicanlantern"


class Wrong(Exception):
    """What is not as it must be."""


class Place:
    """A folder with sources of a user, and a library."""

    def __init__(self, program, parent=None):
        self.program = str(pathlib.Path(program).resolve())
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="spyhop-library-", dir=parent))
        self.library = self.folder / "library"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        remove(self.folder)

    def command(self, *arguments):
        return [self.program, *arguments, "--library", str(self.library)]

    def env(self):
        keep = {key: value for key, value in os.environ.items() if not key.startswith("SPYHOP_")}
        return dict(keep, SPYHOP_INDEX_DIR=str(self.folder / "index"), GIT_CONFIG_GLOBAL="/dev/null")

    def run(self, *arguments):
        return subprocess.run(self.command(*arguments), cwd=self.folder, env=self.env(), capture_output=True, text=True)

    def start(self, *arguments):
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        return subprocess.Popen(self.command(*arguments), cwd=self.folder, env=self.env(), **quiet)

    def must(self, *arguments):
        done = self.run(*arguments)
        if done.returncode != 0:
            raise Wrong(f"{' '.join(arguments)}: {done.stderr}")
        return done

    def sources(self):
        done = self.run("library", "list", "--json")
        if done.returncode == 2:
            raise Wrong(f"library list: {done.stderr}")
        reply = json.loads(done.stdout)
        if reply["warnings"]:
            raise Wrong(f"library list warns: {reply['warnings']}")
        return reply["sources"]

    def left(self, folders=("raw", "derived", "jobs", "staging")):
        return [str(path) for name in folders for path in (self.library / name).glob("*")]

    def stage(self):
        """The last complete stage of an unfinished import."""
        for path in (self.library / "jobs").glob("*.json"):
            try:
                return json.loads(path.read_text())["stage"]
            except (OSError, ValueError):
                return None
        return None


def remove(folder):
    for path, folders, _ in os.walk(folder):
        for name in [path, *(os.path.join(path, name) for name in folders)]:
            if not os.path.islink(name):
                os.chmod(name, 0o700)
    shutil.rmtree(folder, ignore_errors=True)


def git(folder, *arguments):
    who = ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "init.defaultBranch=main"]
    env = dict(os.environ, GIT_CONFIG_GLOBAL="/dev/null", GIT_CONFIG_SYSTEM="/dev/null")
    subprocess.run(["git", *who, *arguments], cwd=folder, env=env, check=True, stdout=subprocess.DEVNULL)


def lines_of(generator):
    """Lines that look like code, of which files are made."""
    words = ["".join(generator.choices("abcdefghijklmnopqrstuvwxyz", k=generator.randint(3, 9))) for _ in range(4000)]
    line = lambda: (f"{'    ' * generator.randint(0, 3)}let {generator.choice(words)} = "
                    f"{generator.choice(words)}.{generator.choice(words)}({generator.choice(words)}, "
                    f"{generator.getrandbits(40):x});\n")
    return [line() for _ in range(20_000)]


def write_tree(folder, files, generator, lines, marked=True):
    """A tree of files, one of which has the word that tells whether the source answers."""
    for number in range(files):
        path = folder / f"part{number % 17}" / f"file{number}.rs"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(generator.choices(lines, k=120)))
    if marked:
        (folder / "marked.rs").write_text(f"pub fn {WORD}() {{}}\n")


def state(root):
    """A hash of the names, kinds, modes, times and contents below a folder, or of one file."""
    digest = hashlib.sha256()
    paths = [root, *sorted(pathlib.Path(root).rglob("*"))]
    for path in paths:
        info = path.lstat()
        digest.update(f"{path}\0{info.st_mode}\0{info.st_mtime_ns}\0{info.st_size}\0".encode())
        if stat.S_ISREG(info.st_mode):
            digest.update(path.read_bytes())
    return digest.hexdigest()


def peak(process):
    """The peak of the memory of a process so far, in MB."""
    try:
        text = pathlib.Path(f"/proc/{process.pid}/status").read_text()
    except OSError:
        return None
    found = [line.split()[1] for line in text.splitlines() if line.startswith("VmHWM")]
    return int(found[0]) / 1024 if found else None


def ingest(options):
    """The rate of unpacking."""
    memory = "/dev/shm" if os.path.isdir("/dev/shm") else None
    with Place(options.bin, memory) as place:
        generator = random.Random(options.seed)
        lines = lines_of(generator)
        archive, unpacked, number = place.folder / "large.zip", 0, 0
        with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as writer:
            while archive.stat().st_size < options.megabytes * 10**6:
                text = "".join(generator.choices(lines, k=generator.randint(200, 3000)))
                writer.writestr(f"tree/part{number % 97}/file{number}.rs", text)
                unpacked, number = unpacked + len(text), number + 1
        size = archive.stat().st_size
        idle = place.start("library", "list")
        idle_peak = 0
        while idle.poll() is None:
            idle_peak = max(idle_peak, peak(idle) or 0)
        rates, copies, peaks = [], [], []
        for _ in range(options.runs):
            process, seen = place.start("add", str(archive), "-q"), {}
            highest = 0
            while process.poll() is None and "materialized" not in seen:
                highest = max(highest, peak(process) or 0)
                stage = place.stage()
                if stage is None and seen:
                    stage = "materialized"
                if stage:
                    seen.setdefault(stage, time.monotonic())
                time.sleep(0.002)
            if "materialized" not in seen:
                raise Wrong(f"the import ended with {process.returncode} after {seen}")
            process.kill()
            process.wait()
            copies.append(seen["acquired"] - seen["planned"])
            rates.append(seen["materialized"] - seen["acquired"])
            peaks.append(highest)
            remove(place.library)
        best, over = min(rates), max(peaks) - idle_peak
        print(f"ingest: {size / 1e6:.0f} MB zip, {number} files, {unpacked / 1e6:.0f} MB; copied at "
              f"{size / 1e6 / min(copies):.0f} MB/s, unpacked at {unpacked / 1e6 / best:.0f} MB/s of files "
              f"({size / 1e6 / best:.0f} MB/s of the zip); peak {max(peaks):.0f} MB, {over:.0f} MB above idle")
        if size / 1e6 / best < 100 or over > 64:
            raise Wrong("the bar is 100 MB/s and 64 MB above idle")


def hostile_archives(options):
    """Refusals."""
    kinds = 0
    with Place(options.bin) as place:
        place.must("add", str(write_one(place)), "--name", "keeper", "-q")
        around = place.folder / "around"
        around.mkdir()
        before = None
        for name, content, part in hostile.archives():
            kinds += 1
            archive = around / "archive.bin"
            archive.write_bytes(content)
            before = state(around)
            done = place.run("add", str(archive))
            told = done.stderr
            if done.returncode != 2 or "panicked" in told or part not in told:
                raise Wrong(f"{name}: code {done.returncode}, without {part!r}: {told}")
            if any(sign in told for sign in "\0\x1b\x07"):
                raise Wrong(f"{name}: control characters in {told!r}")
            if state(around) != before:
                raise Wrong(f"{name}: files outside of the library have changed")
            left = [path for path in place.left() if "keeper" not in path]
            if left or [source["name"] for source in place.sources()] != ["keeper"]:
                raise Wrong(f"{name}: left {left}")
        beside = {path.name for path in place.folder.iterdir()} - {"around", "library", "index", "keeper.rs"}
        if beside:
            raise Wrong(f"files beside the library: {beside}")
    print(f"hostile: {kinds} kinds refused, 0 files outside, 0 crashes, a message with the fault each")


def write_one(place):
    path = place.folder / "keeper.rs"
    path.write_text("pub fn keeper() {}\n")
    return path


def pack(tree, archive):
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as writer:
        for path in sorted(tree.rglob("*")):
            if path.is_file():
                writer.write(path, path.relative_to(tree.parent))


class Kills:
    """Operations that are killed, each in a library of its own."""

    def __init__(self, place, generator):
        self.place, self.generator = place, generator
        self.lines = lines_of(generator)
        self.tree = place.folder / "tree"
        write_tree(self.tree, 700, generator, self.lines)
        self.archive = place.folder / "archive.zip"
        pack(self.tree, self.archive)
        self.top = place.folder / "repository"
        shutil.copytree(self.tree, self.top)
        git(self.top, "init", "-q")
        git(self.top, "add", "-A")
        git(self.top, "commit", "-q", "-m", "one")
        self.sources = {
            "zip": [str(self.archive)],
            "git": ["file://" + str(self.top)],
            "snapshot": [str(self.tree), "--snapshot"],
            "folder": [str(self.tree)],
        }

    def fresh(self):
        if self.place.library.exists():
            remove(self.place.library)

    def change(self):
        """A newer archive."""
        (self.tree / f"new{self.generator.getrandbits(40):x}.rs").write_text("pub fn newer() {}\n")
        pack(self.tree, self.archive)

    def before(self, kind):
        """Prepares what is killed, and returns its arguments."""
        self.fresh()
        if kind in self.sources:
            return ["add", *self.sources[kind], "--name", "it", "-q"]
        self.place.must("add", *self.sources["zip"], "--name", "it", "-q")
        if kind == "update":
            self.change()
        return ["library", kind, "it", "-q"]

    def ended(self, kind):
        """Checks the state after a kill and after the repeated call."""
        place = self.place
        sources = place.sources()
        for source in sources:
            if source["copied"]:
                place.must("library", "verify", source["name"])
        if kind == "remove":
            if sources:
                place.must("library", "remove", "it", "-q")
            place.must("library", "gc")
            if place.sources() or place.left():
                raise Wrong(f"a removal left {place.left()}")
            return
        again = place.run(*(["add", *self.sources[kind], "--name", "it"] if kind != "update" else ["library", "update", "it"]))
        is_whole = again.returncode == 2 and "is in the library as 'it'" in again.stderr
        if again.returncode != 0 and not is_whole:
            raise Wrong(f"the repeated call: {again.stderr}")
        place.must("library", "gc")
        status = json.loads(place.must("library", "status", "--json").stdout)
        rows = [(row["name"], row["state"]) for row in status["sources"]]
        if rows != [("it", "ready")] or status["unfinished"] or place.left(("jobs", "staging")):
            raise Wrong(f"after the repeated call: {rows}, {status['unfinished']}, {place.left(('jobs', 'staging'))}")
        found = place.run(WORD, "--in", "it", "--json")
        if found.returncode != 0 or not json.loads(found.stdout)["results"]:
            raise Wrong(f"the source does not answer: {found.stdout} {found.stderr}")


def kills(options):
    """Kills at random moments."""
    generator = random.Random(options.seed)
    shares = {"zip": 25, "snapshot": 12, "git": 13, "folder": 10, "update": 20, "remove": 20}
    met = {}
    with Place(options.bin) as place:
        world = Kills(place, generator)
        for kind, share in shares.items():
            moments = max(1, round(share * options.moments / 100))
            begun = time.monotonic()
            place.must(*world.before(kind)[:-1])
            arguments = world.before(kind)
            begun = time.monotonic()
            place.must(*arguments)
            whole = time.monotonic() - begun
            for moment in range(moments):
                arguments = world.before(kind)
                raw = [state(world.tree), state(world.top), state(world.archive)]
                process = place.start(*arguments)
                pause = generator.uniform(0, whole * 1.1)
                time.sleep(pause)
                process.send_signal(signal.SIGKILL)
                process.wait()
                key = (kind, "ended" if process.returncode == 0 else place.stage() or "no record")
                met[key] = met.get(key, 0) + 1
                try:
                    world.ended(kind)
                    if [state(world.tree), state(world.top), state(world.archive)] != raw:
                        raise Wrong("the user's files have changed")
                except Wrong as wrong:
                    raise Wrong(f"{kind}, moment {moment} of seed {options.seed}, {pause:.3f} s: {wrong}") from None
            for (_, stage), count in sorted(item for item in met.items() if item[0][0] == kind):
                print(f"  {kind:<9} {stage:<13} {count}", flush=True)
    killed = sum(count for (_, stage), count in met.items() if stage != "ended")
    print(f"kills: {sum(met.values())} moments, {killed} before the end: each resumed or left nothing, raw files unchanged")


def untouched(options):
    """Everything that a session does, on sources whose files must not change."""
    generator = random.Random(options.seed)
    with Place(options.bin) as place:
        world = Kills(place, generator)
        raw = [world.tree, world.top, world.archive]
        before = [state(path) for path in raw]
        for kind, given in world.sources.items():
            place.must("add", *given, "--name", kind, "-q")
        lines = [
            ["library", "list"], ["library", "status"], ["library", "update"], ["library", "verify"],
            [WORD, "--in", "all"], ["grep", WORD, "--in", "all"], ["files", "marked", "--in", "all"],
            ["symbols", WORD, "--in", "all"], ["map", "--in", "all"], ["def", WORD, "--in", "all"],
            ["library", "show", "zip"], ["library", "path", "folder"], ["library", "rename", "folder", "plain"],
            ["library", "unprotect", "zip"], ["library", "gc", "--dry-run"], ["library", "gc"],
            ["add", str(world.top), "--name", "worktree", "-q"],
        ]
        for line in lines:
            place.must(*line)
        for source in place.sources():
            place.must("library", "remove", source["name"])
        if [state(path) for path in raw] != before:
            raise Wrong("the user's files have changed")
        if place.left():
            raise Wrong(f"left: {place.left()}")
        count = len(lines) + 2 * len(world.sources) + 1
        print(f"untouched: {count} commands, hashes, modes and times of 3 raw sources as before")


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def readme(options):
    """The lines of README as a new user types them."""
    text = (pathlib.Path(__file__).parent.parent / "README.md").read_text()
    section = text.split("## Several sources")[1].split("```sh\n")[1].split("```")[0]
    lines = [line.split("  #")[0].rstrip() for line in section.splitlines()]
    generator = random.Random(options.seed)
    with Place(options.bin) as place:
        home, port = place.folder, free_port()
        for name in ["src/project", "served/name"]:
            write_tree(home / name, 30, generator, lines_of(generator))
        (home / "src/project/check.rs").write_text("/// Checks a key.\npub fn check_key(key: &str) -> bool {}\n")
        git(home / "served/name", "init", "-q")
        git(home / "served/name", "add", "-A")
        git(home / "served/name", "commit", "-q", "-m", "one")
        git(home / "served/name", "tag", "v1.2")
        crates = sorted(pathlib.Path.home().glob(".cargo/registry/cache/*/*.crate"), key=lambda path: path.stat().st_size)
        if not crates:
            raise Wrong("cargo has downloaded no crate yet")
        shutil.copy(crates[len(crates) // 2], home / "keys-1.2.0.crate")
        config = home / "gitconfig"
        config.write_text(f'[url "git://127.0.0.1:{port}/"]\n\tinsteadOf = https://github.com/owner/\n')
        daemon = subprocess.Popen(["git", "daemon", "--export-all", "--listen=127.0.0.1", f"--port={port}",
                                   f"--base-path={home / 'served'}"], stderr=subprocess.DEVNULL)
        try:
            (home / "bin").mkdir()
            (home / "bin/spyhop").symlink_to(place.program)
            env = dict(place.env(), HOME=str(home), GIT_CONFIG_GLOBAL=str(config), SPYHOP_LIBRARY=str(place.library),
                       PATH=f"{home / 'bin'}:{os.environ['PATH']}")
            time.sleep(0.5)
            for line in lines:
                done = subprocess.run(line, shell=True, cwd=home, env=env, capture_output=True, text=True)
                if done.returncode != 0:
                    raise Wrong(f"{line}: code {done.returncode}: {done.stderr}")
                if options.show:
                    print(f"$ {line}\n{done.stdout}", end="")
        finally:
            daemon.terminate()
            daemon.wait()
        names = [source["name"] for source in place.sources()]
        if names != ["name", "project"]:
            raise Wrong(f"at the end: {names}")
    print(f"readme: {len(lines)} lines, each with exit code 0, sources at the end: {', '.join(names)}")


BARS = {"ingest": ingest, "hostile": hostile_archives, "kills": kills, "untouched": untouched, "readme": readme}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bars", nargs="*", choices=[*BARS, []], default=list(BARS))
    parser.add_argument("--bin", required=True)
    parser.add_argument("--moments", type=int, default=100)
    parser.add_argument("--megabytes", type=int, default=200)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", action="store_true", help="print what README's lines print")
    options = parser.parse_args()
    failed = 0
    for name in options.bars:
        try:
            BARS[name](options)
        except Wrong as wrong:
            print(f"{name} FAILED: {wrong}")
            failed = 1
    return failed


if __name__ == "__main__":
    sys.exit(main())
