// The text of a file, coloured line by line when a line is drawn.

import { codeLines, type Piece } from "../../text";
import type { ParsedQuery } from "../../query";
import type { FileReply, Range, Span } from "../../shown";

function utf8Length(text: string): number {
    let length = text.length;
    for (let i = 0; i < text.length; i++) {
        const code = text.charCodeAt(i);
        if (code >= 0x800) length += code >= 0xd800 && code <= 0xdfff ? 1 : 2;
        else if (code >= 0x80) length += 1;
    }
    return length;
}

interface Part { first: number; starts: number[]; spans: number[]; classes: string[] }

export class Source {
    readonly lines: string[] = [];
    private readonly parts: Part[] = [];
    private readonly cache = new Map<number, Piece[]>();
    next: string | null = null;
    columns = 0;

    constructor(reply: FileReply) {
        this.append(reply);
    }

    append(reply: FileReply): void {
        const text = reply.text.endsWith("\n") ? reply.text.slice(0, -1) : reply.text;
        const starts: number[] = [];
        let at = 0;
        const first = this.lines.length;
        for (const line of text.split("\n")) {
            starts.push(at);
            at += utf8Length(line) + 1;
            this.lines.push(line);
            this.columns = Math.max(this.columns, line.length);
        }
        starts.push(at);
        this.parts.push({ first, starts, spans: reply.spans, classes: reply.classes });
        this.next = reply.next_lines;
    }

    /** The pieces of a line; lines count from 1. */
    pieces(line: number, marks: Range[] = []): Piece[] {
        const kept = marks.length === 0 ? this.cache.get(line) : undefined;
        if (kept) return kept;
        const part = this.parts.findLast((one) => one.first < line)!;
        const at = line - 1 - part.first;
        const start = part.starts[at]!;
        const end = part.starts[at + 1]! - 1;
        const spans: Span[] = [];
        for (let i = firstEndingAfter(part.spans, start); i < part.spans.length && part.spans[i]! < end; i += 3) {
            spans.push([Math.max(0, part.spans[i]! - start), Math.min(end, part.spans[i + 1]!) - start, part.classes[part.spans[i + 2]!] ?? ""]);
        }
        const text = this.lines[line - 1]!;
        const bytes = marks.length === 0 || utf8Length(text) === text.length ? marks : marks.map(([from, to]): Range => [utf8Length(text.slice(0, from)), utf8Length(text.slice(0, to))]);
        const pieces = codeLines(text, spans, bytes)[0]!;
        if (marks.length === 0) this.cache.set(line, pieces);
        return pieces;
    }
}

/** The index in the flat list of the first span that ends after an offset. */
function firstEndingAfter(spans: number[], offset: number): number {
    let low = 0;
    let high = Math.floor(spans.length / 3);
    while (low < high) {
        const middle = (low + high) >> 1;
        if (spans[middle * 3 + 1]! <= offset) low = middle + 1;
        else high = middle;
    }
    return low * 3;
}

/** A pattern for what a query searches in a file, or `null` if that is nothing. `marked` are the words that its results mark. */
export function matcher({ text, mode, isFixed }: ParsedQuery, marked: Set<string> | null): RegExp | null {
    if (text === null || text.trim() === "") return null;
    const flags = /\p{Lu}/u.test(text) ? "gu" : "giu";
    const plain = (word: string) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
    try {
        if (mode === "exact") return new RegExp(isFixed ? plain(text) : text, flags);
    } catch {
        // The server's expressions have forms that browsers lack; the words are marked then.
    }
    const words = marked ? [...marked].sort((a, b) => b.length - a.length) : text.match(/[\p{L}\p{N}_]{3,}/gu);
    return words && words.length > 0 ? new RegExp(words.map(plain).join("|"), "giu") : null;
}

export function marksOf(line: string, pattern: RegExp): Range[] {
    const marks: Range[] = [];
    if (line.length > 2000) return marks;
    pattern.lastIndex = 0;
    for (let match = pattern.exec(line); match && marks.length < 50; match = pattern.exec(line)) {
        if (match[0] === "") {
            pattern.lastIndex++;
            continue;
        }
        marks.push([match.index, match.index + match[0].length]);
    }
    return marks;
}

export interface Name { text: string; from: number; to: number }

const NAME = /[\p{L}_$][\p{L}\p{N}_$]*/gu;

export function namesIn(line: string): Name[] {
    return [...line.matchAll(NAME)].map((match) => ({ text: match[0], from: match.index, to: match.index + match[0].length }));
}

export function nameAt(line: string, at: number): Name | null {
    return namesIn(line).find((name) => name.from <= at && at < name.to) ?? null;
}
