// The calls of the HTTP interface. Every request of the page leaves through this file.

import { byteIndex } from "./text";
import type { CoverageReply, FileReply, QueryInfo, QueryWord, SearchReply, Span, Timings, ModeName, Range } from "./shown";

const BASE = "/api/v1/";

export class ApiError extends Error {
    constructor(
        readonly status: number,
        readonly kind: string,
        message: string,
        readonly span: Range | null = null,
        readonly word: string | null = null,
        readonly choices: string[] = [],
        readonly words: QueryWord[] | null = null,
    ) {
        super(message);
    }
}

type Value = string | number | boolean | null | undefined;
export type Params = Record<string, Value | Value[]>;

function address(path: string, params: Params): string {
    const search = new URLSearchParams();
    for (const [key, value] of Object.entries(params)) {
        for (const one of Array.isArray(value) ? value : [value]) {
            if (one !== undefined && one !== null && one !== "") {
                search.append(key, String(one));
            }
        }
    }
    const text = search.toString();
    return `${BASE}${path}${text ? `?${text}` : ""}`;
}

export function isAbort(error: unknown): boolean {
    return error instanceof DOMException && error.name === "AbortError";
}

interface ErrorBody { error?: string; kind?: string; status?: number; span?: Range; word?: string; choices?: string[]; words?: QueryWord[] }

function errorOf(status: number, body: ErrorBody | null): ApiError {
    const message = body?.error ?? `the server answered with status ${status}`;
    return new ApiError(status, body?.kind ?? "internal", message, body?.span ?? null, body?.word ?? null, body?.choices ?? [], body?.words ?? null);
}

/** Whether the server answers; views show a banner while it does not. */
type Connection = "ok" | "lost" | "refused";
let connection: Connection = "ok";
const watchers = new Set<(state: Connection) => void>();

function report(state: Connection): void {
    if (state !== connection) {
        connection = state;
        for (const watcher of watchers) watcher(state);
    }
}

export function watchConnection(watcher: (state: Connection) => void): () => void {
    watchers.add(watcher);
    watcher(connection);
    return () => void watchers.delete(watcher);
}

async function send(path: string, params: Params, init: RequestInit): Promise<Response> {
    let response: Response;
    try {
        response = await fetch(address(path, params), { credentials: "same-origin", cache: "no-store", ...init });
    } catch (error) {
        if (!isAbort(error)) {
            report("lost");
            throw new ApiError(0, "lost", "The server does not answer. Is spyhop serve still running?");
        }
        throw error;
    }
    if (response.status === 401) {
        report("refused");
    } else {
        report("ok");
    }
    if (!response.ok) {
        let body: ErrorBody | null = null;
        try {
            body = (await response.json()) as ErrorBody;
        } catch {
            // An answer without JSON has its status only.
        }
        throw errorOf(response.status, body);
    }
    return response;
}

export async function get<T>(path: string, params: Params = {}, signal?: AbortSignal): Promise<T> {
    const response = await send(path, params, { signal: signal ?? null });
    return (await response.json()) as T;
}

export async function post<T>(path: string, body: unknown, signal?: AbortSignal): Promise<T> {
    const response = await send(path, {}, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
        signal: signal ?? null,
    });
    return (await response.json()) as T;
}

export interface SearchParams {
    q: string; mode: string; limit?: number; cursor?: string | null; root?: string; view?: string; tab: string;
}

/** What a search has told so far. */
export interface SearchState {
    mode: ModeName;
    isAutomatic: boolean;
    whyMode: string | null;
    query: QueryInfo | null;
    reply: SearchReply | null;
    /** The files by name that come before the results, also when they arrive together with the results. */
    partial: SearchReply | null;
    colors: Span[][];
    note: string | null;
    timings: Timings | null;
}

interface EventData extends ErrorBody {
    mode?: ModeName; is_automatic?: boolean; why_mode?: string; query?: QueryInfo; reply?: SearchReply; note?: string | null;
    colors?: Span[][]; timings?: Timings; total_lines?: number; total_files?: number; complete?: boolean; incomplete?: string | null;
}

/** Asks a search as a stream; `tell` gets the state after each part that changes it, at first without results. */
export async function search(params: SearchParams, tell: (state: SearchState) => void, signal: AbortSignal): Promise<SearchState> {
    const response = await send("search", { ...params }, { headers: { accept: "text/event-stream" }, signal });
    let state: SearchState = {
        mode: "ranked", isAutomatic: true, whyMode: null, query: null, reply: null, partial: null, colors: [], note: null, timings: null,
    };
    // Results and their colours arrive one after the other, mostly within a millisecond: they are told as one.
    let timer: ReturnType<typeof setTimeout> | undefined;
    try {
        for await (const batch of events(response)) {
            for (const { name, data } of batch) {
                state = applied(state, name, data as EventData);
            }
            if (!state.reply) tell(state);
            else if (timer === undefined) timer = setTimeout(() => {
                timer = undefined;
                tell(state);
            }, 8);
        }
    } finally {
        clearTimeout(timer);
    }
    tell(state);
    return state;
}

function applied(state: SearchState, name: string, data: EventData): SearchState {
    switch (name) {
        case "query":
            return { ...state, mode: data.mode!, isAutomatic: data.is_automatic!, whyMode: data.why_mode ?? null, query: data.query! };
        case "partial":
            return { ...state, partial: data.reply! };
        case "results":
            return { ...state, mode: data.mode!, reply: data.reply!, note: data.note ?? null };
        case "colors":
            return { ...state, colors: data.colors! };
        case "counts":
            return { ...state, reply: withTotals(state.reply!, data) };
        case "done":
            return { ...state, timings: data.timings! };
        case "failed":
            throw errorOf(data.status ?? 400, data);
        case "superseded":
            throw new DOMException("a newer search of this tab", "AbortError");
        default:
            return state;
    }
}

/** A reply with the totals of another one. */
export function withTotals(reply: SearchReply, { total_lines, total_files, complete, incomplete }: Partial<SearchReply>): SearchReply {
    return { ...reply, ...(total_lines === undefined ? {} : { total_lines, total_files, complete, incomplete }) } as SearchReply;
}

interface ServerEvent { name: string; data: unknown }

/** The events of a stream, those that arrived together as one batch. */
async function* events(response: Response): AsyncGenerator<ServerEvent[]> {
    const reader = response.body!.getReader();
    const decoder = new TextDecoder();
    let rest = "";
    for (;;) {
        const { done, value } = await reader.read();
        rest += done ? decoder.decode() : decoder.decode(value, { stream: true });
        const batch: ServerEvent[] = [];
        for (let end = rest.indexOf("\n\n"); end >= 0; end = rest.indexOf("\n\n")) {
            const event = parsed(rest.slice(0, end));
            rest = rest.slice(end + 2);
            if (event) batch.push(event);
        }
        if (batch.length > 0) yield batch;
        if (done) return;
    }
}

function parsed(block: string): ServerEvent | null {
    let name = "message";
    const data: string[] = [];
    for (const line of block.split("\n")) {
        if (line.startsWith("event:")) name = line.slice(6).trim();
        else if (line.startsWith("data:")) data.push(line.slice(5).trimStart());
    }
    return data.length > 0 ? { name, data: JSON.parse(data.join("\n")) } : null;
}

/** The spans of a file as ranges. */
export function fileSpans(reply: FileReply): Span[] {
    const spans: Span[] = [];
    for (let i = 0; i + 2 < reply.spans.length; i += 3) {
        spans.push([reply.spans[i]!, reply.spans[i + 1]!, reply.classes[reply.spans[i + 2]!] ?? ""]);
    }
    return spans;
}

/** A place of a result: its file and, of several trees, the tree. */
export interface PlaceOfHit { path: string; source?: { name: string } | undefined }

/** The tree and the view that a result comes from, as parameters. */
export function treeOf(found: { state: SearchState }, place: PlaceOfHit): { root: string; view: string } {
    const info = found.state.query;
    return { root: place.source?.name ?? info?.root ?? "", view: info?.view ?? "" };
}

/** The place of an error in the text of a query, in characters. */
export function errorRange(error: ApiError, text: string): Range | null {
    if (!error.span) return null;
    const index = byteIndex(text);
    return [index(error.span[0]), index(error.span[1])];
}

export function skippedOf(node: CoverageReply["node"]): number {
    return node.skipped.reduce((sum, one) => sum + one.count, 0);
}
