"""Spyhop, a search engine for code.

An :class:`Engine` indexes one source tree and answers questions about it::

    import spyhop

    engine = spyhop.Engine("path/to/tree")
    for hit in engine.search("where is the api key resolved?"):
        print(hit.path, hit.lines, hit.score, hit.reasons[0].text)

:mod:`spyhop.research` has query sets, runs, fits and significance; :mod:`spyhop.pyterrier` has a PyTerrier transformer.
"""

from __future__ import annotations

from . import _rows as rows
from ._engine import Engine, operations
from ._features import FeatureMatrix
from ._results import (
    FileRow,
    FilesReply,
    GrepLine,
    Hit,
    MapEntry,
    MapReply,
    MapSymbol,
    Progress,
    Reason,
    SearchReplies,
    SearchReply,
    Snapshot,
    Status,
    SymbolRow,
    UpdateReport,
)
from ._rows import (
    Checkup,
    ContextLine,
    EntriesReply,
    Explanation,
    FileGraphReply,
    Gap,
    GraphReply,
    GrepReply,
    Languages,
    NotesReply,
    PackReply,
    ReadReply,
    SkippedReply,
    SymbolsReply,
    ViewsReply,
    WhyNot,
)
from ._shards import Front, Question, Searcher
from ._spyhop import Profile, __version__, feature_names
from .errors import (
    CancelledError,
    IndexStateError,
    InternalError,
    LockedError,
    MissingError,
    NoIndexError,
    RequestError,
    ShardError,
    SpyhopError,
    StaleError,
    StorageError,
    TooLargeError,
)

__all__ = [
    "CancelledError",
    "Checkup",
    "ContextLine",
    "Engine",
    "EntriesReply",
    "Explanation",
    "FeatureMatrix",
    "FileGraphReply",
    "FileRow",
    "FilesReply",
    "Front",
    "Gap",
    "GraphReply",
    "GrepLine",
    "GrepReply",
    "Hit",
    "IndexStateError",
    "InternalError",
    "Languages",
    "LockedError",
    "MapEntry",
    "MapReply",
    "MapSymbol",
    "MissingError",
    "NoIndexError",
    "NotesReply",
    "PackReply",
    "Profile",
    "Progress",
    "Question",
    "ReadReply",
    "Reason",
    "RequestError",
    "SearchReplies",
    "SearchReply",
    "Searcher",
    "ShardError",
    "SkippedReply",
    "Snapshot",
    "SpyhopError",
    "StaleError",
    "Status",
    "StorageError",
    "SymbolRow",
    "SymbolsReply",
    "TooLargeError",
    "UpdateReport",
    "ViewsReply",
    "WhyNot",
    "__version__",
    "feature_names",
    "operations",
    "rows",
]
