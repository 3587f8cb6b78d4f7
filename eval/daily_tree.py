"""A small repository in which the program runs, the register of checks, and a client of its servers; for `daily.py`."""

import fcntl
import json
import os
import pty
import re
import select
import struct
import subprocess
import termios
import time

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
        given = {"stdin": stdin} if isinstance(stdin, int) else {"input": stdin or ""}
        return subprocess.run([self.program, *arguments], cwd=self.root / at, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, env=env, timeout=120, **given)


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


class Terminal:
    """A process on a terminal of its own, which is typed at and read as a person does."""

    def __init__(self, tree, *arguments, at="", rows=30, width=120, **environment):
        env = {**os.environ, "SPYHOP_INDEX_DIR": str(tree.index), "TERM": "xterm-256color", "LANG": "C.UTF-8", **environment}
        env = {name: value for name, value in env.items() if value is not None}
        self.text, (self.own, other) = "", pty.openpty()
        fcntl.ioctl(other, termios.TIOCSWINSZ, struct.pack("HHHH", rows, width, 0, 0))

        def take_terminal():
            os.setsid()
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)

        self.process = subprocess.Popen([tree.program, *arguments], cwd=tree.root / at, stdin=other, stdout=other,
                                        stderr=other, env=env, preexec_fn=take_terminal)
        os.close(other)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        os.close(self.own)

    def type(self, keys):
        os.write(self.own, keys.encode())

    def read_until(self, pattern, seconds=30):
        """Reads until the text, without escape sequences, matches; the text is kept."""
        until = time.monotonic() + seconds
        while not re.search(pattern, self.text, re.M):
            if time.monotonic() > until or not select.select([self.own], [], [], 0.1)[0]:
                if time.monotonic() > until:
                    raise AssertionError(f"no {pattern!r} on the terminal\n    | {self.text[-900:]}")
                continue
            try:
                got = os.read(self.own, 1 << 16)
            except OSError:
                got = b""
            if not got:
                assert re.search(pattern, self.text, re.M), f"no {pattern!r} on the terminal\n    | {self.text[-900:]}"
                break
            self.text += screens.ESCAPE.sub("", got.decode("utf-8", "replace")).replace("\r\n", "\n")

    def ended(self, seconds=30):
        """The exit code."""
        until = time.monotonic() + seconds
        while self.process.poll() is None and time.monotonic() < until:
            if select.select([self.own], [], [], 0.05)[0]:
                try:
                    os.read(self.own, 1 << 16)
                except OSError:
                    break
        return self.process.wait(timeout=max(1, until - time.monotonic()))
