"""Loads the server for agents, as a table.

    python3 eval/mcp_load.py --bin target/release/spyhop TREE
    python3 eval/mcp_load.py --bin target/release/spyhop --idle 300 [--index-dir DIR] TREE TREE...

For one tree with a finished index: --calls searches in a row, then --rounds times --parallel at once, over one pipe.
Times are those of a client, from writing the request to reading the reply. Resident memory is read from /proc before,
after a tenth of the calls, and after each part: what the first calls map and remember is theirs, so "flat" is the
comparison of the later ones. Questions and tools alternate; none is answered from a cache of answers, for there is
none. With --idle one server has all trees as roots, --each searches and as many greps are made of each, and the memory
is read before, after, --idle seconds later, and once each tree was asked again: the process's own (anonymous) and what
it maps of files, which is the page cache's. With --index-dir the indexes there are used. Only the standard library is
used; Linux gives the memory.
"""
import argparse
import json
import os
import subprocess
import tempfile
import threading
import time

from figures import QUESTIONS as OF_FIGURES

QUESTIONS = [*OF_FIGURES, "parse command line arguments", "write bytes to disk", "test helpers"]


class Session:
    def __init__(self, program, arguments, env):
        self.process = subprocess.Popen([program, "mcp", *arguments], env=env, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, bufsize=0)
        self.lock = threading.Lock()
        self.waiting = {}
        self.asked = 0
        threading.Thread(target=self.read, daemon=True).start()
        client = {"name": "load", "version": "1"}
        self.ask("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client})
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def read(self):
        with os.fdopen(os.dup(self.process.stdout.fileno()), "rb") as lines:
            for line in lines:
                message = json.loads(line)
                if "id" in message:
                    slot = self.waiting.pop(message["id"])
                    slot[1:] = [time.perf_counter(), message]
                    slot[0].set()

    def send(self, message):
        with self.lock:
            self.process.stdin.write(json.dumps(message).encode() + b"\n")

    def begin(self, method, params):
        self.asked += 1
        slot = [threading.Event()]
        self.waiting[self.asked] = slot
        begun = time.perf_counter()
        self.send({"jsonrpc": "2.0", "id": self.asked, "method": method, "params": params})
        return begun, slot

    def ask(self, method, params):
        """Seconds and the message."""
        begun, slot = self.begin(method, params)
        slot[0].wait()
        return slot[1] - begun, slot[2]

    def resident(self):
        """Resident and anonymous MB."""
        with open(f"/proc/{self.process.pid}/status") as status:
            rows = dict(line.split(":", 1) for line in status)
        return tuple(int(rows[name].split()[0]) / 1024 for name in ("VmRSS", "RssAnon"))


    def rollup(self):
        """Anonymous and file-backed MB, as the pages are counted just now."""
        with open(f"/proc/{self.process.pid}/smaps_rollup") as rollup:
            rows = dict(line.split(":", 1) for line in list(rollup)[1:])
        resident, anonymous = (int(rows[name].split()[0]) / 1024 for name in ("Rss", "Anonymous"))
        return anonymous, resident - anonymous

    def end(self):
        self.process.stdin.close()
        self.process.wait(30)


def call(number):
    question = f"{QUESTIONS[number % len(QUESTIONS)]} {number // len(QUESTIONS)}"
    if number % 10 == 9:
        return {"name": "index_status", "arguments": {}}
    if number % 10 == 8:
        return {"name": "search_batch", "arguments": {"queries": [question, "error"], "limit": 5}}
    return {"name": "codebase_search", "arguments": {"query": question, "max_tokens": 1000 + number % 7 * 500}}


def failed(message):
    return "error" in message or message["result"].get("isError")


def quantile(times, part):
    return sorted(times)[min(len(times) - 1, int(len(times) * part))] * 1000


def row(name, times, memory):
    resident, anonymous = memory
    figures = [f"{quantile(times, part):.1f}" for part in (0.5, 0.99, 1.0)] if times else ["", "", ""]
    print(f"| {name} | {len(times) or ''} | {' | '.join(figures)} | {resident:.1f} | {anonymous:.1f} |")


WORDS = ["error", "fn|func|def|int", "connection", "TODO", "return [a-z]+_[a-z]+"]


def ask_each(session, trees, each):
    """The times of searches and greps of every tree, in turns."""
    times = []
    for number in range(each):
        for tree in trees:
            given = {"query": QUESTIONS[number % len(QUESTIONS)], "root": tree}
            lines = {"pattern": WORDS[number % len(WORDS)], "root": tree}
            for name, arguments in (("codebase_search", given), ("grep_files", lines)):
                seconds, message = session.ask("tools/call", {"name": name, "arguments": arguments})
                if failed(message):
                    raise SystemExit(message)
                times.append(seconds)
    return times


def idle(options, program, env):
    trees = [os.path.realpath(tree) for tree in options.tree]
    for tree in trees:
        subprocess.run([program, "index", "--quiet", "--root", tree], env=env, check=True)
    session = Session(program, trees, env)
    print("| server | calls | p50 ms | max ms | anonymous MB | file-backed MB |\n|---|--:|--:|--:|--:|--:|")

    def row(name, times=()):
        figures = [f"{quantile(times, part):.1f}" for part in (0.5, 1.0)] if times else ["", ""]
        anonymous, of_files = session.rollup()
        cells = [name, len(times) or "", *figures, f"{anonymous:.1f}", f"{of_files:.1f}"]
        print("|", " | ".join(map(str, cells)), "|", flush=True)

    time.sleep(5)  # every root is compared and watched by then
    row(f"started with {len(trees)} roots")
    row("used", ask_each(session, trees, options.each))
    time.sleep(options.idle)
    row(f"idle for {options.idle:.0f} s")
    row("asked again", ask_each(session, trees, 1))
    session.end()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tree", nargs="+")
    parser.add_argument("--bin", required=True)
    parser.add_argument("--calls", type=int, default=1000)
    parser.add_argument("--parallel", type=int, default=50)
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--stale-policy", default="refresh")
    parser.add_argument("--idle", type=float, nargs="?", const=300, help="seconds without a call (300), for all trees at once")
    parser.add_argument("--each", type=int, default=20, help="searches, and as many greps, of each tree before that")
    parser.add_argument("--index-dir", help="where the indexes of --idle lie, to be kept")
    options = parser.parse_args()
    program = os.path.abspath(options.bin)
    if options.idle is not None:
        with tempfile.TemporaryDirectory() as index:
            place = os.path.abspath(options.index_dir) if options.index_dir else index
            return idle(options, program, dict(os.environ, SPYHOP_INDEX_DIR=place))
    [options.tree] = options.tree
    with tempfile.TemporaryDirectory() as index:
        env = dict(os.environ, SPYHOP_INDEX_DIR=index)
        subprocess.run([program, "index", "--quiet", "--root", options.tree], env=env, check=True)
        time.sleep(2.1)  # what was just written counts as unproven for two seconds
        session = Session(program, ["--stale-policy", options.stale_policy, options.tree], env)
        print("| part | calls | p50 ms | p99 ms | max ms | resident MB | anonymous MB |\n|---|--:|--:|--:|--:|--:|--:|")
        row("start", [], session.resident())
        times, bad, number = [], 0, 0
        for number in range(options.calls):
            seconds, message = session.ask("tools/call", call(number))
            times.append(seconds)
            bad += bool(failed(message))
            if number + 1 in (options.calls // 10, options.calls // 2):
                row(f"after {number + 1} in a row", times, session.resident())
        row(f"after {options.calls} in a row", times, session.resident())
        for turn in range(options.rounds):
            begun = [session.begin("tools/call", call(number + at)) for at in range(options.parallel)]
            number += options.parallel
            times = []
            for start, slot in begun:
                slot[0].wait()
                times.append(slot[1] - start)
                bad += bool(failed(slot[2]))
            row(f"{options.parallel} in parallel, round {turn + 1}", times, session.resident())
        print(f"\nfailed: {bad}")
        session.end()


if __name__ == "__main__":
    main()
