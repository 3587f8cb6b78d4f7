// The colours of excerpts by the syntax trees of their files. A list comes with the colours of a lexer, which cost nothing.

import { useEffect } from "preact/hooks";
import { fileSpans, get, treeOf } from "./api";
import type { Found } from "./search";
import type { FileReply, RankedHit, Span } from "./shown";

/** The hits of a list whose files are parsed, from the first on. */
const MOST_PARSED = 10;
/** The milliseconds that a list must rest before its files are parsed. */
const REST = 300;

/** What is known of hits: their colours, or null if the file has another text by now. */
const known = new WeakMap<RankedHit, Span[] | null>();

async function parsed(found: Found, hit: RankedHit, signal: AbortSignal): Promise<Span[] | null> {
    if (hit.snippet === null || hit.snippet_line === null) return null;
    const text = hit.snippet.replace(/\n$/, "");
    const last = hit.snippet_line + text.split("\n").length - 1;
    const reply = await get<FileReply>("excerpt", { path: hit.path, lines: `${hit.snippet_line}-${last}`, ...treeOf(found, hit) }, signal);
    return reply.text === text ? fileSpans(reply) : null;
}

/** Asks for the colours of the first hits, once the list rests, and shows them all at once. */
export function useSyntaxColors(found: Found | null, isResting: boolean, show: (coloured: Found) => void): void {
    useEffect(() => {
        if (!found || !isResting || found.state.mode !== "ranked") return;
        const hits = (found.reply.results as RankedHit[]).slice(0, MOST_PARSED);
        const unknown = hits.filter((hit) => !known.has(hit));
        if (unknown.length === 0) return;
        const stop = new AbortController();
        const timer = setTimeout(async () => {
            try {
                for (const hit of unknown) known.set(hit, await parsed(found, hit, stop.signal));
            } catch {
                // A server that is away, or a file that is gone: the lexer's colours stay.
                return;
            }
            if (stop.signal.aborted) return;
            show({ ...found, colors: found.reply.results.map((_, i) => known.get(hits[i]!) ?? found.colors[i] ?? []) });
        }, REST);
        return () => {
            clearTimeout(timer);
            stop.abort();
        };
    }, [found, isResting]);
}
