// The JSON of the server, as docs/http.md describes it.

export type Range = [number, number];
/** A coloured range: start, end, class. */
export type Span = [number, number, string];

export interface Reason { signal: string; share: number; text: string }
export interface SourceRef { name: string; kind?: string; url?: string; ref?: string; commit?: string }

export interface Snapshot {
    root: string;
    branch: string | null;
    commit: string | null;
    generation: number | null;
    checked_at: string | null;
    indexed_files: number;
    skipped_files: number;
    stale_files: number;
    building?: { files: number; of: number; text_only: number };
}

export interface CodeLine { line: number; text: string; spans?: Span[] }

export interface RankedHit {
    path: string; line: number; end_line: number; kind: string | null; symbol: string | null; language: string | null;
    head?: CodeLine[]; snippet: string; snippet_line: number; highlights: Range[]; spans?: Span[];
    score: number; band: string; reasons: Reason[]; stale: boolean; source?: SourceRef;
}

export interface Enclosing { kind: string; name: string; line: number; end_line: number }

export interface GrepHit {
    path: string; line: number; column: number; text: string; highlights: Range[]; spans?: Span[];
    enclosing: Enclosing | null; cut: boolean; before?: CodeLine[]; after?: CodeLine[]; source?: SourceRef;
}

export interface FileHit {
    path: string; language: string | null; lines: number | null; bytes: number; matched: string; highlights: Range[];
    source?: SourceRef;
}

export interface SymbolHit {
    path: string; line: number; end_line: number; kind: string; name: string; container: string | null;
    language: string | null; highlights: Range[]; source?: SourceRef;
}

/** A definition, as the code graph names it. */
export interface GraphSymbol { path: string; line: number; end_line: number; kind: string; symbol: string; language: string | null }
export interface GraphEnd { path?: string; line?: number; end_line?: number; kind?: string; symbol?: string; module?: string; is_removed?: boolean }

export interface GraphRow {
    relation: string; direction: string; depth: number; path: string; line: number; column: number; text: string; spans?: Span[];
    from: GraphSymbol | null; to: GraphEnd; confidence: number; rule: string; is_test: boolean;
}

export interface EntryPoint {
    sort: string; name: string; method?: string | null; route?: string; framework: string; path: string; line: number; column: number;
    handler: string | null; definition: GraphSymbol | null; handler_path: string | null; confidence: number; is_test: boolean;
}

export interface GraphReply {
    question: string; target: string; definitions: GraphSymbol[]; results: GraphRow[]; total: number; further_files: number;
    paths: GraphRow[][]; tests: { path: string; confidence: number; reason: string }[]; entries: EntryPoint[];
    complete: boolean; incomplete: string | null; snapshot: Snapshot; warnings: string[];
}

export interface EntriesReply { kind: string; results: EntryPoint[]; total: number; complete: boolean; incomplete: string | null }

export interface WhyNot {
    path: string; verdict: string; detail: string | null; rank: number | null; hit: RankedHit | null; missing: string[]; text: string;
}

export interface QueryWord { key: string; value: string; is_excluding: boolean; span: Range }
export interface QueryInfo { text: string; text_span: Range | null; is_fixed: boolean; words: QueryWord[]; root: string | null; view: string | null; in: string[] }
export type ModeName = "ranked" | "exact" | "files" | "symbols";

/** The reply of a search, of any mode. */
export interface SearchReply {
    results: (RankedHit | GrepHit | FileHit | SymbolHit)[];
    total?: number; total_lines?: number; total_files?: number; complete?: boolean; incomplete?: string | null;
    fallback_grep_hits?: number; left_out?: number; next: string | null; snapshot: Snapshot; warnings: string[]; answering?: number;
}

export interface Timings { parse_ms: number; engine_ms: number; colors_ms: number; total_ms: number }

export interface ServerRoot { name: string; path: string; state: string; branch: string | null }
export interface ServerInfo {
    version: string; api: number; roots: ServerRoot[]; can_open: boolean; editor: string | null; has_eval: boolean;
    modes: string[]; languages: string[]; kinds: string[];
}

export interface Completion { text: string; label: string; detail: string | null; sort: string }
export interface CompleteReply { span: Range; key: string | null; items: Completion[] }

export interface OutlineItem { name: string; kind: string; line: number; end_line: number; container: string | null; depth: number }
export interface FileReply {
    root: string; path: string; view: string | null; language: string | null; text: string; line: number; end_line: number;
    total_lines: number; next_lines: string | null; cut: number[]; bytes: number; spans: number[]; classes: string[];
    outline?: OutlineItem[]; snapshot: Snapshot; warnings: string[];
}

export interface DiffLine { op: "same" | "removed" | "added"; text: string; from_line: number | null; to_line: number | null }
export interface DiffHunk { from_line: number; from_count: number; to_line: number; to_count: number; lines: DiffLine[] }
export interface DiffReply {
    path: string; from: string | null; to: string | null; language: string | null; added: number; removed: number; hunks: DiffHunk[];
    is_missing_from: boolean; is_missing_to: boolean; warnings: string[];
}

export interface FolderEntry { name: string; path: string; is_dir: boolean; language: string | null; files: number | null; lines: number | null; bytes: number | null }
export interface FolderReply { path: string; entries: FolderEntry[]; snapshot: Snapshot }

export interface SkipCount { reason: string; count: number; bytes: number }
export interface CoverageNode {
    name: string; path: string | null; files: number; lines: number; bytes: number; skipped: SkipCount[];
    languages: { name: string; bytes: number }[]; children: CoverageNode[]; is_cut: boolean;
}
export interface CoverageReply { path: string; node: CoverageNode; reasons: SkipCount[]; is_whole: boolean; snapshot: Snapshot }

export interface LatencyKind { name: string; count: number; p50_ms: number; p95_ms: number; max_ms: number; buckets: { to_ms: number | null; count: number }[] }
export interface LatencyReply { since: string | number; kinds: LatencyKind[] }

export interface StatusReply {
    state: string; detail: string | null; index_path: string; root: string; branch: string | null; commit: string | null;
    generation: number | null; files: number; chunks: number; symbols: number; source_bytes: number; index_bytes: number;
    languages: { name: string; files: number }[]; skipped: { reason: string; files: number }[]; notes: { note: string; files: number }[];
    stale_files: number | null;
}
export interface ViewRow {
    root: string; head: string; committed: boolean; commit: string | null; current: boolean; staged: boolean; files: number; used: string;
    own_files: number; own_source_bytes: number; own_bytes: number;
}
export interface ViewsReply { index_path: string; index_bytes: number; views: ViewRow[] }

export interface EvalRun {
    name: string; profile: string | null; version: string | null; sets: string[]; k: number; queries: number; trees: number;
    ndcg: number; mrr: number; success_1: number;
}
export interface EvalRuns { runs: EvalRun[]; failed: { name: string; error: string }[] }
export interface EvalSide { ndcg: number; ranks: (number | null)[]; ms: number }
export interface EvalRow {
    set: string; tree: string; id: string; kind: string; query: string; a: EvalSide | null; b: EvalSide | null; difference: number | null;
}
export interface EvalCompare {
    a: string; b: string | null; k: number; mean: { a: number; b: number | null }; wins: number; losses: number; ties: number;
    kinds: { kind: string; queries: number; a: number; b: number | null }[]; queries: EvalRow[];
}
export interface EvalQuery {
    query: string; kind: string; targets: { path: string; line: number | null; end_line: number | null; grade: number }[];
    hits: { path: string; line: number; end_line: number; score: number; targets: number[] }[];
}
export interface EvalProfile { name: string; weights: { kind: string; feature: string; weight: number; sentence: string | null }[]; profiles: string[] }
export interface EvalRerank {
    reply: SearchReply; before: { path: string; line: number; rank: number; score: number }[];
    moves: { path: string; line: number; before: number | null; after: number | null }[];
}
