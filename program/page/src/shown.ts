// The types of the views: those of the server's JSON, with the colours that the page adds to lines.

import type * as wire from "./wire";

export type Range = wire.Span;
/** A coloured range: start, end, class. */
export type Span = [number, number, string];
type Coloured<Line> = Line & { spans?: Span[] };

export type { EntriesReply, EvalCompare, EvalProfile, EvalQuery, EvalRuns, EvalSide, QueryWord, Timings, ViewsReply, WhyNot } from "./wire";
/** The further reasons of a list are one with a signal of its own. */
export type Reason = Omit<wire.Reason, "signal"> & { signal: string };
export type CodeLine = Coloured<wire.ContextLine>;
export type RankedHit = Coloured<Omit<wire.Hit, "head">> & { head?: CodeLine[] };
export type GrepHit = Coloured<Omit<wire.GrepLine, "before" | "after">> & { before: CodeLine[]; after: CodeLine[] };
export type FileHit = wire.FileRow;
export type SymbolHit = wire.SymbolRow;
export type GraphSymbol = wire.SymbolEnd;
export type GraphEnd = Partial<wire.SymbolEnd> & { module?: string; is_removed?: boolean };
export type GraphRow = Coloured<Omit<wire.GraphRow, "to">> & { to: GraphEnd };
export type GraphReply = Omit<wire.GraphReply, "results" | "paths"> & { results: GraphRow[]; paths: GraphRow[][] };
export type EntryPoint = wire.EntryRow;
export type StatusReply = wire.Status;

export type QueryInfo = wire.Query;
export type ModeName = wire.Mode;
export type ServerInfo = wire.Server;
export type CompleteReply = wire.Complete;
export type Completion = wire.Complete["items"][number];
export type FileReply = wire.FileView;
export type OutlineItem = wire.FileView["outline"][number];
export type DiffReply = wire.Diff;
export type DiffHunk = wire.Diff["hunks"][number];
export type DiffLine = DiffHunk["lines"][number];
export type FolderReply = wire.Folder;
export type CoverageReply = wire.Coverage;
export type CoverageNode = wire.CoverageNode;
export type LatencyReply = wire.Latencies;
export type LatencyKind = wire.Latencies["kinds"][number];
export type EvalRow = wire.EvalCompare["queries"][number];
export type EvalRerank = wire.EvalRerank & { reply: SearchReply };

/** The reply of a search, of any mode. */
export type SearchReply = Pick<wire.FilesReply, "next" | "snapshot" | "warnings" | "answering"> & {
    results: (RankedHit | GrepHit | FileHit | SymbolHit)[];
} & Partial<Omit<wire.SearchReply & wire.GrepReply & wire.FilesReply, "query" | "results" | "next" | "snapshot" | "warnings" | "answering">>;
