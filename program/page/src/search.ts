// The search of the page: one at a time, the newest one counts, finished ones are kept for back and forward.

import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { ApiError, get, isAbort, post, search, type SearchState } from "./api";
import { TAB } from "./state";
import type { ModeName, RankedHit, SearchReply, Span } from "./wire";

/** Results with their colours, of all pages that were asked. */
export interface Found {
    key: string;
    state: SearchState;
    reply: SearchReply;
    colors: Span[][];
}

export interface Search {
    found: Found | null;
    /** The results shown belong to an older query. */
    isStale: boolean;
    isBusy: boolean;
    error: ApiError | null;
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

export function keyOf(q: string, mode: string): string {
    return `${mode}\n${q.trim()}`;
}

interface PageReply { mode: ModeName; reply: SearchReply; colors: Span[][] }

export function useSearch(q: string, mode: string, beat: number, isAtWork: () => boolean): Search {
    const key = keyOf(q, mode);
    const [found, setFound] = useState<Found | null>(() => cache.get(key) ?? null);
    const [error, setError] = useState<{ key: string; error: ApiError } | null>(null);
    const [isBusy, setBusy] = useState(false);
    const [news, setNews] = useState<Found | null>(null);
    const [retry, setRetry] = useState(0);
    const loading = useRef(false);
    const seenBeat = useRef(beat);

    useEffect(() => {
        const kept = cache.get(key);
        const isRefresh = seenBeat.current !== beat;
        seenBeat.current = beat;
        if (q.trim() === "" && mode === "auto") {
            setFound(null);
            setError(null);
            setBusy(false);
            return;
        }
        if (kept && !isRefresh && retry === 0) {
            setFound(kept);
            setError(null);
            setBusy(false);
            return;
        }
        const stop = new AbortController();
        setBusy(true);
        setNews(null);
        const show = (state: SearchState) => {
            if (!state.reply || stop.signal.aborted) return;
            const next: Found = { key, state, reply: state.reply, colors: state.colors };
            store(next);
            setError(null);
            if (isRefresh && isAtWork()) setNews(next);
            else setFound(next);
        };
        search({ q, mode, tab: TAB }, show, stop.signal).then(
            () => !stop.signal.aborted && setBusy(false),
            (failure: unknown) => {
                if (stop.signal.aborted || isAbort(failure)) return;
                setBusy(false);
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

    const more = useCallback(() => {
        if (loading.current || !found || found.key !== key || !found.reply.next) return;
        loading.current = true;
        const limit = found.state.mode === "ranked" ? 50 : 1000;
        get<PageReply>("search", { q, mode, cursor: found.reply.next, limit, tab: `${TAB}-more` }).then(
            (page) => {
                loading.current = false;
                const joined: Found = {
                    ...found,
                    reply: { ...page.reply, results: [...found.reply.results, ...page.reply.results] },
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

    return {
        found,
        isStale: found !== null && found.key !== key,
        isBusy,
        error: error?.key === key ? error.error : null,
        hasNews: news?.key === key,
        more,
        showNews: () => {
            setFound(news);
            setNews(null);
        },
    };
}

function padded(colors: Span[][], length: number): Span[][] {
    return colors.length >= length ? colors : [...colors, ...Array.from({ length: length - colors.length }, () => [])];
}
