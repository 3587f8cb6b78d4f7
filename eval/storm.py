"""An editor's storm over a watched repository: does the index end where the tree does, and how far is it behind?

    python3 eval/storm.py --bin target/release/spyhop REPOSITORY [--writes 10000] [--seconds 60] [--seed 1]

REPOSITORY is cloned into a temporary folder and `spyhop watch` started there. For --seconds, --writes changes of files
are made, evenly: writes into a file, a new file renamed over an old one, files added, removed, renamed, folders renamed.
Every few seconds another branch is checked out, the changes are stashed and taken back, or an ignore file is edited.
Meanwhile files with a word of their own are written, and it is measured when the word is found, from the end of the
write:

  asked      by a process that stays open and asks under `refresh`, at once; again only where the answer itself says
             that it may be behind, because an update is under way
  unasked    by one that asks under `ignore` again and again until it finds it: what the watcher does by itself
  a process  by a new process for each, under `refresh`; beside it the same without a watcher, after the storm

When the storm is over, what the watched index says of the tree (answers with scores and reasons, files, what is left
out) is compared with what a fresh index says. The exit code is 1 when anything differs or an asked answer was wrong.
Only the standard library is used.
"""
import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time

now = time.monotonic

QUERIES = ["spawn a task", "runtime handle", "acquire a permit", "where is the timer driven", "mutex guard", "io driver",
           "shutdown", "fn poll_read", "broadcast channel", "edited by the storm", "join handle abort", "signal", "budget",
           "buffer", "copy bidirectional", "unix socket", "semaphore closed", "sleep until", "storm", "macros select"]


def quantile(times, share):
    times = sorted(times)
    return times[min(len(times) - 1, int(len(times) * share))] if times else float("nan")


class Batch:
    """A process that answers a line with a line."""

    def __init__(self, args, *more):
        command = [args.bin, "--batch", "--json", "-n", "3", *more]
        self.process = subprocess.Popen(command, cwd=args.tree, env=args.env, stdin=subprocess.PIPE, text=True,
                                        stdout=subprocess.PIPE)

    def ask(self, query):
        self.process.stdin.write(query + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def finds(reply, path):
    return any(hit["path"] == path for hit in reply.get("results", []))


class Probes(threading.Thread):
    """Writes files with words of their own and measures when they are found."""

    def __init__(self, args):
        super().__init__()
        self.args, self.stop = args, threading.Event()
        self.times = {"asked": [], "unasked": [], "a process": []}
        self.wrong = []
        self.behind = 0

    def plant(self, number):
        name = "".join(chr(ord("a") + int(digit)) for digit in str(number))
        word, path = f"qx{name}qx", f"probes/probe_{number}.rs"
        with open(os.path.join(self.args.tree, path), "w") as file:
            file.write(f"/// {word}\npub fn probe() {{}}\n")
        return word, path, now()

    def until_found(self, ask, word, path):
        """Asks again only where the answer itself says that it may be behind."""
        while not finds(reply := ask(), path):
            if not reply.get("warnings") and reply["snapshot"]["checked_at"]:
                self.wrong.append(f"{word}: {json.dumps(reply)[:400]}")
                return
            self.behind += 1

    def run(self):
        asking, looking = Batch(self.args), Batch(self.args, "--stale-policy", "ignore")
        number = 0
        while not self.stop.wait(0.1):
            number += 1
            kind = ["asked", "unasked", "a process"][number % 3]
            word, path, written = self.plant(number)
            if kind == "asked":
                self.until_found(lambda: asking.ask(word), word, path)
            elif kind == "unasked":
                while not finds(looking.ask(word), path) and now() < written + 60:
                    time.sleep(0.002)
            else:
                self.until_found(lambda: once(self.args, word), word, path)
            self.times[kind].append(now() - written)
        asking.end()
        looking.end()


def once(args, *what):
    done = subprocess.run([args.bin, *what, "--json"], cwd=args.tree, env=args.env, stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout)


class Storm:
    def __init__(self, args):
        self.args, self.random = args, random.Random(args.seed)
        self.count = 0
        self.branches = ["storm-a", "storm-b", "storm-c"]

    def git(self, *args):
        return subprocess.run(["git", *args], cwd=self.args.tree, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              env=self.args.env, text=True)

    def prepare(self):
        log = self.git("rev-list", "-n", "400", "HEAD").stdout.split()
        for branch, back in zip(self.branches, [0, 40, 200]):
            self.git("branch", branch, log[min(back, len(log) - 1)])
        os.mkdir(os.path.join(self.args.tree, "probes"))

    def files(self):
        found = []
        for folder, folders, names in os.walk(self.args.tree):
            folders[:] = [name for name in folders if name not in (".git", "probes")]
            found += [os.path.join(folder, name) for name in names if name.endswith((".rs", ".md", ".toml"))]
        return sorted(found)

    def change(self, files):
        self.count += 1
        path = self.random.choice(files)
        text = f"\n/// edited by the storm, change {self.count}\npub fn storm_{self.count}() {{}}\n"
        kind = self.random.random()
        try:
            if kind < 0.5:
                with open(path, "a") as file:
                    file.write(text)
            elif kind < 0.85:
                with open(path) as file:
                    old = file.read()
                with open(path + "~", "w") as file:
                    file.write(old[:20000] + text)
                os.replace(path + "~", path)
            elif kind < 0.9:
                with open(os.path.join(os.path.dirname(path), f"storm_{self.count}.rs"), "w") as file:
                    file.write(text)
            elif kind < 0.94:
                os.remove(path)
            elif kind < 0.98:
                os.rename(path, path[:-3] + f"_{self.count % 7}.rs")
            elif kind < 0.99:
                os.makedirs(os.path.join(os.path.dirname(path), f"new{self.count}", "deep"))
                with open(os.path.join(os.path.dirname(path), f"new{self.count}", "deep", "x.rs"), "w") as file:
                    file.write(text)
            else:
                folder = os.path.dirname(path)
                if folder != self.args.tree:
                    os.rename(folder, f"{folder}_{self.count % 3}")
        except (FileNotFoundError, NotADirectoryError, UnicodeDecodeError, OSError):
            pass  # An earlier change has moved it.

    def upset(self, turn):
        """What a whole tree feels."""
        if turn % 4 == 0:
            self.git("checkout", "-q", "-f", self.random.choice(self.branches))
        elif turn % 4 == 1:
            self.git("stash", "-q")
            self.git("stash", "pop", "-q")
        elif turn % 4 == 2:
            lines = ["*.md\n", "benches/\n", "/examples/\n", "storm_1*\n", "# nothing\n", ""]
            name = self.random.choice([".gitignore", ".ignore", ".spyhopignore", "tokio/.gitignore"])
            try:
                with open(os.path.join(self.args.tree, name), "w") as file:
                    file.write(self.random.choice(lines))
            except FileNotFoundError:
                pass
        else:
            self.git("stash", "-q")
            self.git("checkout", "-q", "-f", self.random.choice(self.branches))
            self.git("stash", "pop", "-q")

    def run(self):
        begun, files, turn = now(), self.files(), 0
        pace = self.args.seconds / self.args.writes
        while self.count < self.args.writes:
            if self.count and self.count % max(self.args.writes // 30, 1) == 0:
                self.upset(turn)
                turn += 1
            if self.count % 200 == 0:
                files = self.files() or files
            self.change(files)
            ahead = begun + self.count * pace - now()
            if ahead > 0:
                time.sleep(ahead)
        return now() - begun, turn


def says(args, index):
    """All that an index says of the tree, without what names it."""
    env = dict(args.env, SPYHOP_INDEX_DIR=index)
    said = {}

    def ask(name, *what):
        done = subprocess.run([args.bin, *what, "--json"], cwd=args.tree, env=env, stdout=subprocess.PIPE, text=True)
        assert done.stdout, f"{what}: exit code {done.returncode}"
        reply = json.loads(done.stdout)
        for field in ["snapshot", "next", "generation", "index_path", "index_bytes", "views", "watcher"]:
            reply.pop(field, None)
        said[name] = reply

    for query in QUERIES:
        ask(query, "search", "-n", "20", query)
    for command in [["files", "-n", "1000"], ["skipped"], ["status"], ["map", "-n", "5000"]]:
        ask(" ".join(command), *command)
    return said


def milliseconds(times):
    return f"{quantile(times, .5) * 1000:7.0f} {quantile(times, .95) * 1000:7.0f} {max(times) * 1000:7.0f}  of {len(times)}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--writes", type=int, default=10000)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("repository")
    args = parser.parse_args()
    args.bin = os.path.abspath(args.bin)
    folder = tempfile.mkdtemp(prefix="storm-")
    args.tree = os.path.join(folder, "tree")
    index = os.path.join(folder, "index")
    args.env = dict(os.environ, SPYHOP_INDEX_DIR=index, GIT_CONFIG_GLOBAL="/dev/null", GIT_CONFIG_NOSYSTEM="1",
                    GIT_AUTHOR_NAME="a", GIT_AUTHOR_EMAIL="a@b", GIT_COMMITTER_NAME="a", GIT_COMMITTER_EMAIL="a@b")
    subprocess.run(["git", "clone", "-q", args.repository, args.tree], check=True)
    storm = Storm(args)
    storm.prepare()
    watcher = subprocess.Popen([args.bin, "watch", "--json", args.tree], env=args.env, stdout=subprocess.PIPE, text=True)
    print("watch:", watcher.stdout.readline().strip())
    events = []
    reader = threading.Thread(target=lambda: events.extend(map(json.loads, watcher.stdout)))
    reader.start()
    probes = Probes(args)
    probes.start()
    took, upsets = storm.run()
    probes.stop.set()
    probes.join()
    cpu = sum(os.sysconf("SC_CLK_TCK") ** -1 * int(part) for part in
              open(f"/proc/{watcher.pid}/stat").read().rsplit(")", 1)[1].split()[11:13])
    over = now()
    reply = once(args, "search", "storm", "--stale-policy", "wait")
    settled = now() - over
    print(f"{storm.count} writes and {upsets} branches, stashes and ignore files in {took:.1f} s; "
          f"{sum(event['event'] == 'updated' for event in events)} updates, "
          f"{sum(event.get('parsed', 0) for event in events)} files parsed, {cpu:.1f} s of processor time; "
          f"settled {settled * 1000:.0f} ms after, generation {reply['snapshot']['generation']}")
    for event in events:
        if event["event"] not in ("updated",):
            print("  ", event)
    print("from a write to a result, ms   p50     p95     max")
    for kind, times in probes.times.items():
        print(f"  {kind:<24} {milliseconds(times)}")
    watched = says(args, index)
    watcher.kill()
    watcher.wait()
    reader.join()
    alone = []
    for number in range(100000, 100030):
        word, path, written = probes.plant(number)
        assert finds(once(args, word), path)
        alone.append(now() - written)
    print(f"  {'a process, no watcher':<24} {milliseconds(alone)}")
    for number in range(100000, 100030):
        os.remove(os.path.join(args.tree, f"probes/probe_{number}.rs"))
    fresh = says(args, os.path.join(folder, "fresh"))
    different = [name for name in fresh if fresh[name] != watched[name]]
    for name in different:
        print(f"DIFFERENT: {name}\n  watched {json.dumps(watched[name])[:600]}\n  fresh   {json.dumps(fresh[name])[:600]}")
    for text in probes.wrong:
        print("WRONG:", text)
    print(f"{len(fresh)} questions after the storm, {len(different)} answered otherwise than by a fresh index; "
          f"{len(probes.wrong)} wrong answers during it, {probes.behind} that said they were behind")
    shutil.rmtree(folder)
    sys.exit(bool(different or probes.wrong))


if __name__ == "__main__":
    main()
