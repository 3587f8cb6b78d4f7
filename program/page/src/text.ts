// Byte offsets of the server to pieces of JavaScript strings, and small formats.

import type { Range, Span } from "./shown";

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
        lines[lines.length - 1]!.push({ text: text.slice(start, end), kind, hit });
    }
    return lines;
}

const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;

const NAMES: Record<number, string> = {
    0x61c: "Arabic letter mark", 0x200b: "zero width space", 0x200c: "zero width non-joiner", 0x200d: "zero width joiner",
    0x200e: "left-to-right mark", 0x200f: "right-to-left mark", 0x202a: "left-to-right embedding", 0x202b: "right-to-left embedding",
    0x202c: "pop directional formatting", 0x202d: "left-to-right override", 0x202e: "right-to-left override", 0x2060: "word joiner",
    0x2066: "left-to-right isolate", 0x2067: "right-to-left isolate", 0x2068: "first strong isolate", 0x2069: "pop directional isolate",
    0xad: "soft hyphen", 0xfeff: "byte order mark",
};

/** A part of a text: plain, or a character that is invisible or changes the direction of text. */
export type ShownPart = { plain: string } | { code: string; title: string };

/** The parts of a text. Control characters of ASCII become their pictures; other hidden characters are parts of their own. */
export function shownParts(text: string): ShownPart[] {
    const parts: ShownPart[] = [];
    let plain = "";
    let at = 0;
    for (const match of text.matchAll(HIDDEN)) {
        plain += text.slice(at, match.index);
        at = match.index + 1;
        const code = match[0].charCodeAt(0);
        if (code < 0x20) {
            if (code !== 13) plain += String.fromCharCode(0x2400 + code);
            continue;
        }
        if (plain !== "") parts.push({ plain });
        plain = "";
        const hex = code.toString(16).toUpperCase().padStart(4, "0");
        parts.push({ code: `\\u${hex}`, title: `U+${hex} ${NAMES[code] ?? "control character"}` });
    }
    plain += text.slice(at);
    if (plain !== "") parts.push({ plain });
    return parts;
}

/** The text for places that hold no element, with each hidden character as its escape. */
export function visible(text: string): string {
    if (text.search(HIDDEN) < 0) return text;
    return shownParts(text).map((part) => ("plain" in part ? part.plain : part.code)).join("");
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
