"""The answer of a command in a pseudo-terminal, and whether the answer fits the screen: for `daily.py`.

An answer is what standard output and standard error write to the terminal. It must leave a row for the prompt, no line but a warning
may be wider than the screen, and it must have no second gap behind a gap.
"""

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios
import unicodedata

SCREENS = [(24, 80), (50, 200)]
ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\].*?(?:\x07|\x1b\\)|\x1b[()][A-Z0-9]")


def columns(line):
    """The columns that a line takes; a tab ends at the next multiple of eight."""
    at = 0
    for letter in line:
        if letter == "\t":
            at += 8 - at % 8
        elif not unicodedata.combining(letter) and unicodedata.category(letter) != "Cf":
            at += 2 if unicodedata.east_asian_width(letter) in "WF" else 1
    return at


def in_terminal(command, folder, rows, width, environment):
    """What a command writes to a terminal of this size, as text without escape sequences."""
    own, other = pty.openpty()
    fcntl.ioctl(other, termios.TIOCSWINSZ, struct.pack("HHHH", rows, width, 0, 0))
    process = subprocess.Popen(command, cwd=folder, stdin=other, stdout=other, stderr=other, env=environment,
                               start_new_session=True)
    # The terminal stays open until everything is read: Linux may drop what is written right before the last close.
    written = bytearray()
    while True:
        has_ended = process.poll() is not None
        if select.select([own], [], [], 0.1)[0]:
            written += os.read(own, 1 << 16)
        elif has_ended:
            break
    os.close(other)
    os.close(own)
    return ESCAPE.sub("", written.decode("utf-8", "replace")).replace("\r\n", "\n")


def faults(text, rows, width):
    lines = text.rstrip("\n").split("\n")
    found = []
    taken = sum(max(1, -(-columns(line) // width)) for line in lines)
    if taken > rows - 1:
        found.append(f"{taken} rows, a screen has {rows} with the prompt")
    wide = [line for line in lines if columns(line) > width and not line.startswith("spyhop: warning: ")]
    if wide:
        found.append(f"{len(wide)} lines wider than {width}, such as {wide[0][:60]!r}")
    if any(one.strip() == other.strip() == "┆" for one, other in zip(lines, lines[1:])):
        found.append("two gaps in a row")
    return found
