// The filters of a query. The server parses the text. The page keeps what the server said of the newest query, and edits the
// text by the spans of its words.

import { useEffect, useState } from "preact/hooks";
import { byteIndex } from "./text";
import type { ModeName, QueryInfo, QueryWord } from "./shown";

/** A filter in the text of a query. */
export interface Word {
    start: number;
    end: number;
    key: string;
    value: string;
    isExcluding: boolean;
}

/** What the server said of a query. */
export interface ParsedQuery { q: string; words: Word[]; text: string | null; isFixed: boolean; mode: ModeName | null }

export const KEYS: Record<string, string> = {
    lang: "language, such as lang:rust,go",
    kind: "kind of definition, such as kind:fn",
    path: "folder or file, such as path:src/",
    glob: "glob of paths, such as glob:*.rs",
    exclude: "part of a path that must not occur; -word is short for it",
    in: "tree or source of the library, such as in:docs",
    view: "branch, commit or worktree, such as view:main",
};

let newest: ParsedQuery = { q: "", words: [], text: null, isFixed: false, mode: null };
const listeners = new Set<() => void>();

/** Keeps what the server said of a query; without `info`, the query has a fault. */
export function learn(q: string, words: QueryWord[], info: QueryInfo | null, mode: ModeName | null): void {
    const index = byteIndex(q);
    const own = words.map((word) => ({
        start: index(word.span[0]), end: index(word.span[1]), key: word.key, value: word.value, isExcluding: word.is_excluding,
    }));
    const next = { q, words: own, text: info?.text ?? null, isFixed: info?.is_fixed ?? false, mode };
    if (JSON.stringify(next) === JSON.stringify(newest)) return;
    newest = next;
    for (const listener of listeners) listener();
}

function useNewest(): ParsedQuery {
    const [, draw] = useState(0);
    useEffect(() => {
        const listener = () => draw((n) => n + 1);
        listeners.add(listener);
        listener();
        return () => void listeners.delete(listener);
    }, []);
    return newest;
}

/** The filters of a query. Until the server has answered, they are those of the query before, moved along with the edit. */
export function useWords(q: string): Word[] {
    return moved(useNewest(), q);
}

/** What the server said of a query, once it has answered. */
export function useParsed(q: string): ParsedQuery | null {
    const parsed = useNewest();
    return parsed.q.trim() === q.trim() ? parsed : null;
}

function moved(old: ParsedQuery, q: string): Word[] {
    if (old.q === q) return old.words;
    const most = Math.min(old.q.length, q.length);
    let before = 0;
    while (before < most && old.q[before] === q[before]) before++;
    let behind = 0;
    while (behind < most - before && old.q[old.q.length - 1 - behind] === q[q.length - 1 - behind]) behind++;
    const end = old.q.length - behind;
    const shift = q.length - old.q.length;
    const words: Word[] = [];
    for (const word of old.words) {
        if (word.end < before || (word.end === before && (q[before] ?? " ") === " ")) words.push(word);
        else if (word.start >= end) words.push({ ...word, start: word.start + shift, end: word.end + shift });
        else if (word.start < before && word.end >= end) {
            // The word in which a person types stays a word until the server says more.
            const value = q.slice(word.start, word.end + shift).replace(/^-?([a-z]+:)?"?/, "").replace(/"$/, "");
            words.push({ ...word, end: word.end + shift, value });
        }
    }
    return words;
}

/** The query without some of its words. */
export function without(q: string, words: Word[]): string {
    let text = q;
    for (const word of [...words].sort((a, b) => b.start - a.start)) {
        text = `${text.slice(0, word.start)}${text.slice(word.end).replace(/^ /, "")}`;
    }
    return text.trim();
}

/** The values of a filter; only some keys take several. */
function valuesOf(word: Word): string[] {
    return ["lang", "kind", "in", "exclude"].includes(word.key) ? word.value.split(",") : [word.value];
}

export function hasFilter(words: Word[], key: string, value: string): Word | undefined {
    return words.find((word) => word.key === key && !word.isExcluding && valuesOf(word).includes(value));
}

function written(key: string, value: string): string {
    return /\s/.test(value) ? `${key}:"${value}"` : `${key}:${value}`;
}

/** The query with a filter added, or removed if it was there. */
export function toggle(q: string, words: Word[], key: string, value: string): string {
    const there = hasFilter(words, key, value);
    if (there) {
        const rest = valuesOf(there).filter((one) => one !== value);
        if (rest.length === 0) return without(q, [there]);
        return `${q.slice(0, there.start)}${written(key, rest.join(","))}${q.slice(there.end)}`;
    }
    const same = key === "lang" || key === "kind" ? words.find((word) => word.key === key && !word.isExcluding && word.value !== "") : undefined;
    if (same) return `${q.slice(0, same.end)},${value}${q.slice(same.end)}`;
    const added = written(key, value);
    return q.trim() === "" ? `${added} ` : `${q.trimEnd()} ${added}`;
}
