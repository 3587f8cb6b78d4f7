// What all views share: the server's description, its events, and small values that outlive a visit.

import { useEffect, useState } from "preact/hooks";
import { get, watchConnection } from "./api";
import type { IndexState, ServerNews } from "./events";
import type { ServerInfo } from "./shown";

/** Names this tab for the server, which ends an older search when a newer one of the tab begins. */
export const TAB = Array.from(crypto.getRandomValues(new Uint32Array(2)), (n) => n.toString(36)).join("");

let info: ServerInfo | null = null;
const told = new Set<() => void>();

export async function loadServer(): Promise<void> {
    info = await get<ServerInfo>("server");
    for (const tell of told) tell();
}

export function server(): ServerInfo | null {
    return info;
}

export function useServer(): ServerInfo | null {
    const [value, set] = useState(info);
    useEffect(() => {
        const tell = () => set(info);
        told.add(tell);
        tell();
        return () => void told.delete(tell);
    }, []);
    return value;
}

let states = new Map<string, IndexState>();
let beat = 0;
let isLost = false;
const listeners = new Set<() => void>();

/** Takes in what the server tells all tabs. */
export function hear(news: ServerNews): void {
    // A server that ended may come back: asking it shows the banner, and ends it.
    if (isLost || news.kind === "lost") loadServer().catch(() => {});
    isLost = news.kind === "lost";
    if (news.kind === "lost") return;
    if (news.isChange) beat++;
    states = new Map(states).set(news.state.root, news.state);
    for (const listener of listeners) listener();
}

/** The states of the indexes, and a number that grows when one of them changed. */
export function useIndexes(): { states: Map<string, IndexState>; beat: number } {
    const [, draw] = useState(0);
    useEffect(() => {
        const listener = () => draw((n) => n + 1);
        listeners.add(listener);
        return () => void listeners.delete(listener);
    }, []);
    return { states, beat };
}

export function useConnection(): "ok" | "lost" | "refused" {
    const [state, set] = useState<"ok" | "lost" | "refused">("ok");
    useEffect(() => watchConnection(set), []);
    return state;
}

/** Whether a media query holds. */
export function useMedia(query: string): boolean {
    const [value, set] = useState(() => matchMedia(query).matches);
    useEffect(() => {
        const list = matchMedia(query);
        const listen = () => set(list.matches);
        list.addEventListener("change", listen);
        listen();
        return () => list.removeEventListener("change", listen);
    }, [query]);
    return value;
}

/** A choice that the browser keeps for this origin. */
export function useStored(name: string, initial: boolean): [boolean, (value: boolean) => void] {
    const [value, set] = useState(() => {
        try {
            return (localStorage.getItem(name) ?? String(initial)) === "true";
        } catch {
            return initial;
        }
    });
    return [value, (next) => {
        set(next);
        try {
            localStorage.setItem(name, String(next));
        } catch {
            // Without storage the choice lasts as long as the view.
        }
    }];
}

/** A reply that is asked again when its key changes. The old one stays until the new one is there. */
export interface Loaded<T> { data: T | null; error: unknown; isLoading: boolean; again: () => void }

export function useLoad<T>(key: string | null, ask: (signal: AbortSignal) => Promise<T>): Loaded<T> {
    const [state, set] = useState<{ key: string | null; data: T | null; error: unknown }>({ key: null, data: null, error: null });
    const [round, again] = useState(0);
    useEffect(() => {
        if (key === null) return;
        const stop = new AbortController();
        ask(stop.signal).then(
            (data) => !stop.signal.aborted && set({ key, data, error: null }),
            (error) => !stop.signal.aborted && set((old) => ({ key, data: old.key === key ? old.data : null, error })),
        );
        return () => stop.abort();
    }, [key, round]);
    return { data: state.data, error: state.key === key ? state.error : null, isLoading: key !== null && state.key !== key, again: () => again((n) => n + 1) };
}

/** Recent queries, kept by the browser for this origin only. */
export function recent(): string[] {
    try {
        const list: unknown = JSON.parse(localStorage.getItem("recent") ?? "[]");
        return Array.isArray(list) ? list.filter((one): one is string => typeof one === "string").slice(0, 8) : [];
    } catch {
        return [];
    }
}

export function remember(query: string): void {
    const text = query.trim();
    if (text === "") return;
    const list = [text, ...recent().filter((one) => one !== text)].slice(0, 8);
    try {
        localStorage.setItem("recent", JSON.stringify(list));
    } catch {
        // Without storage there is no list of recent queries.
    }
}

let sayTimer: ReturnType<typeof setTimeout> | undefined;
const toasts = new Set<(text: string) => void>();

/** Shows a short message at the bottom of the page. */
export function say(text: string): void {
    for (const toast of toasts) toast(text);
    clearTimeout(sayTimer);
    sayTimer = setTimeout(() => {
        for (const toast of toasts) toast("");
    }, 2500);
}

export function useToast(): string {
    const [text, set] = useState("");
    useEffect(() => {
        toasts.add(set);
        return () => void toasts.delete(set);
    }, []);
    return text;
}

export async function copy(text: string, what: string): Promise<void> {
    try {
        await navigator.clipboard.writeText(text);
        say(`${what} copied`);
    } catch {
        say(`The browser does not allow to copy: ${text}`);
    }
}
