// The search view: facets, results, and beside them why the selected hit is there.

import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { fileSpans, get, treeOf } from "../../api";
import { openInEditor } from "../../editor";
import { useKeys } from "../../keys";
import { VirtualList, type VirtualHandle } from "../../parts/virtual";
import { useWords, without } from "../../query";
import { change, go, keep, kept, useKept, within, type Route } from "../../route";
import { useSearch, type Found, type Search } from "../../search";
import { copy, remember, useIndexes, useMedia } from "../../state";
import { codeLines, visible } from "../../text";
import type { FileReply, GrepHit, RankedHit } from "../../shown";
import { Facets } from "./facets";
import { Home } from "./home";
import { Inspector } from "./inspector";
import { placeHref, placeRoute, placeState, RowView, type Actions } from "./row";
import { hitKey, HEIGHT, rowsOf, shownLines, type Context, type Rows } from "./rows";
import { EarlyLine, Status } from "./status";

const STEP = 8;

export function useResults(route: Route): Search {
    const { beat } = useIndexes();
    return useSearch(route, beat, () => document.querySelector(".results:hover, .results :focus") !== null);
}

export function SearchView({ route, search }: { route: Route; search: Search }) {
    const { found } = search;
    const title = <h1 class="sr">{route.q.trim() === "" ? "Search" : `Results of ${visible(route.q)}`}</h1>;
    if (!found) {
        if (search.error) return <>{title}<Status search={search} /></>;
        return route.q.trim() === "" && route.mode === "auto" ? <Home route={route} /> : <>{title}<Waiting search={search} route={route} /></>;
    }
    return <>{title}<Results route={route} search={search} found={found} /></>;
}

/** Whether a state has lasted for some time, so that a short one changes nothing on the screen. */
function useLasting(state: boolean, ms: number): boolean {
    const [lasts, setLasts] = useState(false);
    useEffect(() => {
        if (!state) {
            setLasts(false);
            return;
        }
        const timer = setTimeout(() => setLasts(true), ms);
        return () => clearTimeout(timer);
    }, [state, ms]);
    return state && lasts;
}

/** The first search: the line above the results stands where it stays, with the files that are known early. */
function Waiting({ search, route }: { search: Search; route: Route }) {
    return (
        <div class="search-view waiting">
            <EarlyLine files={search.early} route={route} />
            <Skeleton />
        </div>
    );
}

function Skeleton() {
    return (
        <div class="skeleton" role="status" aria-label="Searching">
            {[70, 45, 60, 35, 55].map((width) => <div style={{ width: `${width}%` }} />)}
        </div>
    );
}

function Results({ route, search, found }: { route: Route; search: Search; found: Found }) {
    const [selected, setSelected] = useState(() => kept().selected ?? -1);
    const [contexts, setContexts] = useState<Map<string, Context>>(new Map());
    const [reasons, setReasons] = useState<Set<string>>(new Set());
    const handle = useRef<VirtualHandle>(null);
    const isWide = useMedia("(min-width: 1180px)");
    const hasFacets = useMedia("(min-width: 1500px)");
    const rows = useMemo(() => rowsOf(found, contexts, reasons), [found, contexts, reasons]);
    const hits = found.reply.results;
    const shownKey = useRef(found.key);

    useEffect(() => {
        // Other results begin at their top, with nothing selected and nothing opened.
        if (shownKey.current !== found.key) {
            shownKey.current = found.key;
            setSelected(-1);
            // An empty map that is replaced would draw every row again.
            setContexts((old) => (old.size > 0 ? new Map() : old));
            setReasons((old) => (old.size > 0 ? new Set() : old));
            handle.current?.toTop();
        }
    }, [found.key]);

    useKept(() => ({ scroll: handle.current?.scroller?.scrollTop ?? 0, selected }));

    const focusHit = (hit: number, where: "near" | "middle" = "near") => {
        setSelected(hit);
        keep({ selected: hit });
        handle.current?.reveal(rows.rowOf[hit] ?? 0, where);
        requestAnimationFrame(() => document.getElementById(`hit-${hit}`)?.focus({ preventScroll: true }));
    };
    const move = (step: number) => {
        const at = rows.order.indexOf(selected);
        const next = at < 0 ? (step > 0 ? 0 : rows.order.length - 1) : Math.max(0, Math.min(rows.order.length - 1, at + step));
        if (rows.order.length > 0) focusHit(rows.order[next]!);
    };
    const moveFile = (step: number) => {
        const next = otherFile(rows, hits, selected, step);
        if (next !== null) focusHit(next);
    };
    const expand = (hit: number) => {
        void grown(found, hit, contexts.get(hitKey(hits[hit]!))).then((context) => {
            if (!context) return;
            const before = contexts.get(hitKey(hits[hit]!));
            const own = ownLines(found, hit);
            const added = (before?.first ?? own[0]) - context.first;
            setContexts((old) => new Map(old).set(hitKey(hits[hit]!), context));
            // What the reader looks at stays where it is: the list grows upwards above it.
            requestAnimationFrame(() => {
                if (handle.current?.scroller) handle.current.scroller.scrollTop += added * HEIGHT.line;
            });
        });
    };
    const why = (hit: number) => {
        setSelected(hit);
        if (isWide) return;
        const key = hitKey(hits[hit]!);
        setReasons((old) => {
            const next = new Set(old);
            if (!next.delete(key)) next.add(key);
            return next;
        });
    };
    const lineOf = (hit: number) => (hits[hit] as RankedHit | undefined)?.line ?? 1;
    const actions: Actions = {
        select: (hit) => setSelected(hit),
        expand,
        why,
        copyPath: (hit) => void copy(hits[hit]!.path, "Path"),
        open: (hit) => openInEditor(hits[hit]!.path, lineOf(hit), (hits[hit] as GrepHit).column ?? 1, placeRoute(found, hits[hit]!).root),
    };
    // One object for all renders, so that rows that do not change are not drawn again.
    const newest = useRef(actions);
    newest.current = actions;
    const act = useMemo((): Actions => ({
        select: (hit) => newest.current.select(hit), expand: (hit) => newest.current.expand(hit), why: (hit) => newest.current.why(hit),
        copyPath: (hit) => newest.current.copyPath(hit), open: (hit) => newest.current.open(hit),
    }), []);
    const chosen = selected >= 0 && selected < hits.length ? selected : -1;
    const withChosen = (run: (hit: number) => void) => () => chosen >= 0 && run(chosen);
    useKeys({
        "j": () => move(1), "ArrowDown": () => move(1), "k": () => move(-1), "ArrowUp": () => move(-1),
        "n": () => moveFile(1), "p": () => moveFile(-1), "N": () => moveFile(-1),
        "Enter": (event) => {
            const target = event.target as HTMLElement;
            if (target.matches("button, a:not([id^='hit-'])")) {
                target.click();
                return;
            }
            const hit = chosen >= 0 ? chosen : rows.order[0];
            if (hit === undefined) return;
            remember(route.q);
            setSelected(hit);
            followHit(found, hit);
        },
        "o": withChosen(act.open), "e": withChosen(expand), "w": withChosen(why), "c": withChosen(act.copyPath),
        "y": withChosen((hit) => void copy(location.origin + placeHref(found, hits[hit]!, lineOf(hit)), "Link")),
        "x": () => document.getElementById("why-not-file")?.focus(),
        "g d": withChosen((hit) => {
            const target = targetOf(found, hit);
            if (target) go(within(placeRoute(found, hits[hit]!), { v: "graph", target }));
        }),
        "r": () => search.showNews(),
        "Escape": () => setSelected(-1),
        "f": () => document.querySelector<HTMLElement>(".facets button")?.focus(),
    });

    const enter = useRef(focusHit);
    enter.current = focusHit;
    useEffect(() => {
        const listen = () => rows.order.length > 0 && enter.current(rows.order[0]!);
        addEventListener("enter-results", listen);
        return () => removeEventListener("enter-results", listen);
    }, [rows]);

    const drawRow = useCallback((i: number) => {
        const row = rows.rows[i]!;
        return (
            <RowView
                key={i}
                row={row}
                height={rows.heights[i]!}
                found={found}
                selected={row.hit === chosen && row.kind !== "file" && row.kind !== "space"}
                reasonsOpen={row.hit >= 0 && reasons.has(hitKey(hits[row.hit]!))}
                act={act}
            />
        );
    }, [rows, found, chosen, reasons]);
    const isEmpty = hits.length === 0;
    // Dimmed results are inactive: they belong to another query, and the next answer replaces them.
    const isOld = useLasting(search.isStale || search.error !== null, 100);
    return (
        <div class={`search-view${isWide ? " wide" : ""}${hasFacets ? " has-facets" : ""}`}>
            {hasFacets && <Facets found={found} q={route.q} onChange={(q) => change({ q })} />}
            <div class={`results${isOld ? " stale" : ""}`} role="group" aria-label="Results and their number" aria-disabled={isOld} aria-busy={search.isBusy} data-query={found.key} data-rows={hits.length} data-ms={found.state.timings?.total_ms}>
                <Status search={search} found={found} route={route} />
                {isEmpty && !search.isStale ? <Nothing found={found} route={route} /> : (
                    <VirtualList
                        heights={rows.heights}
                        label="Results"
                        role="region"
                        className={`list m-${found.state.mode}`}
                        handle={handle}
                        columns={rows.columns}
                        start={kept().scroll ?? 0}
                        onEnd={search.more}
                        onTop={(_, scroll) => scroll !== kept().scroll && keep({ scroll })}
                        row={drawRow}
                    />
                )}
            </div>
            {isWide && <Inspector found={found} hit={chosen >= 0 ? chosen : rows.order[0] ?? -1} />}
        </div>
    );
}

function followHit(found: Found, hit: number): void {
    const place = found.reply.results[hit] as RankedHit;
    go(placeState(found, place, place.line));
}

/** What the code graph calls the definition of a hit. */
export function targetOf(found: Found, hit: number): string | null {
    const row = found.reply.results[hit];
    if (!row) return null;
    if ("symbol" in row && row.symbol) return `${row.path}#${row.symbol}`;
    if ("name" in row) return `${row.path}#${row.container ? `${row.container}.` : ""}${row.name}`;
    if ("enclosing" in row && row.enclosing) return `${row.path}#${row.enclosing.name}`;
    return null;
}

function otherFile(rows: Rows, hits: { path: string }[], selected: number, step: number): number | null {
    const at = rows.order.indexOf(selected);
    if (at < 0) return rows.order[0] ?? null;
    const path = hits[rows.order[at]!]!.path;
    for (let i = at + step; i >= 0 && i < rows.order.length; i += step) {
        const hit = rows.order[i]!;
        if (hits[hit]!.path !== path) {
            const first = rows.order.find((one) => hits[one]!.path === hits[hit]!.path);
            return step < 0 ? first ?? hit : hit;
        }
    }
    return null;
}

/** The lines that a hit shows by itself. */
function ownLines(found: Found, hit: number): [number, number] {
    const row = found.reply.results[hit] as RankedHit & GrepHit;
    if (found.state.mode === "ranked") {
        return shownLines(row);
    }
    return [row.line, row.line];
}

/** The context of a hit with more lines on both sides. */
async function grown(found: Found, hit: number, old: Context | undefined): Promise<Context | null> {
    const { mode } = found.state;
    if (mode !== "ranked" && mode !== "exact") return null;
    const row = found.reply.results[hit] as RankedHit;
    const [first, last] = ownLines(found, hit);
    const above = (old?.above ?? 0) + STEP;
    const below = (old?.below ?? 0) + STEP;
    const from = Math.max(1, first - above);
    const reply = await get<FileReply>("excerpt", { path: row.path, lines: `${from}-${last + below}`, ...treeOf(found, row) });
    const lines = new Map<number, ReturnType<typeof codeLines>[number]>();
    codeLines(reply.text, fileSpans(reply)).forEach((pieces, i) => lines.set(from + i, pieces));
    return { above, below, lines, first: from, last: Math.min(last + below, reply.total_lines) };
}

function Nothing({ found, route }: { found: Found; route: Route }) {
    const other: [Route["mode"], string][] = ([["ranked", "by meaning"], ["exact", "as written"], ["files", "file names"], ["symbols", "definitions"]] as [Route["mode"], string][])
        .filter(([mode]) => mode !== found.state.mode);
    const words = useWords(route.q);
    const hasFilters = words.length > 0;
    return (
        <div class="empty">
            <h2>Nothing found</h2>
            <p>No {{ ranked: "place answers", exact: "line matches", files: "file has", symbols: "definition has" }[found.state.mode]} <q>{found.state.query?.text ?? route.q}</q>{hasFilters ? " with these filters" : ""}.</p>
            <p class="ways">
                {other.map(([mode, what]) => <button type="button" onClick={() => change({ mode })}>Search {what}</button>)}
                {hasFilters && <button type="button" onClick={() => change({ q: without(route.q, words) })}>Without filters</button>}
            </p>
        </div>
    );
}
