"""What the package adds to the rows of replies: pairs of lines, spans of characters, and data frames.

The classes of `_rows` are written from the schemas of the replies; a class of the same name here stands in for one of them.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Optional

from . import _rows
from ._row import Field, Reply, Row


def _spans(text: Optional[str], spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Spans of the bytes of a text as spans of its characters, which slices take."""
    if text is None or text.isascii():
        return [(first, last) for first, last in spans]
    data = text.encode()
    at = {end: len(data[:end].decode(errors="ignore")) for span in spans for end in span}
    return [(at[first], at[last]) for first, last in spans]


class _Lined(Row):
    __slots__ = ()

    @property
    def lines(self) -> tuple[int, int]:
        """The first and the last line."""
        return (self._data["line"], self._data["end_line"])


class Reason(_rows.Reason):
    """What a signal adds to a score."""

    @property
    def contribution(self) -> float:
        """What the signal adds: the `share` of the JSON."""
        return self.share


class Hit(_rows.Hit, _Lined):
    """A place in a file."""

    @property
    def snippet_lines(self) -> Optional[tuple[int, int]]:
        """The lines of the snippet."""
        if self.snippet is None or self.snippet_line is None:
            return None
        return (self.snippet_line, self.snippet_line + self.snippet.count("\n"))

    @property
    def highlights(self) -> list[tuple[int, int]]:  # type: ignore[override]
        """The matches, as spans of characters of the snippet."""
        return _spans(self.snippet, self._data["highlights"])

    def _about(self) -> str:
        symbol = f" {self.symbol}" if self.symbol else ""
        return f"{self.path}:{self.lines[0]}-{self.lines[1]}{symbol} {self.score:.3f}"


class MapSymbol(_rows.MapSymbol, _Lined):
    """A symbol of a map."""


class SymbolRow(_rows.SymbolRow, _Lined):
    """A definition."""


class PackUnit(_rows.PackUnit, _Lined):
    """A whole function, type or other part of a file."""


class GrepLine(_rows.GrepLine):
    """A line that matches."""

    @property
    def highlights(self) -> list[tuple[int, int]]:  # type: ignore[override]
        """The matches, as spans of characters of the line."""
        return _spans(self.text, self._data["highlights"])

    @property
    def enclosing(self) -> Optional[str]:  # type: ignore[override]
        """The name of the definition around the line."""
        return (self._data.get("enclosing") or {}).get("name")


class FileRow(_rows.FileRow):
    """A file found by name."""

    @property
    def highlights(self) -> list[tuple[int, int]]:  # type: ignore[override]
        """The matches, as spans of characters of the path."""
        return _spans(self.path, self._data["highlights"])


class Snapshot(_rows.Snapshot):
    """Where an answer comes from."""

    @property
    def is_building(self) -> bool:
        """Whether the answer comes from an unfinished first update."""
        return self.building is not None

    def _about(self) -> str:
        return f"generation {self.generation}, {self.indexed_files} files"


class Status(_rows.Status):
    """The state of an index, with counts."""

    @property
    def languages(self) -> list[tuple[str, int]]:  # type: ignore[override]
        """The number of files of each language, most first."""
        return [(row["name"], row["files"]) for row in self._data["languages"]]

    @property
    def skipped(self) -> list[tuple[str, int]]:  # type: ignore[override]
        """The number of files that are left out for each reason, most first."""
        return [(row["reason"], row["files"]) for row in self._data["skipped"]]


class MapEntry(_rows.MapEntry):
    """A folder or a file of a map."""

    @property
    def languages(self) -> list[tuple[str, int]]:  # type: ignore[override]
        """The number of files of each language, most first."""
        return [(row["name"], row["files"]) for row in self._data["languages"]]


class MapReply(_rows.MapReply):
    """The outline of a tree, a folder or a file."""

    @property
    def results(self) -> tuple[_rows.MapEntry, ...]:
        """The rows of folders and files: the `entries` of the JSON."""
        return self.entries

    @property
    def languages(self) -> list[tuple[str, int]]:  # type: ignore[override]
        """The number of files of each language, most first."""
        return [(row["name"], row["files"]) for row in self._data["languages"]]


class SearchReply(_rows.SearchReply):
    """The answer to a ranked search."""

    @property
    def offset(self) -> int:
        """The number of hits on the pages before."""
        return int(self._data.get("offset", 0))

    def _table(self) -> tuple[list[str], list[tuple[Any, ...]]]:
        return _HIT, [_hit(rank, hit) for rank, hit in enumerate(self, self.offset + 1)]


class FilesReply(_rows.FilesReply):
    """The files whose name matches."""

    @property
    def offset(self) -> int:
        """The number of files on the pages before."""
        return int(self._data.get("offset", 0))


_HIT = ["rank", "path", "first_line", "last_line", "kind", "symbol", "language", "score", "band", "snippet"]


def _hit(rank: int, hit: _rows.Hit) -> tuple[Any, ...]:
    return (rank, hit.path, hit.line, hit.end_line, hit.kind, hit.symbol, hit.language, hit.score, hit.band, hit.snippet)


class SearchReplies(Reply["SearchReply"]):
    """The answers to many queries, in their order."""

    results: Field[tuple[SearchReply, ...]] = Field("SearchReply")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SearchReplies) and self.results == other.results

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        return (SearchReplies, ({"results": [reply._data for reply in self.results]},))

    def _about(self) -> str:
        return f"of {len(self)} queries"

    def _table(self) -> tuple[list[str], list[tuple[Any, ...]]]:
        rows = [
            (at, reply.query, *_hit(rank, hit)) for at, reply in enumerate(self) for rank, hit in enumerate(reply, 1)
        ]
        return ["query_index", "query", *_HIT], rows


class UpdateReport(Row):
    """What an update did."""

    generation: Field[int] = Field()
    added: Field[int] = Field()
    changed: Field[int] = Field()
    deleted: Field[int] = Field()
    renamed: Field[int] = Field()
    parsed: Field[int] = Field()
    bytes: Field[int] = Field()


class Progress(NamedTuple):
    """The progress of a call: of an update, or of a batch of queries (stage `queries`)."""

    stage: str
    done: int
    total: int
    bytes: int
    total_bytes: int
