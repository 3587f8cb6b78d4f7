// One row of a list of results.

import type { ComponentChildren } from "preact";
import { treeOf, type PlaceOfHit } from "../../api";
import { Pieces, Shown } from "../../parts/code";
import { Reasons } from "../../parts/reasons";
import { href, within, type Route } from "../../route";
import { bytes, codeLines, count, folderOf, nameOf, number, visible } from "../../text";
import type { Found } from "../../search";
import type { FileHit, GrepHit, Range, RankedHit, SymbolHit } from "../../shown";
import type { Row } from "./rows";

export interface Actions {
    select: (hit: number) => void;
    expand: (hit: number) => void;
    why: (hit: number) => void;
    copyPath: (hit: number) => void;
    open: (hit: number) => void;
}

/** The query of the results, in the tree and the view that a result comes from. */
export function placeRoute(found: Found, place: PlaceOfHit): Partial<Route> {
    return within(found.route, treeOf(found, place));
}

/** The state of the file view at a place. */
export function placeState(found: Found, place: PlaceOfHit, line?: number): Partial<Route> {
    return within(placeRoute(found, place), { v: "file", path: place.path, line: line ? String(line) : "" });
}

export function placeHref(found: Found, place: PlaceOfHit, line?: number): string {
    return href(placeState(found, place, line));
}

/** A path whose folder is quieter than its name, with its matches. */
export function PathText({ path, highlights }: { path: string; highlights?: Range[] }) {
    const folder = folderOf(path);
    if (highlights && highlights.length > 0) {
        const pieces = codeLines(path, [], highlights)[0]!;
        let at = 0;
        const parts: ComponentChildren[] = [];
        for (const piece of pieces) {
            const cut = Math.max(0, Math.min(piece.text.length, folder.length - at));
            for (const [text, isName] of [[piece.text.slice(0, cut), false], [piece.text.slice(cut), true]] as const) {
                if (text === "") continue;
                const inner = piece.hit ? <mark><Shown text={text} /></mark> : <Shown text={text} />;
                parts.push(isName ? <b>{inner}</b> : inner);
            }
            at += piece.text.length;
        }
        return <span class="path">{parts}</span>;
    }
    return <span class="path"><span class="folder"><Shown text={folder} /></span><b><Shown text={nameOf(path)} /></b></span>;
}

export function Kind({ kind }: { kind: string | null }) {
    return kind ? <span class={`kind k-${kind.replace(/[^a-z]/g, "")}`}>{kind}</span> : null;
}

export function Band({ score, band }: { score: number; band: string }) {
    return (
        <span class={`band b-${band}`} title={`score ${(score * 100).toFixed(1)} of 100`}>
            <span class="meter" aria-hidden="true"><span style={{ width: `${Math.round(score * 100)}%` }} /></span>
            <span class="value">{Math.round(score * 100)}</span>
            <span class="word">{band === "possible" ? "" : band}</span>
        </span>
    );
}

export function RowView({ row, found, selected, reasonsOpen, act, height }: {
    row: Row; found: Found; selected: boolean; reasonsOpen: boolean; act: Actions; height: number;
}) {
    const style = { height: `${height}px` };
    const on = selected ? " on" : "";
    const results = found.reply.results;
    switch (row.kind) {
        case "file": {
            const hit = results[row.hit] as RankedHit | GrepHit;
            const what = found.state.mode === "exact" ? "line" : "place";
            return (
                <h2 class="row file" style={style}>
                    <a href={placeHref(found, hit)}><PathText path={row.path} /></a>
                    {hit.source && <span class="source"><Shown text={hit.source.name} /></span>}
                    {"stale" in hit && hit.stale && <span class="tag warn" title="The file has changed since it was indexed">changed</span>}
                    <span class="quiet">{count(row.hits, what)}</span>
                </h2>
            );
        }
        case "hit": {
            const hit = results[row.hit] as RankedHit;
            return (
                <div class={`row hit${on}`} style={style} onMouseDown={() => act.select(row.hit)}>
                    <a
                        class="title"
                        id={`hit-${row.hit}`}
                        href={placeHref(found, hit, hit.line)}
                        onFocus={() => act.select(row.hit)}
                    >
                        <Kind kind={hit.kind} />
                        <span class="symbol">{hit.symbol ? <Shown text={hit.symbol} /> : `lines ${hit.line} to ${hit.end_line}`}</span>
                        <span class="sr">, {visible(hit.path)} line {hit.line}</span>
                    </a>
                    <span class="quiet place">{hit.line}–{hit.end_line}</span>
                    <span class="tools">
                        <button type="button" onClick={() => act.expand(row.hit)} title="More lines around the hit (e)">Expand</button>
                        <button type="button" onClick={() => act.copyPath(row.hit)} title="Copy the path (c)">Copy</button>
                        <button type="button" onClick={() => act.open(row.hit)} title="Open in the editor (o)">Open</button>
                    </span>
                    <button type="button" class="why" aria-expanded={reasonsOpen} title="Reasons (w)" onClick={() => act.why(row.hit)}>
                        <span class="sr">Reasons, score </span>
                        <Band score={hit.score} band={hit.band} />
                    </button>
                </div>
            );
        }
        case "why": {
            const hit = results[row.hit] as RankedHit;
            return (
                <div class={`row whybox${on}`} style={style}>
                    <Reasons reasons={hit.reasons} score={hit.score} band={hit.band} />
                </div>
            );
        }
        case "line": {
            const isAnchor = found.state.mode === "exact" && row.isHit;
            const place = { path: row.path, source: results[row.hit]?.source };
            return (
                <a
                    class={`row line${on}${row.isHead ? " head" : ""}${row.isHit || row.isHead ? "" : " context"}`}
                    style={style}
                    id={isAnchor ? `hit-${row.hit}` : undefined}
                    tabIndex={isAnchor ? 0 : -1}
                    href={placeHref(found, place, row.line)}
                    onFocus={isAnchor ? () => act.select(row.hit) : undefined}
                >
                    <span class="no">{row.line}</span>
                    <code><Pieces pieces={row.pieces} /></code>
                </a>
            );
        }
        case "entry":
            return found.state.mode === "files"
                ? <FileEntry hit={results[row.hit] as FileHit} at={row.hit} found={found} on={on} height={height} act={act} />
                : <SymbolEntry hit={results[row.hit] as SymbolHit} at={row.hit} found={found} on={on} height={height} act={act} />;
        case "gap":
            return <div class={`row gap${on}`} style={style} aria-hidden="true" />;
        case "space":
            return <div class="row space" style={style} aria-hidden="true" />;
        case "more":
            return <div class="row loading" style={style} role="status">More results are being read …</div>;
    }
}

function FileEntry({ hit, at, found, on, height, act }: { hit: FileHit; at: number; found: Found; on: string; height: number; act: Actions }) {
    return (
        <a class={`row entry${on}`} id={`hit-${at}`} style={{ height: `${height}px` }} href={placeHref(found, hit)} onFocus={() => act.select(at)}>
            <PathText path={hit.path} highlights={hit.highlights} />
            {hit.source && <span class="source"><Shown text={hit.source.name} /></span>}
            <span class="quiet">{hit.lines === null ? "path only" : `${number(hit.lines)} lines`}</span>
            <span class="quiet size">{bytes(hit.bytes)}</span>
        </a>
    );
}

function SymbolEntry({ hit, at, found, on, height, act }: { hit: SymbolHit; at: number; found: Found; on: string; height: number; act: Actions }) {
    return (
        <a class={`row entry${on}`} id={`hit-${at}`} style={{ height: `${height}px` }} href={placeHref(found, hit, hit.line)} onFocus={() => act.select(at)}>
            <Kind kind={hit.kind} />
            <span class="symbol">
                {hit.container && <span class="folder"><Shown text={hit.container} />.</span>}
                <b><Pieces pieces={codeLines(hit.name, [], hit.highlights)[0]!} /></b>
            </span>
            {hit.source && <span class="source"><Shown text={hit.source.name} /></span>}
            <span class="quiet where"><Shown text={hit.path} />:{hit.line}</span>
        </a>
    );
}
