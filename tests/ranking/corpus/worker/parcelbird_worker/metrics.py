"""Counters and timings in the text format that Prometheus scrapes."""

import contextlib
import threading
import time
from collections import defaultdict
from http.server import BaseHTTPRequestHandler, HTTPServer

_lock = threading.Lock()
_seconds = defaultdict(float)
_runs = defaultdict(int)


@contextlib.contextmanager
def timed(name):
    begun = time.monotonic()
    try:
        yield
    finally:
        with _lock:
            _seconds[name] += time.monotonic() - begun
            _runs[name] += 1


def render():
    with _lock:
        lines = [f'job_seconds_sum{{job="{name}"}} {value:.3f}' for name, value in sorted(_seconds.items())]
        lines += [f'job_seconds_count{{job="{name}"}} {value}' for name, value in sorted(_runs.items())]
    return "\n".join(lines) + "\n"


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(render().encode())


def expose(port):
    server = HTTPServer(("", port), _Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
