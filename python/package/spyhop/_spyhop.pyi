from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Callable, Iterator, Literal, Mapping, Optional, Sequence, Union, overload

import pandas

from ._features import FeatureMatrix

__version__: str

_Texts = Union[str, Sequence[str], None]
_Path = Union[str, os.PathLike[str]]
_Profile = Union["Profile", str, os.PathLike[str], None]
_Kind = Literal["names", "mixed", "words"]
_Mode = Literal["compact", "default", "debug"]
_Stale = Literal["refresh", "warn", "ignore", "error", "wait"]
_OnProgress = Optional[Callable[[Progress], object]]

def feature_names() -> list[str]: ...

class Engine:
    def __new__(
        cls,
        path: _Path,
        *,
        index_dir: _Path | None = None,
        profile: _Profile = None,
        threads: int | None = None,
        stale: _Stale = "refresh",
        build: bool = True,
        wait: float = 0.0,
        max_memory: int | None = None,
        max_file_bytes: int | None = None,
        hidden: bool = False,
        no_ignore: bool = False,
        no_built_in: bool = False,
        secrets: bool = False,
        show_secrets: bool = False,
        grammars: _Path | None = None,
        view: str | None = None,
    ) -> Engine: ...
    @staticmethod
    def find_root(path: _Path) -> Path: ...
    @property
    def root(self) -> Path: ...
    @property
    def index_dir(self) -> Path: ...
    @property
    def profile(self) -> Profile: ...
    def update(self, *, progress: _OnProgress = None) -> UpdateReport: ...
    def rebuild(self, *, progress: _OnProgress = None) -> UpdateReport: ...
    def search(
        self,
        query: str,
        *,
        max_results: int = 10,
        mode: _Mode = "default",
        paths: _Texts = None,
        globs: _Texts = None,
        exclude: _Texts = None,
        languages: _Texts = None,
        kinds: _Texts = None,
        min_score: float = 0.0,
        per_file: int | None = None,
        expand: int = 0,
        exhaustive: bool = False,
        activity: bool = True,
        profile: _Profile = None,
        cursor: str | None = None,
        progress: _OnProgress = None,
    ) -> SearchReply: ...
    def search_many(
        self,
        queries: Sequence[str],
        *,
        max_results: int = 10,
        mode: _Mode = "default",
        paths: _Texts = None,
        globs: _Texts = None,
        exclude: _Texts = None,
        languages: _Texts = None,
        kinds: _Texts = None,
        min_score: float = 0.0,
        per_file: int | None = None,
        expand: int = 0,
        exhaustive: bool = False,
        activity: bool = True,
        profile: _Profile = None,
        progress: _OnProgress = None,
    ) -> SearchReplies: ...
    def features(
        self,
        queries: Sequence[str],
        *,
        names: Sequence[str] | None = None,
        limit: int | None = None,
        paths: _Texts = None,
        globs: _Texts = None,
        exclude: _Texts = None,
        languages: _Texts = None,
        kinds: _Texts = None,
        activity: bool = False,
        profile: _Profile = None,
        progress: _OnProgress = None,
    ) -> FeatureMatrix: ...
    def grep(
        self,
        pattern: str | Sequence[str],
        *,
        fixed: bool = False,
        case: Literal["sensitive", "ignored", "smart"] = "sensitive",
        word: bool = False,
        multi_line: bool = False,
        invert: bool = False,
        max_count: int | None = None,
        rank: bool = False,
        enclosing: bool = False,
        context: int = 0,
        max_results: int = 50,
        paths: _Texts = None,
        globs: _Texts = None,
        exclude: _Texts = None,
        languages: _Texts = None,
        kinds: _Texts = None,
        cursor: str | None = None,
    ) -> GrepReply: ...
    def files(
        self,
        pattern: str = "",
        *,
        include_scattered: bool = False,
        max_results: int = 20,
        paths: _Texts = None,
        globs: _Texts = None,
        exclude: _Texts = None,
        languages: _Texts = None,
        cursor: str | None = None,
    ) -> FilesReply: ...
    def map(
        self,
        path: str | None = None,
        *,
        depth: int = 2,
        max_items: int = 200,
        globs: _Texts = None,
        exclude: _Texts = None,
        languages: _Texts = None,
        kinds: _Texts = None,
    ) -> MapReply: ...
    def status(self) -> Status: ...
    def why_not(
        self,
        path: str,
        query: str,
        *,
        paths: _Texts = None,
        globs: _Texts = None,
        exclude: _Texts = None,
        languages: _Texts = None,
        kinds: _Texts = None,
        profile: _Profile = None,
    ) -> WhyNot: ...
    def touch(self, path: str) -> None: ...
    def release_caches(self) -> None: ...

class Profile:
    @staticmethod
    def built_in() -> Profile: ...
    @staticmethod
    def parse(text: str) -> Profile: ...
    @staticmethod
    def read(path: _Path) -> Profile: ...
    @staticmethod
    def from_dict(values: Mapping[str, Any], *, base: Profile | None = None) -> Profile: ...
    def to_dict(self) -> dict[str, Any]: ...
    def to_toml(self) -> str: ...
    def write(self, path: _Path) -> None: ...
    @property
    def name(self) -> str: ...
    def weight(self, feature: str, kind: _Kind) -> float: ...
    def weights(self, kind: _Kind) -> dict[str, float]: ...
    def with_weights(
        self, weights: Mapping[str, float], *, kind: _Kind | None = None, name: str | None = None
    ) -> Profile: ...
    def sentence(self, signal: str) -> str: ...
    def __hash__(self) -> int: ...

class Snapshot:
    root: str
    branch: str | None
    commit: str | None
    generation: int
    indexed_files: int
    skipped_files: int
    stale_files: int
    is_building: bool

class Reason:
    signal: str
    contribution: float
    text: str

class Hit:
    path: str
    lines: tuple[int, int]
    kind: str
    symbol: str | None
    language: str
    score: float
    band: Literal["high", "good", "possible", "weak"]
    reasons: tuple[Reason, ...]
    snippet: str | None
    snippet_lines: tuple[int, int] | None
    highlights: list[tuple[int, int]]
    representative_line: tuple[int, str] | None
    content_hash: str | None
    stale: bool

class SearchReply:
    query: str
    results: tuple[Hit, ...]
    total: int
    offset: int
    next: str | None
    evidence_used: str
    literal_lines: int
    literal_complete: bool
    warnings: list[str]
    snapshot: Snapshot
    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, at: int) -> Hit: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[Hit, ...]: ...
    def __iter__(self) -> Iterator[Hit]: ...
    def to_pandas(self) -> pandas.DataFrame: ...

class SearchReplies:
    results: tuple[SearchReply, ...]
    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, at: int) -> SearchReply: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[SearchReply, ...]: ...
    def __iter__(self) -> Iterator[SearchReply]: ...
    def to_pandas(self) -> pandas.DataFrame: ...

class Gap:
    signal: str
    own: float
    tenth: float

class WhyNot:
    path: str
    verdict: str
    text: str
    rank: int | None
    hit: Hit | None
    missing: tuple[Gap, ...]
    nearest: list[str]

class ContextLine:
    line: int
    text: str

class GrepLine:
    path: str
    line: int
    column: int
    text: str
    highlights: list[tuple[int, int]]
    cut: bool
    enclosing: str | None
    before: tuple[ContextLine, ...]
    after: tuple[ContextLine, ...]

class GrepReply:
    pattern: str
    results: tuple[GrepLine, ...]
    total_lines: int
    total_files: int
    incomplete: str | None
    next: str | None
    warnings: list[str]
    snapshot: Snapshot
    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, at: int) -> GrepLine: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[GrepLine, ...]: ...
    def __iter__(self) -> Iterator[GrepLine]: ...
    def to_pandas(self) -> pandas.DataFrame: ...

class FileRow:
    path: str
    language: str
    lines: int | None
    bytes: int
    matched: str
    highlights: list[tuple[int, int]]

class FilesReply:
    pattern: str
    results: tuple[FileRow, ...]
    total: int
    left_out: int
    offset: int
    next: str | None
    warnings: list[str]
    snapshot: Snapshot
    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, at: int) -> FileRow: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[FileRow, ...]: ...
    def __iter__(self) -> Iterator[FileRow]: ...
    def to_pandas(self) -> pandas.DataFrame: ...

class MapSymbol:
    name: str
    kind: str
    path: str
    lines: tuple[int, int]
    depth: int

class MapEntry:
    path: str
    is_dir: bool
    depth: int
    files: int
    lines: int
    languages: list[tuple[str, int]]
    symbols: tuple[MapSymbol, ...]
    total_symbols: int

class MapReply:
    path: str
    files: int
    lines: int
    symbols: int
    languages: list[tuple[str, int]]
    results: tuple[MapEntry, ...]
    complete: bool
    warnings: list[str]
    snapshot: Snapshot
    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, at: int) -> MapEntry: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[MapEntry, ...]: ...
    def __iter__(self) -> Iterator[MapEntry]: ...
    def to_pandas(self) -> pandas.DataFrame: ...

class Status:
    state: Literal["missing", "indexing", "ready", "stale", "damaged"]
    detail: str | None
    root: str
    index_path: str
    branch: str | None
    commit: str | None
    generation: int | None
    files: int
    chunks: int
    symbols: int
    source_bytes: int
    index_bytes: int
    languages: list[tuple[str, int]]
    skipped: list[tuple[str, int]]
    stale_files: int | None

class UpdateReport:
    generation: int
    added: int
    changed: int
    deleted: int
    renamed: int
    parsed: int
    bytes: int

class Progress:
    stage: Literal["wait", "scan", "text", "index", "commit", "queries"]
    done: int
    total: int
    bytes: int
    total_bytes: int
