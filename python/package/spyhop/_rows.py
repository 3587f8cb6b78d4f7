"""The rows of replies, by the schemas of docs/openapi.json. python/rows.py writes this file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional, Union

from ._row import Field, Reply, Row

if TYPE_CHECKING:
    from . import _results

__all__ = ["AffectedTest", "AppliesForm", "Building", "Check", "Checkup", "ContextLine", "DefinitionCode", "Enclosing",
    "EntriesReply", "EntryRow", "Explanation", "FileEdgeForm", "FileGraphReply", "FileNode", "FileRow", "FilesReply", "Gap",
    "GraphPlace", "GraphReply", "GraphRow", "GrepLine", "GrepReply", "Hit", "HitCallers", "KeptView", "LanguageCount",
    "LanguageRow", "Languages", "LeftOutPlace", "Lines", "LinkRow", "MapEntry", "MapReply", "MapSymbol", "MentionRow",
    "Mentions", "NoteCount", "NoteReason", "NoteRow", "NotesReply", "OverriddenRule", "PackBackup", "PackDiagnostics",
    "PackFile", "PackGoal", "PackLine", "PackPair", "PackRegion", "PackReply", "PackTrace", "PackUnit", "ReadReply",
    "Reason", "ReasonCount", "Retirement", "RowSource", "RuleForm", "SearchReply", "Sent", "SkippedReply", "SkippedRow",
    "Snapshot", "SourceSnapshot", "Status", "StructureCounts", "SymbolEnd", "SymbolRow", "SymbolsReply", "UnreadMentions",
    "VerificationForm", "ViewRow", "ViewsReply", "WhyNot"]


class AffectedTest(Row):
    """A test file that a change may affect."""

    confidence: Field[float] = Field()
    path: Field[str] = Field()
    reason: Field[str] = Field()
    source: Field[Optional[RowSource]] = Field("RowSource")


class AppliesForm(Row):
    """Where a note applies. An empty list means everywhere."""

    conditions: Field[list[str]] = Field()
    languages: Field[list[str]] = Field()
    paths: Field[list[str]] = Field()


class Building(Row):
    """The progress of a first update."""

    files: Field[int] = Field()
    of: Field[int] = Field()
    text_only: Field[int] = Field()


class Check(Row):
    """One check."""

    detail: Field[str] = Field()
    name: Field[str] = Field()
    state: Field[str] = Field()


class Checkup(Row):
    """How a `Checkup` is serialized."""

    checks: Field[tuple[Check, ...]] = Field("Check")
    clean: Field[bool] = Field()


class ContextLine(Row):
    """A line of context."""

    line: Field[int] = Field()
    text: Field[str] = Field()


class DefinitionCode(Row):
    """The code of a definition."""

    definition: Field[int] = Field()
    end_line: Field[int] = Field()
    line: Field[int] = Field()
    text: Field[str] = Field()


class Enclosing(Row):
    """The definition around a line."""

    end_line: Field[int] = Field()
    kind: Field[str] = Field()
    line: Field[int] = Field()
    name: Field[str] = Field()


class EntriesReply(Reply["EntryRow"]):
    """The routes or the commands of a tree."""

    answering: Field[Optional[int]] = Field()
    complete: Field[bool] = Field()
    filter: Field[str] = Field()
    incomplete: Field[Optional[str]] = Field()
    kind: Field[str] = Field()
    results: Field[tuple[EntryRow, ...]] = Field("EntryRow")
    snapshot: Field[_results.Snapshot] = Field("Snapshot")
    sources: Field[Optional[tuple[SourceSnapshot, ...]]] = Field("SourceSnapshot")
    total: Field[int] = Field()
    warnings: Field[list[str]] = Field()


class EntryRow(Row):
    """How an `EntryRow` is serialized: a route has `method` and `route`, a command has `sort` and `name`."""

    column: Field[int] = Field()
    confidence: Field[float] = Field()
    definition: Field[Optional[SymbolEnd]] = Field("SymbolEnd")
    depth: Field[Optional[int]] = Field()
    framework: Field[str] = Field()
    handler: Field[str] = Field()
    handler_path: Field[Optional[str]] = Field()
    is_test: Field[bool] = Field()
    line: Field[int] = Field()
    method: Field[Optional[str]] = Field()
    name: Field[Optional[str]] = Field()
    path: Field[str] = Field()
    route: Field[Optional[str]] = Field()
    sort: Field[Optional[str]] = Field()
    source: Field[Optional[RowSource]] = Field("RowSource")


class Explanation(Row):
    """How an `Explanation` is serialized."""

    at: Field[Optional[str]] = Field()
    detail: Field[Optional[str]] = Field()
    exceptions: Field[tuple[OverriddenRule, ...]] = Field("OverriddenRule")
    fate: Field[str] = Field()
    in_index: Field[Optional[bool]] = Field()
    is_dir: Field[Optional[bool]] = Field()
    path: Field[str] = Field()
    reason: Field[Optional[str]] = Field()
    remedy: Field[Optional[str]] = Field()
    rule: Field[Optional[RuleForm]] = Field("RuleForm")
    text: Field[str] = Field()
    tracked: Field[bool] = Field()


class FileEdgeForm(Row):
    """An import of one file by another."""

    from_: Field[str] = Field()
    line: Field[int] = Field()
    source: Field[Optional[str]] = Field()
    to: Field[str] = Field()


class FileGraphReply(Row):
    """How a `FileGraphReply` is serialized: edges and cycles have paths."""

    answering: Field[Optional[int]] = Field()
    complete: Field[bool] = Field()
    cycles: Field[list[list[str]]] = Field()
    edges: Field[tuple[FileEdgeForm, ...]] = Field("FileEdgeForm")
    files: Field[tuple[FileNode, ...]] = Field("FileNode")
    incomplete: Field[Optional[str]] = Field()
    question: Field[str] = Field()
    snapshot: Field[_results.Snapshot] = Field("Snapshot")
    sources: Field[Optional[tuple[SourceSnapshot, ...]]] = Field("SourceSnapshot")
    total: Field[int] = Field()
    warnings: Field[list[str]] = Field()


class FileNode(Row):
    """A file of the graph."""

    importers: Field[int] = Field()
    imports: Field[int] = Field()
    is_test: Field[bool] = Field()
    language: Field[str] = Field()
    path: Field[str] = Field()
    source: Field[Optional[RowSource]] = Field("RowSource")


class FileRow(Row):
    """A file found by name."""

    bytes: Field[int] = Field()
    highlights: Field[list[tuple[Any, Any]]] = Field()
    language: Field[str] = Field()
    lines: Field[Optional[int]] = Field()
    matched: Field[str] = Field()
    path: Field[str] = Field()
    source: Field[Optional[RowSource]] = Field("RowSource")


class FilesReply(Reply["_results.FileRow"]):
    """The files whose name matches."""

    answering: Field[Optional[int]] = Field()
    complete: Field[Optional[bool]] = Field()
    left_out: Field[int] = Field()
    next: Field[Optional[str]] = Field()
    pattern: Field[str] = Field()
    results: Field[tuple[_results.FileRow, ...]] = Field("FileRow")
    snapshot: Field[_results.Snapshot] = Field("Snapshot")
    sources: Field[Optional[tuple[SourceSnapshot, ...]]] = Field("SourceSnapshot")
    total: Field[int] = Field()
    warnings: Field[list[str]] = Field()


class Gap(Row):
    """A signal on which a file falls behind the tenth hit."""

    own: Field[float] = Field()
    signal: Field[str] = Field()
    tenth: Field[float] = Field()


class GraphPlace(Row):
    """The name at the place that a target names. The definition of a local variable is its declaration; else the reply has none."""

    candidates: Field[tuple[SymbolEnd, ...]] = Field("SymbolEnd")
    meaning: Field[str] = Field()
    name: Field[str] = Field()


class GraphReply(Reply["GraphRow"]):
    """The answer of the code graph."""

    answering: Field[Optional[int]] = Field()
    code: Field[tuple[DefinitionCode, ...]] = Field("DefinitionCode")
    complete: Field[bool] = Field()
    definitions: Field[tuple[SymbolEnd, ...]] = Field("SymbolEnd")
    entries: Field[tuple[EntryRow, ...]] = Field("EntryRow")
    further_files: Field[int] = Field()
    incomplete: Field[Optional[str]] = Field()
    mentions: Field[Optional[Mentions]] = Field("Mentions")
    notes: Field[Optional[tuple[NoteRow, ...]]] = Field("NoteRow")
    paths: Field[tuple[tuple[GraphRow, ...], ...]] = Field("GraphRow")
    place: Field[Optional[GraphPlace]] = Field("GraphPlace")
    question: Field[str] = Field()
    results: Field[tuple[GraphRow, ...]] = Field("GraphRow")
    snapshot: Field[_results.Snapshot] = Field("Snapshot")
    sources: Field[Optional[tuple[SourceSnapshot, ...]]] = Field("SourceSnapshot")
    target: Field[str] = Field()
    tests: Field[tuple[AffectedTest, ...]] = Field("AffectedTest")
    total: Field[int] = Field()
    warnings: Field[list[str]] = Field()


class GraphRow(Row):
    """An edge of the code graph, with the location in the source that shows the edge."""

    column: Field[int] = Field()
    confidence: Field[float] = Field()
    depth: Field[int] = Field()
    direction: Field[str] = Field()
    from_: Field[Optional[SymbolEnd]] = Field("SymbolEnd")
    is_possible: Field[bool] = Field()
    is_test: Field[bool] = Field()
    is_value: Field[bool] = Field()
    line: Field[int] = Field()
    path: Field[str] = Field()
    relation: Field[str] = Field()
    rule: Field[str] = Field()
    source: Field[Optional[RowSource]] = Field("RowSource")
    text: Field[str] = Field()
    to: Field[Union[SymbolEnd, dict[str, Any]]] = Field("SymbolEnd")


class GrepLine(Row):
    """A line that matches."""

    after: Field[tuple[ContextLine, ...]] = Field("ContextLine")
    before: Field[tuple[ContextLine, ...]] = Field("ContextLine")
    column: Field[int] = Field()
    cut: Field[bool] = Field()
    enclosing: Field[Optional[Enclosing]] = Field("Enclosing")
    highlights: Field[list[tuple[Any, Any]]] = Field()
    line: Field[int] = Field()
    path: Field[str] = Field()
    source: Field[Optional[RowSource]] = Field("RowSource")
    text: Field[str] = Field()


class GrepReply(Reply["_results.GrepLine"]):
    """The lines that match a pattern."""

    answering: Field[Optional[int]] = Field()
    complete: Field[bool] = Field()
    incomplete: Field[Optional[str]] = Field()
    next: Field[Optional[str]] = Field()
    pattern: Field[str] = Field()
    results: Field[tuple[_results.GrepLine, ...]] = Field("GrepLine")
    snapshot: Field[_results.Snapshot] = Field("Snapshot")
    sources: Field[Optional[tuple[SourceSnapshot, ...]]] = Field("SourceSnapshot")
    total_files: Field[int] = Field()
    total_lines: Field[int] = Field()
    warnings: Field[list[str]] = Field()


class Hit(Row):
    """How a `Hit` is serialized: the parts of its snippet are fields."""

    also_in: Field[Optional[list[str]]] = Field()
    band: Field[str] = Field()
    callers: Field[Optional[HitCallers]] = Field("HitCallers")
    end_line: Field[int] = Field()
    head: Field[Optional[tuple[ContextLine, ...]]] = Field("ContextLine")
    highlights: Field[list[tuple[Any, Any]]] = Field()
    kind: Field[str] = Field()
    language: Field[str] = Field()
    line: Field[int] = Field()
    page: Field[Optional[int]] = Field()
    path: Field[str] = Field()
    query_index: Field[Optional[int]] = Field()
    reasons: Field[tuple[_results.Reason, ...]] = Field("Reason")
    score: Field[float] = Field()
    sent_before: Field[Optional[Sent]] = Field("Sent")
    snippet: Field[Optional[str]] = Field()
    snippet_line: Field[Optional[int]] = Field()
    source: Field[Optional[RowSource]] = Field("RowSource")
    stale: Field[bool] = Field()
    symbol: Field[Optional[str]] = Field()


class HitCallers(Row):
    """Who calls the definition of a hit."""

    has_more: Field[bool] = Field()
    names: Field[list[str]] = Field()


class KeptView(Row):
    """How a `KeptView` is serialized."""

    commit: Field[Optional[str]] = Field()
    committed: Field[bool] = Field()
    current: Field[bool] = Field()
    files: Field[int] = Field()
    head: Field[str] = Field()
    own_bytes: Field[int] = Field()
    own_files: Field[int] = Field()
    own_source_bytes: Field[int] = Field()
    root: Field[str] = Field()
    staged: Field[bool] = Field()
    used: Field[str] = Field()


class LanguageCount(Row):
    """The number of files of a language."""

    files: Field[int] = Field()
    name: Field[str] = Field()


class LanguageRow(Row):
    """A language that this program parses."""

    extensions: Field[list[str]] = Field()
    files: Field[Optional[int]] = Field()
    name: Field[str] = Field()
    overridden: Field[bool] = Field()
    title: Field[str] = Field()


class Languages(Row):
    """The languages that this program parses."""

    languages: Field[tuple[LanguageRow, ...]] = Field("LanguageRow")


class LeftOutPlace(Row):
    """A place that a pack does not have."""

    end_line: Field[int] = Field()
    line: Field[int] = Field()
    path: Field[str] = Field()
    reason: Field[str] = Field()
    score: Field[float] = Field()
    sent_in_call: Field[Optional[int]] = Field()
    source: Field[Optional[RowSource]] = Field("RowSource")
    symbol: Field[Optional[str]] = Field()


class Lines(Row):
    """Lines `first..=last`, counted from 1."""

    end_line: Field[int] = Field()
    line: Field[int] = Field()


class LinkRow(Row):
    """A link of a note in the searched view."""

    path: Field[str] = Field()
    renamed_to: Field[Optional[str]] = Field()
    state: Field[str] = Field()
    symbol: Field[Optional[str]] = Field()


class MapEntry(Row):
    """A folder or a file of a map."""

    depth: Field[int] = Field()
    files: Field[int] = Field()
    is_dir: Field[bool] = Field()
    languages: Field[tuple[LanguageCount, ...]] = Field("LanguageCount")
    lines: Field[int] = Field()
    path: Field[str] = Field()
    source: Field[Optional[RowSource]] = Field("RowSource")
    symbols: Field[tuple[_results.MapSymbol, ...]] = Field("MapSymbol")
    total_symbols: Field[int] = Field()


class MapReply(Reply["_results.MapEntry"]):
    """The outline of a tree, of a folder or of a file."""

    _rows = "entries"
    answering: Field[Optional[int]] = Field()
    complete: Field[bool] = Field()
    entries: Field[tuple[_results.MapEntry, ...]] = Field("MapEntry")
    files: Field[int] = Field()
    languages: Field[tuple[LanguageCount, ...]] = Field("LanguageCount")
    lines: Field[int] = Field()
    path: Field[str] = Field()
    snapshot: Field[_results.Snapshot] = Field("Snapshot")
    sources: Field[Optional[tuple[SourceSnapshot, ...]]] = Field("SourceSnapshot")
    symbols: Field[int] = Field()
    warnings: Field[list[str]] = Field()


class MapSymbol(Row):
    """A symbol of a map."""

    depth: Field[int] = Field()
    end_line: Field[int] = Field()
    kind: Field[str] = Field()
    line: Field[int] = Field()
    name: Field[str] = Field()
    path: Field[str] = Field()


class MentionRow(Row):
    """A mention of a name."""

    column: Field[int] = Field()
    confidence: Field[float] = Field()
    from_: Field[Optional[SymbolEnd]] = Field("SymbolEnd")
    line: Field[int] = Field()
    part: Field[str] = Field()
    path: Field[str] = Field()
    reason: Field[Optional[str]] = Field()
    relation: Field[str] = Field()
    source: Field[Optional[RowSource]] = Field("RowSource")
    text: Field[str] = Field()
    to: Field[Optional[SymbolEnd]] = Field("SymbolEnd")


class Mentions(Row):
    """Every occurrence of the names of the symbols that were asked about, as whole words, in the indexed files that the filter of
    the request takes: what `rg -w NAME` finds there. `definitions`, `resolved`, `possible`, `other`, `comments_and_strings` and
    `not_read` add up to `total`."""

    comments_and_strings: Field[int] = Field()
    definitions: Field[int] = Field()
    names: Field[list[str]] = Field()
    not_read: Field[int] = Field()
    other: Field[int] = Field()
    possible: Field[int] = Field()
    resolved: Field[int] = Field()
    rows: Field[tuple[MentionRow, ...]] = Field("MentionRow")
    total: Field[int] = Field()
    uncounted_files: Field[int] = Field()
    unread: Field[tuple[UnreadMentions, ...]] = Field("UnreadMentions")


class NoteCount(Row):
    """The number of files with a note."""

    files: Field[int] = Field()
    note: Field[str] = Field()


class NoteReason(Row):
    """A part of the evidence, with a sentence."""

    signal: Field[str] = Field()
    text: Field[str] = Field()
    weight: Field[float] = Field()


class NoteRow(Row):
    """How a `NoteRow` is serialized."""

    applies: Field[AppliesForm] = Field("AppliesForm")
    author: Field[Optional[str]] = Field()
    commit: Field[Optional[str]] = Field()
    diff: Field[Optional[str]] = Field()
    id: Field[str] = Field()
    kind: Field[str] = Field()
    links: Field[tuple[LinkRow, ...]] = Field("LinkRow")
    reasons: Field[Optional[tuple[NoteReason, ...]]] = Field("NoteReason")
    retired: Field[Optional[Retirement]] = Field("Retirement")
    score: Field[Optional[float]] = Field()
    signals: Field[list[str]] = Field()
    source: Field[Optional[RowSource]] = Field("RowSource")
    stale: Field[bool] = Field()
    text: Field[str] = Field()
    time: Field[str] = Field()
    untrusted: Field[bool] = Field()
    verification: Field[VerificationForm] = Field("VerificationForm")
    warnings: Field[list[str]] = Field()


class NotesReply(Reply["NoteRow"]):
    """Notes."""

    results: Field[tuple[NoteRow, ...]] = Field("NoteRow")
    total: Field[int] = Field()
    warnings: Field[list[str]] = Field()


class OverriddenRule(Row):
    """How an `Exception` is serialized."""

    by: Field[str] = Field()
    over: Field[str] = Field()
    path: Field[str] = Field()
    reason: Field[str] = Field()
    rule: Field[Optional[RuleForm]] = Field("RuleForm")


class PackBackup(Row):
    """The backup: one file outside of the primary region."""

    kept: Field[bool] = Field()
    neighbor: Field[Optional[str]] = Field()
    path: Field[str] = Field()
    trace: Field[Optional[str]] = Field()


class PackDiagnostics(Row):
    """What the stages of a pack did."""

    backup: Field[Optional[PackBackup]] = Field("PackBackup")
    candidates: Field[int] = Field()
    edges: Field[int] = Field()
    pairs: Field[tuple[PackPair, ...]] = Field("PackPair")
    probes: Field[list[int]] = Field()
    regions: Field[tuple[PackRegion, ...]] = Field("PackRegion")


class PackFile(Row):
    """A file of a pack."""

    backup: Field[bool] = Field()
    imports: Field[tuple[PackLine, ...]] = Field("PackLine")
    language: Field[str] = Field()
    path: Field[str] = Field()
    reason: Field[str] = Field()
    score: Field[float] = Field()
    source: Field[Optional[RowSource]] = Field("RowSource")
    units: Field[tuple[_results.PackUnit, ...]] = Field("PackUnit")


class PackGoal(Row):
    """A part of a task that was searched by itself."""

    object: Field[str] = Field()
    qualifiers: Field[list[str]] = Field()
    region: Field[int] = Field()
    text: Field[str] = Field()
    verb: Field[Optional[str]] = Field()


class PackLine(Row):
    """A line of a file."""

    line: Field[int] = Field()
    text: Field[str] = Field()


class PackPair(Row):
    """Two goals that were compared."""

    first: Field[int] = Field()
    merged: Field[bool] = Field()
    nearness: Field[float] = Field()
    reason: Field[str] = Field()
    second: Field[int] = Field()


class PackRegion(Row):
    """A region of the tree, and the goals about it."""

    files: Field[list[str]] = Field()
    goals: Field[list[int]] = Field()
    mass: Field[float] = Field()


class PackReply(Reply["PackFile"]):
    """How a `PackReply` is serialized."""

    answering: Field[Optional[int]] = Field()
    budget: Field[int] = Field()
    goals: Field[tuple[PackGoal, ...]] = Field("PackGoal")
    left_out: Field[tuple[LeftOutPlace, ...]] = Field("LeftOutPlace")
    next: Field[Optional[str]] = Field()
    notes: Field[tuple[NoteRow, ...]] = Field("NoteRow")
    pack_mode: Field[str] = Field()
    pack_mode_reason: Field[str] = Field()
    record: Field[Optional[PackDiagnostics]] = Field("PackDiagnostics")
    results: Field[tuple[PackFile, ...]] = Field("PackFile")
    snapshot: Field[_results.Snapshot] = Field("Snapshot")
    sources: Field[Optional[tuple[SourceSnapshot, ...]]] = Field("SourceSnapshot")
    tokens: Field[int] = Field()
    warnings: Field[list[str]] = Field()


class PackTrace(Row):
    """An edge of one step from or to a unit."""

    confidence: Field[float] = Field()
    line: Field[int] = Field()
    outgoing: Field[bool] = Field()
    path: Field[str] = Field()
    relation: Field[str] = Field()
    symbol: Field[Optional[str]] = Field()


class PackUnit(Row):
    """A function, type or other item of a file, or a part of a long one."""

    enclosing: Field[Optional[str]] = Field()
    enclosing_line: Field[Optional[int]] = Field()
    end_line: Field[int] = Field()
    goals: Field[list[int]] = Field()
    kind: Field[str] = Field()
    line: Field[int] = Field()
    part_of: Field[Optional[Lines]] = Field("Lines")
    reason: Field[str] = Field()
    reasons: Field[Optional[tuple[_results.Reason, ...]]] = Field("Reason")
    score: Field[float] = Field()
    symbol: Field[Optional[str]] = Field()
    text: Field[Optional[str]] = Field()
    traces: Field[tuple[PackTrace, ...]] = Field("PackTrace")


class ReadReply(Row):
    """How a `ReadReply` is serialized: with the fields of a text, or with `choices`."""

    choices: Field[tuple[_results.SymbolRow, ...]] = Field("SymbolRow")
    cut: Field[list[int]] = Field()
    end_line: Field[Optional[int]] = Field()
    language: Field[Optional[str]] = Field()
    line: Field[Optional[int]] = Field()
    next_lines: Field[Optional[str]] = Field()
    path: Field[Optional[str]] = Field()
    snapshot: Field[_results.Snapshot] = Field("Snapshot")
    source: Field[Optional[RowSource]] = Field("RowSource")
    symbol: Field[Optional[_results.SymbolRow]] = Field("SymbolRow")
    text: Field[Optional[str]] = Field()
    total_lines: Field[Optional[int]] = Field()
    warnings: Field[list[str]] = Field()


class Reason(Row):
    """A contribution of a signal to a score."""

    share: Field[float] = Field()
    signal: Field[str] = Field()
    text: Field[str] = Field()


class ReasonCount(Row):
    """The number of files and folders that are skipped for a reason."""

    files: Field[int] = Field()
    reason: Field[str] = Field()


class Retirement(Row):
    """Why a note is no longer shown."""

    reason: Field[str] = Field()
    time: Field[str] = Field()


class RowSource(Row):
    """The source of a row in JSON."""

    commit: Field[Optional[str]] = Field()
    imported_at: Field[Optional[str]] = Field()
    kind: Field[Optional[str]] = Field()
    name: Field[str] = Field()
    ref: Field[Optional[str]] = Field()
    url: Field[Optional[str]] = Field()


class RuleForm(Row):
    """A line of an ignore file, or a built-in rule with its evidence, as replies serialize it."""

    evidence: Field[Optional[str]] = Field()
    file: Field[Optional[str]] = Field()
    kind: Field[str] = Field()
    line: Field[Optional[int]] = Field()
    pattern: Field[str] = Field()


class SearchReply(Reply["_results.Hit"]):
    """The answer to a search."""

    answering: Field[Optional[int]] = Field()
    backend: Field[str] = Field()
    complete: Field[bool] = Field()
    fallback_grep_hits: Field[int] = Field()
    next: Field[Optional[str]] = Field()
    notes: Field[Optional[tuple[NoteRow, ...]]] = Field("NoteRow")
    queries: Field[Optional[list[str]]] = Field()
    query: Field[str] = Field()
    results: Field[tuple[_results.Hit, ...]] = Field("Hit")
    snapshot: Field[_results.Snapshot] = Field("Snapshot")
    sources: Field[Optional[tuple[SourceSnapshot, ...]]] = Field("SourceSnapshot")
    total: Field[int] = Field()
    warnings: Field[list[str]] = Field()


class Sent(Row):
    """The earlier reply that had the text of a hit."""

    call: Field[int] = Field()
    query: Field[str] = Field()
    result: Field[int] = Field()


class SkippedReply(Reply["SkippedRow"]):
    """The files of a view that are not indexed or only partly indexed."""

    _rows = "entries"
    counts: Field[tuple[ReasonCount, ...]] = Field("ReasonCount")
    entries: Field[tuple[SkippedRow, ...]] = Field("SkippedRow")
    warnings: Field[Optional[list[str]]] = Field()


class SkippedRow(Row):
    """A file of a view that is not indexed or only partly indexed. The fields of the `Skipped` are those of the row."""

    detail: Field[str] = Field()
    is_dir: Field[bool] = Field()
    path: Field[str] = Field()
    reason: Field[str] = Field()
    source: Field[Optional[RowSource]] = Field("RowSource")


class Snapshot(Row):
    """Where an answer comes from."""

    branch: Field[Optional[str]] = Field()
    building: Field[Optional[Building]] = Field("Building")
    checked_at: Field[Optional[str]] = Field()
    commit: Field[Optional[str]] = Field()
    generation: Field[int] = Field()
    indexed_files: Field[int] = Field()
    root: Field[str] = Field()
    skipped_files: Field[int] = Field()
    stale_files: Field[int] = Field()


class SourceSnapshot(Row):
    """Where the rows of one source come from."""

    commit: Field[Optional[str]] = Field()
    imported_at: Field[Optional[str]] = Field()
    kind: Field[Optional[str]] = Field()
    name: Field[str] = Field()
    ref: Field[Optional[str]] = Field()
    snapshot: Field[_results.Snapshot] = Field("Snapshot")
    url: Field[Optional[str]] = Field()


class Status(Row):
    """The state of an index, with counts."""

    branch: Field[Optional[str]] = Field()
    building: Field[Optional[Building]] = Field("Building")
    chunks: Field[int] = Field()
    commit: Field[Optional[str]] = Field()
    detail: Field[Optional[str]] = Field()
    files: Field[int] = Field()
    generation: Field[Optional[int]] = Field()
    grammar_faults: Field[Optional[list[str]]] = Field()
    index_bytes: Field[int] = Field()
    index_path: Field[str] = Field()
    languages: Field[tuple[LanguageCount, ...]] = Field("LanguageCount")
    notes: Field[tuple[NoteCount, ...]] = Field("NoteCount")
    root: Field[str] = Field()
    skipped: Field[tuple[ReasonCount, ...]] = Field("ReasonCount")
    source_bytes: Field[int] = Field()
    stale_files: Field[Optional[int]] = Field()
    state: Field[str] = Field()
    structure: Field[StructureCounts] = Field("StructureCounts")
    symbols: Field[int] = Field()
    vectors: Field[Optional[str]] = Field()
    views: Field[tuple[ViewRow, ...]] = Field("ViewRow")
    watcher: Field[Optional[int]] = Field()


class StructureCounts(Row):
    """The number of indexed files whose structure is known in each way. Each indexed file counts once."""

    by_rule: Field[int] = Field()
    parsed: Field[int] = Field()
    path_only: Field[int] = Field()
    text_only: Field[int] = Field()


class SymbolEnd(Row):
    """A definition at the end of an edge of the code graph, as replies serialize it."""

    by_rule: Field[Optional[bool]] = Field()
    end_line: Field[int] = Field()
    kind: Field[str] = Field()
    language: Field[str] = Field()
    line: Field[int] = Field()
    path: Field[str] = Field()
    source: Field[Optional[RowSource]] = Field("RowSource")
    symbol: Field[str] = Field()


class SymbolRow(Row):
    """A definition found by name."""

    by_rule: Field[Optional[bool]] = Field()
    container: Field[Optional[str]] = Field()
    end_line: Field[int] = Field()
    highlights: Field[list[tuple[Any, Any]]] = Field()
    kind: Field[str] = Field()
    language: Field[str] = Field()
    line: Field[int] = Field()
    name: Field[str] = Field()
    path: Field[str] = Field()
    source: Field[Optional[RowSource]] = Field("RowSource")


class SymbolsReply(Reply["_results.SymbolRow"]):
    """The definitions whose name matches."""

    answering: Field[Optional[int]] = Field()
    complete: Field[Optional[bool]] = Field()
    next: Field[Optional[str]] = Field()
    pattern: Field[str] = Field()
    results: Field[tuple[_results.SymbolRow, ...]] = Field("SymbolRow")
    snapshot: Field[_results.Snapshot] = Field("Snapshot")
    sources: Field[Optional[tuple[SourceSnapshot, ...]]] = Field("SourceSnapshot")
    total: Field[int] = Field()
    warnings: Field[list[str]] = Field()


class UnreadMentions(Row):
    """The files with mentions that were not read as code, for one reason."""

    files: Field[int] = Field()
    mentions: Field[int] = Field()
    paths: Field[list[str]] = Field()
    reason: Field[str] = Field()
    source: Field[Optional[RowSource]] = Field("RowSource")


class VerificationForm(Row):
    """How sure a note is."""

    by: Field[Optional[str]] = Field()
    reference: Field[Optional[str]] = Field()
    state: Field[str] = Field()


class ViewRow(Row):
    """A view of an index."""

    committed: Field[Optional[bool]] = Field()
    files: Field[int] = Field()
    head: Field[str] = Field()
    root: Field[str] = Field()
    staged: Field[Optional[bool]] = Field()
    used: Field[str] = Field()


class ViewsReply(Row):
    """The views of an index, with sizes."""

    home: Field[Optional[str]] = Field()
    home_bytes: Field[Optional[int]] = Field()
    index_bytes: Field[int] = Field()
    index_path: Field[str] = Field()
    views: Field[tuple[KeptView, ...]] = Field("KeptView")


class WhyNot(Row):
    """Why a file has its rank for a query, or has none."""

    detail: Field[Optional[str]] = Field()
    hit: Field[Optional[_results.Hit]] = Field("Hit")
    missing: Field[tuple[Gap, ...]] = Field("Gap")
    nearest: Field[Optional[list[str]]] = Field()
    path: Field[str] = Field()
    rank: Field[Optional[int]] = Field()
    source: Field[Optional[RowSource]] = Field("RowSource")
    structure: Field[StructureCounts] = Field("StructureCounts")
    text: Field[str] = Field()
    verdict: Field[str] = Field()
