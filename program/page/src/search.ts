// The search of the page: one at a time, the newest one counts, finished ones are kept for back and forward.

import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { ApiError, get, isAbort, post, search, withTotals, type SearchState } from "./api";
import { learn } from "./query";
import { scopeOf, type Route } from "./route";
import { TAB } from "./state";
import { useSyntaxColors } from "./syntax";
import { byteIndex } from "./text";
import type { FileHit, ModeName, RankedHit, SearchReply, Span } from "./shown";

/** Results with their colours, of all pages that were asked. */
export interface Found {
    key: string;
    /** The state of the page that asked. */
    route: Route;
    state: SearchState;
    reply: SearchReply;
    colors: Span[][];
    /** What tells the first page, which may still count while further pages arrive. */
    source: AbortSignal;
}

export interface Search {
    found: Found | null;
    /** The results shown belong to an older query. */
    isStale: boolean;
    isBusy: boolean;
    error: ApiError | null;
    /** Files whose names match the newest query, which are there before its results. */
    early: FileHit[];
    /** New results for the same query wait, because the reader is at work in the list. */
    hasNews: boolean;
    more: () => void;
    showNews: () => void;
}

const KEPT = 30;
const cache = new Map<string, Found>();

function store(found: Found): void {
    cache.delete(found.key);
    cache.set(found.key, found);
    if (cache.size > KEPT) {
        cache.delete(cache.keys().next().value!);
    }
}

/** The words that the kept ranked results of a query mark, in lower case; `null` without such results. */
export function markedWords(q: string): Set<string> | null {
    const found = [...cache.values()].findLast((one) => one.route.q.trim() === q.trim() && one.state.mode === "ranked");
    if (!found) return null;
    const words = new Set<string>();
    for (const hit of found.reply.results as RankedHit[]) {
        const index = byteIndex(hit.snippet ?? "");
        for (const [from, to] of hit.highlights) words.add((hit.snippet ?? "").slice(index(from), index(to)).toLowerCase());
    }
    return words;
}

export function keyOf(route: Route): string {
    const { root, view } = scopeOf(route);
    return [route.mode, route.q.trim(), root, view].join("\n");
}

interface PageReply { mode: ModeName; reply: SearchReply; colors: Span[][] }

export function useSearch(route: Route, beat: number, isAtWork: () => boolean): Search {
    const { q, mode } = route;
    const key = keyOf(route);
    const scope = scopeOf(route);
    const [found, setFound] = useState<Found | null>(() => cache.get(key) ?? null);
    const [error, setError] = useState<{ key: string; error: ApiError } | null>(null);
    const [early, setEarly] = useState<{ key: string; files: FileHit[] } | null>(null);
    const [isBusy, setBusy] = useState(false);
    const [news, setNews] = useState<Found | null>(null);
    const [retry, setRetry] = useState(0);
    const loading = useRef(false);
    const seenBeat = useRef(beat);

    // The request goes out before the picture of the key press is drawn.
    useLayoutEffect(() => {
        const kept = cache.get(key);
        const isRefresh = seenBeat.current !== beat;
        seenBeat.current = beat;
        if (q.trim() === "" && mode === "auto") {
            setFound(null);
            setError(null);
            setBusy(false);
            learn("", [], null, null);
            return;
        }
        if (kept && !isRefresh && retry === 0) {
            setFound(kept);
            setError(null);
            setBusy(false);
            told(kept.route.q, kept.state);
            return;
        }
        const stop = new AbortController();
        setBusy(true);
        setNews(null);
        const show = (state: SearchState) => {
            if (stop.signal.aborted) return;
            told(q, state);
            if (state.partial) setEarly({ key, files: state.partial.results as FileHit[] });
            if (!state.reply) return;
            const shown = cache.get(key);
            const next: Found = shown?.source === stop.signal && shown.reply.results.length > state.reply.results.length
                ? { ...shown, state, reply: withTotals(shown.reply, state.reply) }
                : { key, route, state, reply: state.reply, colors: state.colors, source: stop.signal };
            store(next);
            setError(null);
            if (isRefresh && isAtWork()) setNews(next);
            else setFound(next);
        };
        search({ q, mode, ...scope, tab: TAB }, show, stop.signal).then(
            () => !stop.signal.aborted && setBusy(false),
            (failure: unknown) => {
                if (stop.signal.aborted || isAbort(failure)) return;
                setBusy(false);
                if (failure instanceof ApiError && failure.words) learn(q, failure.words, null, null);
                setError({ key, error: failure instanceof ApiError ? failure : new ApiError(0, "internal", String(failure)) });
            },
        );
        return () => stop.abort();
    }, [key, beat, retry]);

    // A server that was away, or an index that is not there yet: ask again after a while.
    useEffect(() => {
        const kind = error?.error.kind;
        if (kind !== "lost" && kind !== "no-index" && kind !== "busy") return;
        const timer = setTimeout(() => setRetry((n) => n + 1), 1500);
        return () => clearTimeout(timer);
    }, [error]);

    // The lines above a snippet come without colours: they are asked when the results rest.
    useEffect(() => {
        if (!found || found.key !== key || found.state.mode !== "ranked" || isBusy) return;
        const hits = found.reply.results as RankedHit[];
        const heads = hits.flatMap((hit) => (hit.head ?? []).filter((line) => !line.spans).map((line) => ({ line, language: hit.language }))).slice(0, 500);
        if (heads.length === 0) return;
        const stop = new AbortController();
        const timer = setTimeout(() => {
            const items = heads.map(({ line, language }) => ({ language, text: line.text }));
            post<{ items: Span[][] }>("highlight", { items }, stop.signal).then((reply) => {
                heads.forEach(({ line }, i) => {
                    line.spans = reply.items[i] ?? [];
                });
                const coloured = { ...found };
                store(coloured);
                setFound((now) => (now === found ? coloured : now));
            }, () => {});
        }, 250);
        return () => {
            clearTimeout(timer);
            stop.abort();
        };
    }, [found, key, isBusy]);

    useSyntaxColors(found, found?.key === key && !isBusy, (coloured) => {
        store(coloured);
        setFound((now) => (now === found ? coloured : now));
    });

    const more = useCallback(() => {
        if (loading.current || !found || found.key !== key || !found.reply.next) return;
        loading.current = true;
        const limit = found.state.mode === "ranked" ? 50 : 1000;
        // The first page counts the lines.
        get<PageReply>("search", { q, mode, ...scope, cursor: found.reply.next, limit, counts: false, tab: `${TAB}-more` }).then(
            (page) => {
                loading.current = false;
                const first = cache.get(key)?.source === found.source ? cache.get(key)! : found;
                const joined: Found = {
                    ...found,
                    state: first.state,
                    reply: withTotals({ ...page.reply, results: [...found.reply.results, ...page.reply.results] }, first.reply),
                    colors: [...padded(found.colors, found.reply.results.length), ...page.colors],
                };
                store(joined);
                setFound((now) => (now?.key === key ? joined : now));
            },
            () => {
                loading.current = false;
            },
        );
    }, [found, key]);

    // Results that are kept are there when their state is drawn first, so that the list does not begin with those of another one.
    const shown = found?.key === key ? found : cache.get(key) ?? found;
    return {
        found: shown,
        isStale: shown !== null && shown.key !== key,
        isBusy,
        error: error?.key === key ? error.error : null,
        early: early?.key === key ? early.files : [],
        hasNews: news?.key === key,
        more,
        showNews: () => {
            setFound(news);
            setNews(null);
        },
    };
}

function told(q: string, state: SearchState): void {
    if (state.query) learn(q, state.query.words, state.query, state.mode);
}

function padded(colors: Span[][], length: number): Span[][] {
    return colors.length >= length ? colors : [...colors, ...Array.from({ length: length - colors.length }, () => [])];
}
