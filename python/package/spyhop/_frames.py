"""Results as pandas frames. pandas is imported when the first frame is made."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterable, Iterator

if TYPE_CHECKING:
    import pandas

    from ._spyhop import FilesReply, GrepReply, Hit, MapReply, SearchReplies, SearchReply

_HIT = ["rank", "path", "first_line", "last_line", "kind", "symbol", "language", "score", "band", "snippet"]
_LINE = ["path", "line", "column", "text", "enclosing"]
_FILE = ["path", "language", "lines", "bytes", "matched"]
_ENTRY = ["path", "is_dir", "depth", "files", "lines", "total_symbols"]


def _frame(rows: Iterable[tuple[Any, ...]], columns: list[str]) -> pandas.DataFrame:
    import pandas

    frame: pandas.DataFrame = pandas.DataFrame.from_records(list(rows), columns=columns)
    return frame


def _hit(rank: int, hit: Hit) -> tuple[Any, ...]:
    first, last = hit.lines
    return (rank, hit.path, first, last, hit.kind, hit.symbol, hit.language, hit.score, hit.band, hit.snippet)


def of_hits(reply: SearchReply) -> pandas.DataFrame:
    """A row for each hit."""
    return _frame((_hit(rank, hit) for rank, hit in enumerate(reply.results, reply.offset + 1)), _HIT)


def of_replies(replies: SearchReplies) -> pandas.DataFrame:
    """A row for each hit of each query."""

    def rows() -> Iterator[tuple[Any, ...]]:
        for at, reply in enumerate(replies):
            for rank, hit in enumerate(reply.results, 1):
                yield (at, reply.query, *_hit(rank, hit))

    return _frame(rows(), ["query_index", "query", *_HIT])


def of_lines(reply: GrepReply) -> pandas.DataFrame:
    """A row for each matching line."""
    rows = ((line.path, line.line, line.column, line.text, line.enclosing) for line in reply.results)
    return _frame(rows, _LINE)


def of_files(reply: FilesReply) -> pandas.DataFrame:
    """A row for each file."""
    rows = ((file.path, file.language, file.lines, file.bytes, file.matched) for file in reply.results)
    return _frame(rows, _FILE)


def of_entries(reply: MapReply) -> pandas.DataFrame:
    """A row for each folder and file."""
    rows = (
        (entry.path, entry.is_dir, entry.depth, entry.files, entry.lines, entry.total_symbols)
        for entry in reply.results
    )
    return _frame(rows, _ENTRY)
