// The rows of a list of results. Each row has a height that is known before it is drawn.

import { codeLines, type Piece } from "../../text";
import type { Found } from "../../search";
import type { FileHit, GrepHit, RankedHit, SymbolHit } from "../../shown";

export const HEIGHT = { file: 38, hit: 30, line: 20, gap: 9, space: 14, entry: 32, more: 40, why: 26, whyFrame: 78 };

/** Context that was asked for a hit: lines by number, and how many of them above and below. */
export interface Context { above: number; below: number; lines: Map<number, Piece[]>; first: number; last: number }

export type Row =
    | { kind: "file"; hit: number; path: string; hits: number }
    | { kind: "hit"; hit: number }
    | { kind: "line"; hit: number; path: string; line: number; pieces: Piece[]; isHit: boolean; isHead: boolean }
    | { kind: "gap"; hit: number }
    | { kind: "space"; hit: number }
    | { kind: "why"; hit: number }
    | { kind: "entry"; hit: number }
    | { kind: "more"; hit: number };

export interface Rows {
    rows: Row[];
    heights: number[];
    /** The hits in the order in which the list shows them. */
    order: number[];
    /** The row that stands for a hit. */
    rowOf: number[];
    /** The longest line, in characters. */
    columns: number;
}

export function hitKey(hit: { path: string; line?: number; source?: { name: string } | undefined }): string {
    return `${hit.source?.name ?? ""}\n${hit.path}\n${hit.line ?? 0}`;
}

const WINDOW = 10;

/** The lines of a snippet that are shown at first: the window with the most matches, the earliest of them. */
export function shownLines(hit: RankedHit): [number, number] {
    const [snippet, first] = [hit.snippet ?? "", hit.snippet_line ?? hit.line];
    const lines = snippet.split("\n");
    const last = first + lines.length - 1;
    if (lines.length <= WINDOW + 2) return [first, last];
    const marked = new Array<number>(lines.length).fill(0);
    codeLines(snippet, [], hit.highlights).forEach((pieces, i) => {
        marked[i] = new Set(pieces.filter((piece) => piece.hit).map((piece) => piece.text.toLowerCase())).size;
    });
    let best = 0;
    let most = -1;
    for (let start = 0; start + WINDOW <= lines.length; start++) {
        const sum = marked.slice(start, start + WINDOW).reduce((a, b) => a + b, 0) + (start === 0 ? 0.5 : 0);
        if (sum > most) {
            most = sum;
            best = start;
        }
    }
    return [first + best, first + best + WINDOW - 1];
}

class Builder {
    readonly out: Rows = { rows: [], heights: [], order: [], rowOf: [], columns: 0 };

    add(row: Row, height: number): void {
        this.out.rows.push(row);
        this.out.heights.push(height);
    }

    stand(hit: number): void {
        this.out.order.push(hit);
        this.out.rowOf[hit] = this.out.rows.length;
    }

    line(hit: number, path: string, line: number, pieces: Piece[], isHit: boolean, isHead = false): void {
        let length = 0;
        for (const piece of pieces) length += piece.text.length;
        this.out.columns = Math.max(this.out.columns, length);
        this.add({ kind: "line", hit, path, line, pieces, isHit, isHead }, HEIGHT.line);
    }
}

/** The hits of each file, files in the order of their first hit. */
function byFile<T extends { path: string; source?: { name: string } }>(hits: T[]): number[][] {
    const files = new Map<string, number[]>();
    hits.forEach((hit, i) => {
        const key = `${hit.source?.name ?? ""}\n${hit.path}`;
        const list = files.get(key);
        if (list) list.push(i);
        else files.set(key, [i]);
    });
    return [...files.values()];
}

function rankedRows(found: Found, contexts: Map<string, Context>, reasons: Set<string>): Rows {
    const hits = found.reply.results as RankedHit[];
    const builder = new Builder();
    for (const group of byFile(hits)) {
        const path = hits[group[0]!]!.path;
        builder.add({ kind: "file", hit: group[0]!, path, hits: group.length }, HEIGHT.file);
        for (const i of group) {
            const hit = hits[i]!;
            const key = hitKey(hit);
            builder.stand(i);
            builder.add({ kind: "hit", hit: i }, HEIGHT.hit);
            if (reasons.has(key)) {
                builder.add({ kind: "why", hit: i }, HEIGHT.whyFrame + HEIGHT.why * Math.min(hit.reasons.length, 9));
            }
            const context = contexts.get(key);
            const start = hit.snippet_line ?? hit.line;
            const lines = codeLines(hit.snippet ?? "", found.colors[i] ?? hit.spans ?? [], hit.highlights);
            const [from, to] = shownLines(hit);
            const first = context?.first ?? from;
            let before = 0;
            for (const head of hit.head ?? []) {
                if (head.line >= first) continue;
                if (before > 0 && head.line > before + 1) builder.add({ kind: "gap", hit: i }, HEIGHT.gap);
                builder.line(i, hit.path, head.line, codeLines(head.text, head.spans)[0]!, false, true);
                before = head.line;
            }
            // The window may begin below the first line of the definition, which says what the place is.
            const definition = lines[hit.line - start];
            if (definition && hit.line > before && hit.line < first) {
                if (before > 0 && hit.line > before + 1) builder.add({ kind: "gap", hit: i }, HEIGHT.gap);
                builder.line(i, hit.path, hit.line, definition, false, true);
                before = hit.line;
            }
            if (before > 0 && first > before + 1) builder.add({ kind: "gap", hit: i }, HEIGHT.gap);
            for (let line = first; line <= (context?.last ?? to); line++) {
                const own = lines[line - start];
                builder.line(i, hit.path, line, own ?? context?.lines.get(line) ?? [], own !== undefined);
            }
            builder.add({ kind: "space", hit: i }, HEIGHT.space);
        }
    }
    return builder.out;
}

const pieceCache = new WeakMap<GrepHit, { colors: unknown; pieces: Piece[] }>();

function grepPieces(hit: GrepHit, colors: Found["colors"][number] | undefined): Piece[] {
    const kept = pieceCache.get(hit);
    if (kept && kept.colors === colors) return kept.pieces;
    const pieces = codeLines(hit.text, colors ?? hit.spans ?? [], hit.highlights)[0]!;
    pieceCache.set(hit, { colors, pieces });
    return pieces;
}

function exactRows(found: Found, contexts: Map<string, Context>): Rows {
    const hits = found.reply.results as GrepHit[];
    const builder = new Builder();
    for (const group of byFile(hits)) {
        const path = hits[group[0]!]!.path;
        builder.add({ kind: "file", hit: group[0]!, path, hits: group.length }, HEIGHT.file);
        const own = new Map<number, number>();
        let isSparse = false;
        for (const i of group) {
            own.set(hits[i]!.line, i);
            isSparse ||= contexts.has(hitKey(hits[i]!));
        }
        let before = 0;
        for (const i of group) {
            const hit = hits[i]!;
            const context = contexts.get(hitKey(hit));
            const lines: [number, Piece[], number, boolean][] = [];
            for (let line = context?.first ?? hit.line; line <= (context?.last ?? hit.line); line++) {
                if (line <= before) continue;
                if (line === hit.line) lines.push([line, grepPieces(hit, found.colors[i]), i, true]);
                else if (!own.has(line)) lines.push([line, context!.lines.get(line) ?? [], i, false]);
                else if (line > hit.line) break;
            }
            for (const [line, pieces, owner, isHit] of lines) {
                if (isSparse && before > 0 && line > before + 1) builder.add({ kind: "gap", hit: i }, HEIGHT.gap);
                if (isHit) builder.stand(owner);
                builder.line(owner, path, line, pieces, isHit);
                before = line;
            }
        }
        builder.add({ kind: "space", hit: group[group.length - 1]! }, HEIGHT.space);
    }
    return builder.out;
}

function entryRows(hits: (FileHit | SymbolHit)[]): Rows {
    const builder = new Builder();
    hits.forEach((_, i) => {
        builder.stand(i);
        builder.add({ kind: "entry", hit: i }, HEIGHT.entry);
    });
    return builder.out;
}

export function rowsOf(found: Found, contexts: Map<string, Context>, reasons: Set<string>): Rows {
    const { mode } = found.state;
    const out = mode === "ranked" ? rankedRows(found, contexts, reasons)
        : mode === "exact" ? exactRows(found, contexts)
        : entryRows(found.reply.results as (FileHit | SymbolHit)[]);
    if (found.reply.next) {
        out.rows.push({ kind: "more", hit: -1 });
        out.heights.push(HEIGHT.more);
    }
    return out;
}
