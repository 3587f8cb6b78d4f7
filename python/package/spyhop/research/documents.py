"""Documents of query sets: a file of the tree, or lines of one, as ids without blanks."""

from __future__ import annotations

import re
from typing import NamedTuple, Optional, Tuple

_LINES = re.compile(r"^(.*):(\d+)-(\d+)$", re.S)


class Target(NamedTuple):
    """What a document id names."""

    path: str
    lines: Optional[Tuple[int, int]] = None

    def is_in(self, path: str) -> bool:
        """Whether ``path`` is the file. One of both may begin at a folder further down, as in the harness."""
        long, short = (self.path, path) if len(self.path) >= len(path) else (path, self.path)
        return long == short or long.endswith("/" + short)

    def is_answered_by(self, path: str, lines: tuple[int, int]) -> bool:
        """Whether a place answers: it is in the file, and shares a line with the lines of the target, if it has any."""
        if not self.is_in(path):
            return False
        return self.lines is None or (lines[0] <= self.lines[1] and self.lines[0] <= lines[1])


def document_id(path: str, lines: tuple[int, int] | None = None) -> str:
    """The id of a file or of its lines. Blanks, control characters and ``%`` are escaped as in a URL."""
    escaped = "".join(
        "".join(f"%{byte:02X}" for byte in sign.encode()) if sign == "%" or sign.isspace() or ord(sign) < 32 else sign
        for sign in path
    )
    return escaped if lines is None else f"{escaped}:{lines[0]}-{lines[1]}"


def parse_document_id(document: str) -> Target:
    """The file and the lines that an id names."""
    found = _LINES.match(document)
    path, lines = (found[1], (int(found[2]), int(found[3]))) if found else (document, None)
    unescaped = re.sub(rb"%([0-9A-Fa-f]{2})", lambda byte: bytes([int(byte[1], 16)]), path.encode())
    return Target(unescaped.decode(errors="replace"), lines)
