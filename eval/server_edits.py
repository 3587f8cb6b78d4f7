#!/usr/bin/env python3
"""Asks a server for agents while a client edits files of the served tree, and compares how long answers take.

    python3 eval/server_edits.py target/release/spyhop --seconds 600

The tree is a copy of this repository's sources and of the fixtures of all grammars. First the edits are harmless (a new
function at the end of a file), then they are mutants of eval/mutate.py and its forms that trouble parsers. In both parts
a file is written every --every milliseconds and questions are asked without a pause. The script fails when the server
dies, when an answer is an error, or when the 99th percentile of the second part is more than twice that of the first.
"""

import argparse
import json
import pathlib
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time

import mutate

ROOT = pathlib.Path(__file__).resolve().parent.parent
QUERIES = [
    "where is a text cut into chunks", "how is the lock taken", "parse within a budget", "resolve the key of a provider",
    "merge segments", "which files are skipped", "mask secrets", "walk the tree under ignore rules", "draw a circle",
]


class Server:
    def __init__(self, program, tree, index):
        self.process = subprocess.Popen(
            [program, "mcp", str(tree), "--index-dir", str(index)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )
        self.number = 0
        hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "edits", "version": "1"}}
        self.call("initialize", hello)
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def send(self, message):
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def call(self, method, params):
        self.number += 1
        self.send({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params})
        while True:
            line = self.process.stdout.readline()
            if not line:
                raise SystemExit(f"the server died: exit status {self.process.wait()}")
            message = json.loads(line)
            if message.get("id") == self.number:
                return message

    def search(self, query):
        reply = self.call("tools/call", {"name": "codebase_search", "arguments": {"query": query}})
        result = reply.get("result", {})
        if "error" in reply or result.get("isError"):
            raise SystemExit(f"an answer is an error: {json.dumps(reply)[:300]}")


def hostile_texts(seed):
    """Mutants of all languages, one in four a form of openings or last lines."""
    found = mutate.languages(None)
    all_seeds = [texts for _, _, texts in found.values()]
    draw = random.Random(seed)
    forms = {name: list(mutate.forms()) for name in found}
    while True:
        name = draw.choice(list(found))
        extension, _, seeds = found[name]
        yield extension, draw.choice(forms[name]) if draw.random() < 0.25 else mutate.mutant(draw, seeds, all_seeds)


def harmless_texts(seed):
    found = mutate.languages(None)
    draw = random.Random(seed)
    number = 0
    while True:
        number += 1
        extension, _, seeds = found[draw.choice(list(found))]
        yield extension, draw.choice(seeds) + f"\n// edit {number}\n".encode()


def part(server, tree, texts, seconds, every):
    """The milliseconds of each answer while files are edited."""
    stop = threading.Event()
    edits = 0

    def edit():
        nonlocal edits
        while not stop.wait(every / 1000):
            extension, text = next(texts)
            (tree / f"edited-{edits % 40}.{extension}").write_bytes(text)
            edits += 1

    editor = threading.Thread(target=edit)
    editor.start()
    took, end = [], time.monotonic() + seconds
    try:
        while time.monotonic() < end:
            began = time.monotonic()
            server.search(QUERIES[len(took) % len(QUERIES)])
            took.append((time.monotonic() - began) * 1000)
    finally:
        stop.set()
        editor.join()
    return sorted(took), edits


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--seconds", type=float, default=600, help="length of the second part; the first takes a quarter")
    parser.add_argument("--every", type=float, default=500, help="milliseconds between two edits")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="spyhop-edits-") as folder:
        tree = pathlib.Path(folder) / "tree"
        for name in ("src", "grammars", "tests", "eval"):
            shutil.copytree(ROOT / name, tree / name)
        server = Server(str(pathlib.Path(arguments.program).resolve()), tree, pathlib.Path(folder) / "index")
        time.sleep(3)
        part(server, tree, harmless_texts(0), 3, arguments.every)
        p99 = []
        for name, texts, seconds in (
            ("harmless", harmless_texts(arguments.seed), arguments.seconds / 4),
            ("hostile", hostile_texts(arguments.seed), arguments.seconds),
        ):
            took, edits = part(server, tree, texts, seconds, arguments.every)
            p99.append(took[len(took) * 99 // 100])
            print(
                f"{name:<9} {edits:>5} edits {len(took):>6} answers  p50 {statistics.median(took):7.1f} ms  "
                f"p90 {took[len(took) * 9 // 10]:7.1f}  p99 {p99[-1]:7.1f}  longest {took[-1]:7.1f}",
                flush=True,
            )
    print(f"p99, hostile to harmless: {p99[1] / p99[0]:.2f}")
    sys.exit(0 if p99[1] <= 2 * p99[0] else 1)


if __name__ == "__main__":
    main()
