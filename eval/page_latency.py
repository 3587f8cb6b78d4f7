#!/usr/bin/env python3
"""Time of the server for each key press of a person who types in the page of `spyhop serve`.

    python3 eval/page_latency.py SPYHOP TREE [--index-dir DIR] [--texts N] [--pause MS]

The texts are made from names of the tree, by a fixed seed: names as they are, and their words with blanks between them.
Each text is typed key by key; each key is a request of one tab, as server-sent events, over one connection. Printed are the
time of the server (`total_ms` of the last event) and the time until the client has the results, by mode, for texts of two
characters and more; the time of the parts of an answer; and the processor time of the server for a key. The first text of
each mode is not counted: it opens the index.
"""

import argparse
import http.client
import json
import os
import random
import re
import statistics
import subprocess
import sys
import time
import urllib.parse

TOKEN = "a-token-of-the-measurement"


class Server:
    """A server of a tree, with its index made."""

    def __init__(self, spyhop, tree, index_dir):
        place = ["--index-dir", index_dir] if index_dir else []
        subprocess.run([spyhop, "index", "-q", "--root", tree, *place], check=True)
        environment = {**os.environ, "SPYHOP_MCP_TOKEN": TOKEN}
        command = [spyhop, "serve", tree, "--port", "0", *place]
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=environment)
        link = self.process.stderr.readline()
        self.host = re.search(r"http://([^/]+)/", link).group(1)
        self.connection = http.client.HTTPConnection(self.host)

    def json(self, path):
        self.connection.request("GET", f"/api/v1/{path}", headers={"Authorization": f"Bearer {TOKEN}"})
        return json.load(self.connection.getresponse())

    def wait(self):
        """Waits for the first comparison of the tree, which takes the processor from answers."""
        while True:
            states = self.json("server")["roots"]
            if all(root["state"] == "ready" for root in states):
                return
            time.sleep(0.2)

    def processor(self):
        """The milliseconds of processor time that the server has taken."""
        fields = open(f"/proc/{self.process.pid}/stat").read().rsplit(")", 1)[1].split()
        return 1000 * (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def events(self, query):
        """The events of a search: name, data, seconds after the request."""
        headers = {"Authorization": f"Bearer {TOKEN}", "Accept": "text/event-stream"}
        begun = time.perf_counter()
        self.connection.request("GET", "/api/v1/search?" + urllib.parse.urlencode(query), headers=headers)
        answer = self.connection.getresponse()
        name = None
        while line := answer.readline():
            line = line.decode()
            if line.startswith("event: "):
                name = line[7:].strip()
            elif line.startswith("data: "):
                yield name, json.loads(line[6:]), time.perf_counter() - begun

    def stop(self):
        self.process.terminate()
        self.process.wait()


def texts(server, count):
    """Names of the tree and their words, by a fixed seed."""
    draw = random.Random(7)
    names = set()
    for letter in "aeiorstnlc":
        rows = server.json(f"symbols?pattern={letter}&max_results=1000")["results"]
        names.update(row["name"] for row in rows if 8 <= len(row["name"]) <= 30)
    chosen = draw.sample(sorted(names), min(2 * count, len(names)))
    words = [" ".join(re.findall(r"[A-Z]?[a-z0-9]+|[A-Z]+", name)).lower() for name in chosen[count:]]
    return chosen[:count], words


def typed(server, text, mode):
    """For each key: the time of the server, the time until the results, and the parts."""
    for end in range(1, len(text) + 1):
        arrived = timings = None
        for name, data, after in server.events({"q": text[:end], "mode": mode, "tab": "one", "limit": 20}):
            if name == "results":
                arrived = after * 1000
            if name == "done":
                timings = data["timings"]
        if timings and end > 1:
            yield {"client": arrived, **timings}


def row(label, values):
    values = sorted(values)
    at = lambda share: values[min(len(values) - 1, int(share * len(values)))]
    return f"| {label} | {len(values)} | {statistics.median(values):.1f} | {at(0.95):.1f} | {values[-1]:.1f} |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("spyhop")
    parser.add_argument("tree")
    parser.add_argument("--index-dir")
    parser.add_argument("--texts", type=int, default=10)
    parser.add_argument("--pause", type=float, default=0, help="milliseconds between two keys")
    asked = parser.parse_args()
    server = Server(asked.spyhop, asked.tree, asked.index_dir)
    try:
        server.wait()
        names, words = texts(server, asked.texts)
        print("| mode, milliseconds | keys | p50 | p95 | most |\n|---|--:|--:|--:|--:|")
        for mode, lines in [("ranked", names + words), ("exact", names), ("files", names), ("symbols", names), ("auto", words)]:
            rows, processor = [], 0
            for number, line in enumerate(lines):
                if number == 1:
                    processor = server.processor()
                for measured in typed(server, line, mode):
                    if number > 0:
                        rows.append(measured)
                    time.sleep(asked.pause / 1000)
            print(row(f"{mode}: server", [own["total_ms"] for own in rows]))
            print(row(f"{mode}: results at the client", [own["client"] for own in rows]))
            for part in ["parse_ms", "engine_ms", "colors_ms"]:
                print(row(f"{mode}: {part[:-3]}", [own[part] for own in rows]))
            keys = sum(len(line) for line in lines[1:])
            print(f"| {mode}: processor, mean | {keys} | {(server.processor() - processor) / max(keys, 1):.1f} | | |")
            sys.stdout.flush()
    finally:
        server.stop()


if __name__ == "__main__":
    main()
