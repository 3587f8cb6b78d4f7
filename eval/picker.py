#!/usr/bin/env python3
"""Times the picker: from a key to the first bytes of the next picture, in a pseudo-terminal.

    python3 eval/picker.py PROGRAM TREE [--index-dir DIR] [--query TEXT] [--rounds N]

The picker is started once over TREE, whose index must be complete. The characters of the query are typed one by one, each after
the picture of the one before has been quiet for a while, and deleted again. A row for each kind of key has the median, the 90th
percentile and the greatest time in milliseconds. The cursor keys repaint without a new search.
"""

import argparse
import fcntl
import os
import pty
import select
import statistics
import struct
import sys
import termios
import time

QUIET = 0.15


def read_until_quiet(terminal, first_within):
    """The seconds to the first bytes and to the last ones before a pause; None if nothing came."""
    begun = time.perf_counter()
    first = last = None
    while True:
        ready, _, _ = select.select([terminal], [], [], first_within if first is None else QUIET)
        now = time.perf_counter() - begun
        if not ready:
            return None if first is None else (first, last)
        if not os.read(terminal, 1 << 16):
            return None if first is None else (first, last)
        first, last = (now if first is None else first), now


def press(terminal, keys, times):
    os.write(terminal, keys)
    seen = read_until_quiet(terminal, 2.0)
    if seen:
        times.append([part * 1000 for part in seen])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("tree")
    parser.add_argument("--index-dir")
    parser.add_argument("--query", default="retry of a watch")
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    command = [os.path.abspath(args.program), "ui"]
    if args.index_dir:
        command += ["--index-dir", os.path.abspath(args.index_dir)]
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(args.tree)
        os.execve(command[0], command, {**os.environ, "TERM": "xterm-256color"})
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 160, 0, 0))
    if not read_until_quiet(terminal, 20.0):
        sys.exit("the picker shows nothing")
    time.sleep(1)
    read_until_quiet(terminal, 0.2)
    typed, cursor = [], []
    for _ in range(args.rounds):
        for character in args.query:
            press(terminal, character.encode(), typed)
        for _ in range(10):
            press(terminal, b"\x1b[B", cursor)
        for _ in args.query:
            press(terminal, b"\x7f", typed)
    os.write(terminal, b"\x1b")
    print(f"{'keys':<8} {'number':>6} {'to the first bytes: median':>27} {'p90':>6} {'max':>6} {'to the last bytes: median':>26} {'p90':>6}")
    for name, times in (("typed", typed), ("cursor", cursor)):
        if not times:
            print(f"{name:<8} no picture")
            continue
        first, last = sorted(time[0] for time in times), sorted(time[1] for time in times)
        p90 = int(len(first) * 0.9)
        print(f"{name:<8} {len(times):>6} {statistics.median(first):>27.1f} {first[p90]:>6.1f} {first[-1]:>6.1f} "
              f"{statistics.median(last):>26.1f} {last[p90]:>6.1f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
