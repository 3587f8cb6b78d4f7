"""Spyhop, a search engine for code.

An :class:`Engine` indexes one source tree and answers questions about it::

    import spyhop

    engine = spyhop.Engine("path/to/tree")
    for hit in engine.search("where is the api key resolved?"):
        print(hit.path, hit.lines, hit.score, hit.reasons[0].text)

:mod:`spyhop.research` has query sets, runs, fits and significance; :mod:`spyhop.pyterrier` has a PyTerrier transformer.
"""

from __future__ import annotations

from ._features import FeatureMatrix
from ._spyhop import (
    ContextLine,
    Engine,
    FileRow,
    FilesReply,
    Gap,
    GrepLine,
    GrepReply,
    Hit,
    MapEntry,
    MapReply,
    MapSymbol,
    Profile,
    Progress,
    Reason,
    SearchReplies,
    SearchReply,
    Snapshot,
    Status,
    UpdateReport,
    WhyNot,
    __version__,
    feature_names,
)
from .errors import (
    CancelledError,
    IndexStateError,
    InternalError,
    LockedError,
    MissingError,
    NoIndexError,
    RequestError,
    SpyhopError,
    StaleError,
    StorageError,
    TooLargeError,
)

__all__ = [
    "CancelledError",
    "ContextLine",
    "Engine",
    "FeatureMatrix",
    "FileRow",
    "FilesReply",
    "Gap",
    "GrepLine",
    "GrepReply",
    "Hit",
    "IndexStateError",
    "InternalError",
    "LockedError",
    "MapEntry",
    "MapReply",
    "MapSymbol",
    "MissingError",
    "NoIndexError",
    "Profile",
    "Progress",
    "Reason",
    "RequestError",
    "SearchReplies",
    "SearchReply",
    "Snapshot",
    "SpyhopError",
    "StaleError",
    "Status",
    "StorageError",
    "TooLargeError",
    "UpdateReport",
    "WhyNot",
    "__version__",
    "feature_names",
]
