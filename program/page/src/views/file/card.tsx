// The card of a name: its definitions with their first lines, and its uses.

import { get, fileSpans } from "../../api";
import { Pieces, Shown } from "../../parts/code";
import { href, hrefIn, keyIn, within, type Route } from "../../route";
import { useLoad } from "../../state";
import { codeLines, count, nameOf, visible } from "../../text";
import type { FileReply, GraphReply, GraphSymbol } from "../../shown";
import { Kind } from "../search/row";

export interface CardPlace { name: string; line: number; column: number; left: number; top: number; bottom: number; isPinned: boolean }

/** How the code graph names a place. */
export function placeTarget(path: string, line: number, column: number): string {
    return `${path}:${line}:${column}`;
}

/** The state of the file view at a definition. */
export function defineState(symbol: GraphSymbol, route: Route): Partial<Route> {
    return within(route, { v: "file", path: symbol.path, line: String(symbol.line) });
}

export function askDefinition(path: string, line: number, column: number, route: Route, signal?: AbortSignal): Promise<GraphReply> {
    return get<GraphReply>("def", { target: placeTarget(path, line, column), view: route.view, root: route.root }, signal);
}

export function NameCard({ place, path, route, onLeave, onEnter }: {
    place: CardPlace; path: string; route: Route; onLeave: () => void; onEnter: () => void;
}) {
    const key = keyIn(route, placeTarget(path, place.line, place.column));
    const definition = useLoad(key, (signal) => askDefinition(path, place.line, place.column, route, signal));
    const refs = useLoad(key, (signal) => get<GraphReply>("refs", { target: placeTarget(path, place.line, place.column), max_results: 12, view: route.view, root: route.root }, signal));
    const named = definition.isLoading ? null : definition.data?.place ?? null;
    const candidates = named?.candidates ?? [];
    const first = definition.data?.definitions[0];
    const lines = useLoad(first ? keyIn(route, first.path, first.line, first.end_line) : null, (signal) => get<FileReply>("excerpt", {
        path: first!.path, lines: `${first!.line}-${Math.min(first!.end_line, first!.line + 5)}`, view: route.view, root: route.root,
    }, signal));
    const isBelow = place.top < 260;
    const style = {
        left: `max(8px, min(${place.left}px, 100% - 34rem))`,
        ...(isBelow ? { top: `${place.bottom + 4}px` } : { bottom: `calc(100% - ${place.top - 4}px)` }),
    };
    const definitions = definition.isLoading ? [] : definition.data?.definitions ?? [];
    const uses = refs.isLoading ? [] : refs.data?.results ?? [];
    return (
        <div class="card" role={place.isPinned ? "dialog" : "tooltip"} aria-label={visible(`Name ${place.name}`)} style={style} onMouseLeave={onLeave} onMouseEnter={onEnter}>
            <header><b><Shown text={place.name} /></b>{definition.isLoading && <span class="quiet"> …</span>}</header>
            {definition.error ? <p class="failed">{visible((definition.error as Error).message)}</p> : null}
            {!definition.isLoading && !definition.error && definitions.length === 0 && (
                <p class="quiet">{candidates.length > 0 ? "Unknown. The name may mean:" : named?.meaning === "unknown" ? "Unknown: the tree defines no such name." : "No definition in this tree."}</p>
            )}
            {[...definitions, ...candidates].slice(0, 4).map((symbol) => (
                <p class="def">{named?.meaning === "local" ? <span class="quiet">local variable</span> : <Kind kind={symbol.kind} />} <a href={href(defineState(symbol, route))}>{visible(symbol.symbol)}</a> <span class="quiet">{visible(nameOf(symbol.path))}:{symbol.line}</span></p>
            ))}
            {definitions.length + candidates.length > 4 && <p class="quiet">and {definitions.length + candidates.length - 4} more</p>}
            {lines.data && first && !definition.isLoading && (
                <pre>{codeLines(lines.data.text.replace(/\n$/, ""), fileSpans(lines.data)).map((pieces) => <code><Pieces pieces={pieces} />{"\n"}</code>)}</pre>
            )}
            {definitions.length > 0 && (
                <footer>
                    {refs.isLoading ? <span class="quiet">uses …</span> : (
                        <a class="link" title="All uses beside the text (r)" href={hrefIn(route, { v: "file", path, line: String(place.line), uses: `${place.line}:${place.column}` })}>
                            {refs.data?.complete === false ? "at least " : ""}{count(refs.data?.total ?? 0, "use")}
                        </a>
                    )}
                    <a href={hrefIn(route, { v: "graph", target: placeTarget(path, place.line, place.column) })}>Graph</a>
                </footer>
            )}
            {uses.length > 0 && (
                <ul class="uses">
                    {uses.slice(0, 5).map((use) => (
                        <li>
                            <a href={hrefIn(route, { v: "file", path: use.path, line: String(use.line) })}>{visible(nameOf(use.path))}:{use.line}</a>
                            <code><Shown text={use.text.trim().slice(0, 90)} /></code>
                        </li>
                    ))}
                </ul>
            )}
        </div>
    );
}
