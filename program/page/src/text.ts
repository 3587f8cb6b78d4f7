// Byte offsets of the server to pieces of JavaScript strings, and small formats.

import type { Range, Span } from "./wire";

/** A piece of a line: its text, its colour class, and whether a match covers it. */
export interface Piece { text: string; kind: string; hit: boolean }

const ASCII = /^[\x00-\x7f]*$/;

/** A function from byte offsets in the UTF-8 form of `text` to offsets in `text`. */
export function byteIndex(text: string): (byte: number) => number {
    if (ASCII.test(text)) {
        return (byte) => Math.min(byte, text.length);
    }
    const starts = new Map<number, number>();
    let byte = 0;
    for (let at = 0; at < text.length;) {
        starts.set(byte, at);
        const code = text.codePointAt(at)!;
        byte += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
        at += code < 0x10000 ? 1 : 2;
    }
    return (wanted) => {
        for (let near = wanted; near >= 0 && near > wanted - 4; near--) {
            const at = starts.get(near);
            if (at !== undefined) {
                return at;
            }
        }
        return text.length;
    };
}

/** The byte offset of the character at `at`. */
export function byteOffset(text: string, at: number): number {
    return new TextEncoder().encode(text.slice(0, at)).length;
}

/** The lines of `text`, each as coloured pieces. */
export function codeLines(text: string, spans: Span[] = [], marks: Range[] = []): Piece[][] {
    const index = byteIndex(text);
    const length = text.length;
    const cuts = new Set<number>([0, length]);
    const colours: [number, number, string][] = [];
    const hits: Range[] = [];
    for (const [start, end, kind] of spans) {
        const range: [number, number, string] = [index(start), index(end), kind];
        colours.push(range);
        cuts.add(range[0]).add(range[1]);
    }
    for (const [start, end] of marks) {
        const range: Range = [index(start), index(end)];
        hits.push(range);
        cuts.add(range[0]).add(range[1]);
    }
    for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) {
        cuts.add(at).add(at + 1);
    }
    const order = [...cuts].sort((a, b) => a - b);
    const lines: Piece[][] = [[]];
    let colour = 0;
    let mark = 0;
    for (let i = 0; i + 1 < order.length; i++) {
        const start = order[i]!;
        const end = order[i + 1]!;
        if (text.charCodeAt(start) === 10) {
            lines.push([]);
            continue;
        }
        while (colour < colours.length && colours[colour]![1] <= start) colour++;
        while (mark < hits.length && hits[mark]![1] <= start) mark++;
        const span = colours[colour];
        const kind = span && span[0] <= start ? span[2] : "";
        const hit = mark < hits.length && hits[mark]![0] <= start;
        lines[lines.length - 1]!.push({ text: visible(text.slice(start, end)), kind, hit });
    }
    return lines;
}

const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;

/** The text with control characters and characters that change the direction of text made visible. */
export function visible(text: string): string {
    return text.replace(CONTROL, (c) => {
        const code = c.charCodeAt(0);
        return code < 0x20 ? (code === 13 ? "" : String.fromCharCode(0x2400 + code)) : "\ufffd";
    });
}

export function folderOf(path: string): string {
    const at = path.lastIndexOf("/");
    return at < 0 ? "" : path.slice(0, at + 1);
}

export function nameOf(path: string): string {
    return path.slice(path.lastIndexOf("/") + 1);
}

const NUMBER = new Intl.NumberFormat("en");
const COMPACT = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

export function count(n: number, one: string, many = `${one}s`): string {
    return `${NUMBER.format(n)} ${n === 1 ? one : many}`;
}

export function number(n: number): string {
    return NUMBER.format(n);
}

export function compact(n: number): string {
    return COMPACT.format(n);
}

export function bytes(n: number): string {
    const units = ["B", "kB", "MB", "GB", "TB"];
    let unit = 0;
    while (n >= 1000 && unit < units.length - 1) {
        n /= 1000;
        unit++;
    }
    return `${n < 10 && unit > 0 ? n.toFixed(1) : Math.round(n)} ${units[unit]}`;
}

/** A share of a score in hundredths, with its sign. */
export function share(value: number): string {
    const text = (Math.abs(value) * 100).toFixed(1);
    return `${value < 0 ? "\u2212" : "+"}${text}`;
}

/** How long ago a time was; a number counts seconds since 1970. */
export function ago(time: string | number | null | undefined, now = Date.now()): string {
    if (typeof time === "number") {
        time = new Date(time * 1000).toISOString();
    }
    if (!time) {
        return "not checked";
    }
    const seconds = Math.max(0, Math.round((now - Date.parse(time)) / 1000));
    if (!Number.isFinite(seconds)) return time;
    if (seconds < 5) return "just now";
    if (seconds < 60) return `${seconds} s ago`;
    if (seconds < 3600) return `${Math.round(seconds / 60)} min ago`;
    if (seconds < 172800) return `${Math.round(seconds / 3600)} h ago`;
    return `${Math.round(seconds / 86400)} days ago`;
}
