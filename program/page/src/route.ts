// Every state of the page is an address: `/?q=retry&mode=exact`, `/?v=file&path=src/lib.rs&line=5`.

import { useEffect, useRef, useState } from "preact/hooks";

export type Mode = "auto" | "ranked" | "exact" | "files" | "symbols";
export const MODES: Mode[] = ["auto", "ranked", "exact", "files", "symbols"];
export type ViewName = "search" | "file" | "graph" | "health" | "eval";
const VIEWS: ViewName[] = ["search", "file", "graph", "health", "eval"];

export interface Route {
    v: ViewName;
    q: string;
    mode: Mode;
    /** Further parameters of the view. */
    [key: string]: string;
}

export function parse(search: string): Route {
    const given = new URLSearchParams(search);
    const route: Record<string, string> = {};
    for (const [key, value] of given) {
        route[key] = value;
    }
    const v = VIEWS.find((name) => name === route.v) ?? "search";
    const mode = MODES.find((name) => name === route.mode) ?? "auto";
    return { ...route, v, mode, q: route.q ?? "" };
}

/** The address of a state, without defaults and empty values. */
export function href(route: Partial<Route>): string {
    const params = new URLSearchParams();
    for (const key of Object.keys(route)) {
        const value = route[key];
        const isDefault = (key === "v" && value === "search") || (key === "mode" && value === "auto");
        if (value !== undefined && value !== "" && !isDefault) {
            params.set(key, value);
        }
    }
    const text = params.toString().replace(/%2F/g, "/").replace(/%3A/g, ":").replace(/%2C/g, ",");
    return text === "" ? "/" : `/?${text}`;
}

/** A state with the query, the tree and the view of another one, where `values` has no others. */
export function within(route: Partial<Route>, values: Partial<Route>): Partial<Route> {
    return { q: route.q ?? "", mode: route.mode ?? "auto", view: route.view ?? "", root: route.root ?? "", all: route.all ?? "", ...values };
}

/** The address of a state with the query, the tree and the view of another one. Every link of a view is made here. */
export function hrefIn(route: Partial<Route>, values: Partial<Route>): string {
    return href(within(route, values));
}

/** The key of a reply about the tree and the view of a state. */
export function keyIn(route: Partial<Route>, ...parts: (string | number)[]): string {
    return [route.root ?? "", route.view ?? "", ...parts].join("\n");
}

/** The tree and the view that a search asks. */
export function scopeOf(route: Partial<Route>): { root: string; view: string } {
    return route.all === "1" ? { root: "*", view: "" } : { root: route.root ?? "", view: route.view ?? "" };
}

type Listener = (route: Route) => void;
const listeners = new Set<Listener>();
let current = parse(location.search);

function publish(): void {
    for (const listener of listeners) {
        listener(current);
    }
}

addEventListener("popstate", () => {
    clearTimeout(waiting);
    waiting = undefined;
    unwritten = {};
    current = parse(location.search);
    publish();
});

export function route(): Route {
    return current;
}

/** What a view keeps in its entry of the history, such as the scroll position. */
export interface Kept { scroll?: number; selected?: number }

let waiting: ReturnType<typeof setTimeout> | undefined;
let unwritten: Kept = {};
let reader: (() => Kept) | null = null;

/** Writes the present state into its entry of the history. Browsers limit how often that may happen, so changes wait a moment. */
function write(): void {
    clearTimeout(waiting);
    waiting = undefined;
    history.replaceState({ ...kept(), ...unwritten }, "", href(current));
    unwritten = {};
}

function soon(): void {
    clearTimeout(waiting);
    waiting = setTimeout(write, 200);
}

export function flush(): void {
    if (waiting !== undefined) write();
}

addEventListener("pagehide", flush);

export function keep(values: Kept): void {
    unwritten = { ...unwritten, ...values };
    soon();
}

export function kept(): Kept {
    return (history.state as Kept | null) ?? {};
}

/** Before another entry begins, `read` tells what the present one keeps. */
export function useKept(read: () => Kept): void {
    const latest = useRef(read);
    latest.current = read;
    useEffect(() => {
        const own = () => latest.current();
        reader = own;
        return () => {
            if (reader === own) reader = null;
        };
    }, []);
}

/** Goes to a state: a new entry of the history, or the present one changed. */
export function go(next: Partial<Route>, replace = false): void {
    const address = href(next);
    const isReplacing = replace || address === href(current);
    if (!isReplacing) {
        unwritten = { ...unwritten, ...reader?.() };
        write();
    }
    current = parse(address.slice(1));
    if (isReplacing) {
        soon();
    } else {
        history.pushState({}, "", address);
    }
    publish();
}

/** Changes some values of the present state. */
export function change(values: Record<string, string>, replace = false): void {
    go({ ...current, ...values }, replace);
}

export function useRoute(): Route {
    const [value, set] = useState(current);
    useEffect(() => {
        const listener: Listener = (next) => set(next);
        listeners.add(listener);
        listener(current);
        return () => void listeners.delete(listener);
    }, []);
    return value;
}

/** Follows links of the page without loading it again; leaves clicks for new tabs alone. */
export function followLinks(event: MouseEvent): void {
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) {
        return;
    }
    const link = (event.target as Element | null)?.closest?.("a");
    if (!link || link.target !== "" || link.hasAttribute("download")) {
        return;
    }
    const url = new URL(link.href, location.href);
    if (url.origin === location.origin && url.pathname === "/" && url.hash === "") {
        event.preventDefault();
        go(parse(url.search));
    }
}
