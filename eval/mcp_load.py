"""Loads the server for agents: what do clients that search notice of others?

    python3 eval/mcp_load.py --bin target/release/spyhop TREE [--seconds 600]
    python3 eval/mcp_load.py --bin target/release/spyhop --idle 300 [--index-dir DIR] TREE TREE...

TREE is copied, and a file of 900 kB is added that defines one name 40,000 times. One server over HTTP serves the copy. Four
clients search for --quiet seconds, each one call after the other. Then they search for --seconds beside a client that
packs ("same", the name of the large file), one that sends batches and requests above the limits, and one that begins slow
calls and cancels them. Then all stop for --rest seconds. Printed are the p99 of the four in both parts and the resident
memory before, at the peak and after the rest. The exit code is 1 when the p99 is more than twice the quiet one, a search
fails, or the memory does not come back: to the quiet peak and a tenth. Times are those of a client, from writing the
request to reading the reply.

With --idle one server over pipes has all trees as roots, --each searches and as many greps are made of each, and the
memory is read before, after, --idle seconds later, and once each tree was asked again: the process's own (anonymous) and
what it maps of files, which is the page cache's. With --index-dir the indexes there are used. Only the standard library is
used; Linux gives the memory.
"""
import argparse
import collections
import http.client
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time

QUESTIONS = ["parse command line arguments", "write bytes to disk", "test helpers", "error handling", "open a connection",
             "read the configuration file", "retry after a timeout", "convert a value to text", "spawn a thread", "hash map"]
WORDS = ["error", "fn|func|def|int", "connection", "TODO", "return [a-z]+_[a-z]+"]
TOKEN = "a-token-of-the-load"


def quantile(times, part):
    return sorted(times)[min(len(times) - 1, int(len(times) * part))] * 1000 if times else float("nan")


class Session:
    """A server over pipes, asked one question after the other."""

    def __init__(self, program, arguments, env):
        self.process = subprocess.Popen([program, "mcp", *arguments], env=env, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, bufsize=0)
        self.lines = os.fdopen(os.dup(self.process.stdout.fileno()), "rb")
        self.asked = 0
        client = {"name": "load", "version": "1"}
        self.ask("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client})
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def send(self, message):
        self.process.stdin.write(json.dumps(message).encode() + b"\n")

    def ask(self, method, params):
        """Seconds and the message."""
        self.asked += 1
        begun = time.perf_counter()
        self.send({"jsonrpc": "2.0", "id": self.asked, "method": method, "params": params})
        message = json.loads(self.lines.readline())
        while message.get("id") != self.asked:
            message = json.loads(self.lines.readline())
        return time.perf_counter() - begun, message

    def rollup(self):
        """Anonymous and file-backed MB, as the pages are counted just now."""
        with open(f"/proc/{self.process.pid}/smaps_rollup") as rollup:
            rows = dict(line.split(":", 1) for line in list(rollup)[1:])
        resident, anonymous = (int(rows[name].split()[0]) / 1024 for name in ("Rss", "Anonymous"))
        return anonymous, resident - anonymous

    def end(self):
        self.process.stdin.close()
        self.process.wait(30)


class Server:
    """A server over HTTP, and its memory."""

    def __init__(self, program, tree, env):
        env = dict(env, SPYHOP_MCP_TOKEN=TOKEN)
        command = [program, "mcp", "--http", "127.0.0.1:0", tree]
        self.process = subprocess.Popen(command, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.PIPE, text=True)
        greeting = self.process.stderr.readline()
        self.address = greeting.split("http://", 1)[1].split("/", 1)[0]
        threading.Thread(target=lambda: collections.deque(self.process.stderr, maxlen=0), daemon=True).start()

    def resident(self):
        with open(f"/proc/{self.process.pid}/status") as status:
            rows = dict(line.split(":", 1) for line in status)
        return int(rows["VmRSS"].split()[0]) / 1024


class Client(threading.Thread):
    """One client, which sends `calls(number)` one after the other until `stop`."""

    def __init__(self, server, stop, calls, patience=None):
        super().__init__(daemon=True)
        self.server, self.stop, self.calls, self.patience = server, stop, calls, patience
        self.times, self.failed, self.outcomes = [], [], collections.Counter()
        self.start()

    def run(self):
        headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json",
                   "Accept": "application/json, text/event-stream"}
        link, number = None, 0
        while not self.stop.is_set():
            tool, arguments = self.calls(number)
            number += 1
            params = {"name": tool, "arguments": arguments}
            body = json.dumps({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params})
            patience = self.patience and random.uniform(0.05, self.patience)
            link = link or http.client.HTTPConnection(self.server.address, timeout=patience or 300)
            begun = time.perf_counter()
            try:
                link.request("POST", "/mcp", body, headers)
                reply = link.getresponse()
                text = reply.read()
            except OSError as error:  # The connection is closed, and with it the call.
                link.close()
                link = None
                self.outcomes["cancelled" if patience else "failed"] += 1
                if not patience:
                    self.failed.append(repr(error))
                continue
            self.times.append(time.perf_counter() - begun)
            if reply.status != 200 or b'"isError":true' in text:
                self.outcomes["refused"] += 1
                self.failed.append(text[:200].decode())
            else:
                self.outcomes["answered"] += 1


def search(seed):
    choice = random.Random(seed)

    def call(number):
        if number % 5 == 4:
            return "grep_files", {"pattern": choice.choice(WORDS), "max_results": 20}
        return "codebase_search", {"query": f"{choice.choice(QUESTIONS)} {choice.randrange(1000)}"}
    return call


def pack(_):
    return "get_context_pack", {"task": "same"}


def batch(number):
    if number % 4 == 3:
        many = ["a"] * 50_000
        return [("search_batch", {"queries": many}), ("codebase_search", {"query": "a", "path_glob": many})][number % 8 // 4]
    return "search_batch", {"queries": [f"{QUESTIONS[at % len(QUESTIONS)]} {number} {at}" for at in range(100)]}


def slow(number):
    return [pack(0), batch(0), ("impact", {"target": "same"}), ("find_references", {"target": "same"}),
            ("grep_files", {"pattern": "(a|b|c)*same.*x"})][number % 5]


def part(server, seconds, others):
    """Four clients that search, and others, for some seconds: the clients, and the peak of the memory."""
    stop, peak, end = threading.Event(), 0.0, time.monotonic() + seconds
    four = [Client(server, stop, search(seed)) for seed in range(4)]
    rest = {name: Client(server, stop, calls, patience) for name, (calls, patience) in others.items()}
    while time.monotonic() < end:
        peak = max(peak, server.resident())
        time.sleep(0.2)
    stop.set()
    for client in [*four, *rest.values()]:
        client.join(300)
    return four, rest, peak


def mixed(options, program):
    with tempfile.TemporaryDirectory(prefix="load-") as folder:
        tree, env = os.path.join(folder, "tree"), dict(os.environ, SPYHOP_INDEX_DIR=os.path.join(folder, "index"))
        shutil.copytree(options.tree[0], tree, ignore=shutil.ignore_patterns("target", "node_modules"), symlinks=True)
        with open(os.path.join(tree, "a.py"), "w") as file:
            file.write("def same():\n    same()\n" * 40_000)
        subprocess.run([program, "index", "--quiet", "--root", tree], env=env, check=True)
        server = Server(program, tree, env)
        before = server.resident()
        print("| part | calls | p50 ms | p99 ms | max ms | peak MB |\n|---|--:|--:|--:|--:|--:|")
        results, failed = {}, []
        others = {"packs": (pack, None), "batches": (batch, None), "cancels": (slow, 2.0)}
        for name, seconds, beside in [("quiet", options.quiet, {}), ("mixed", options.seconds, others)]:
            four, rest, peak = part(server, seconds, beside)
            times = [seconds for client in four for seconds in client.times]
            results[name] = (quantile(times, 0.99), peak)
            cells = [name, len(times), *(f"{quantile(times, part):.1f}" for part in (0.5, 0.99, 1.0)), f"{peak:.0f}"]
            print("|", " | ".join(map(str, cells)), "|", flush=True)
            failed += [text for client in four for text in client.failed]
            for role, client in rest.items():
                print(f"  {role}: {dict(client.outcomes)}, p50 {quantile(client.times, 0.5):.0f} ms; {client.failed[:1]}")
        time.sleep(options.rest)
        after, still_up = server.resident(), server.process.poll() is None
        server.process.terminate()
        server.process.wait()
        (quiet, quiet_peak), (busy, peak) = results["quiet"], results["mixed"]
        print(f"\np99 {quiet:.1f} ms quiet, {busy:.1f} ms mixed: {busy / quiet:.2f} times; memory {before:.0f} MB before, "
              f"{peak:.0f} MB at the peak, {after:.0f} MB after {options.rest:.0f} s; {len(failed)} searches failed")
        for text in failed[:3]:
            print("FAILED:", text)
        sys.exit(bool(failed or not still_up or busy > 2 * quiet or after > quiet_peak * 1.1))


def ask_each(session, trees, each):
    """The times of searches and greps of every tree, in turns."""
    times = []
    for number in range(each):
        for tree in trees:
            given = {"query": QUESTIONS[number % len(QUESTIONS)], "root": tree}
            lines = {"pattern": WORDS[number % len(WORDS)], "root": tree}
            for name, arguments in (("codebase_search", given), ("grep_files", lines)):
                seconds, message = session.ask("tools/call", {"name": name, "arguments": arguments})
                if "error" in message or message["result"].get("isError"):
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
    parser.add_argument("--seconds", type=float, default=600, help="of all clients together")
    parser.add_argument("--quiet", type=float, default=60, help="seconds of the four clients alone")
    parser.add_argument("--rest", type=float, default=60, help="seconds without a call, at the end")
    parser.add_argument("--idle", type=float, nargs="?", const=300, help="seconds without a call (300), for all trees at once")
    parser.add_argument("--each", type=int, default=20, help="searches, and as many greps, of each tree before that")
    parser.add_argument("--index-dir", help="where the indexes of --idle lie, to be kept")
    options = parser.parse_args()
    program = os.path.abspath(options.bin)
    if options.idle is None:
        return mixed(options, program)
    with tempfile.TemporaryDirectory() as index:
        place = os.path.abspath(options.index_dir) if options.index_dir else index
        return idle(options, program, dict(os.environ, SPYHOP_INDEX_DIR=place))


if __name__ == "__main__":
    main()
