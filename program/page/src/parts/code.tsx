// Code as text nodes with classes. No byte of a tree is ever parsed as markup.

import type { ComponentChildren } from "preact";
import { hrefIn, type Route } from "../route";
import type { GraphRow } from "../shown";
import { shownParts, visible, type Piece } from "../text";

const CLASSES = new Set([
    "keyword", "string", "comment", "number", "constant", "type", "function", "property", "variable", "operator", "tag", "attribute",
    "punctuation", "escape", "heading", "macro", "namespace", "parameter", "label",
]);

/** The style class of a colour class of the server; an unknown class has no colour. */
function styleOf(kind: string): string {
    const base = kind.split(".")[0]!;
    return CLASSES.has(base) ? `c-${base}` : "";
}

/** A text of a tree. A hidden character is shown as its escape, and stays one character of the text for places in a line. */
export function Shown({ text }: { text: string }): ComponentChildren {
    if (visible(text) === text) return text;
    return shownParts(text).map((part) => ("plain" in part ? part.plain : <span class="hidden-char" title={part.title} data-code={part.code}>{"\ufffd"}</span>));
}

export function Pieces({ pieces }: { pieces: Piece[] }) {
    return (
        <>
            {pieces.map((piece) => {
                const kind = piece.kind ? styleOf(piece.kind) : "";
                const text = <Shown text={piece.text} />;
                if (piece.hit) {
                    return <mark class={kind}>{text}</mark>;
                }
                return kind ? <span class={kind}>{text}</span> : text;
            })}
        </>
    );
}

/** What stands before a name in the line of a use, at most. */
const MAX_BEFORE = 28;

/** A line of a use, with the name marked. A long line begins near the name. */
export function Marked({ text, name }: { text: string; name: string }) {
    const at = name === "" ? -1 : indexOfWord(text, name);
    if (at < 0) return <Shown text={text} />;
    if (at > MAX_BEFORE) return <>…<Marked text={text.slice(at - MAX_BEFORE + 1)} name={name} /></>;
    return <><Shown text={text.slice(0, at)} /><mark><Shown text={name} /></mark><Shown text={text.slice(at + name.length)} /></>;
}

/** The index of a name as a whole word, or -1. */
function indexOfWord(text: string, name: string): number {
    const isWord = (char: string | undefined) => char !== undefined && /[\p{L}\p{N}_$]/u.test(char);
    for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
        if (!isWord(text[at - 1]) && !isWord(text[at + name.length])) return at;
    }
    return -1;
}

/** A link to the place of a row of the graph; its tip says how sure the row is, and why. */
export function PlaceLink({ row, route, children }: { row: GraphRow; route: Partial<Route>; children: ComponentChildren }) {
    const tip = `${row.relation}${row.from ? ` in ${row.from.symbol}` : ""}, confidence ${row.confidence.toFixed(2)}, rule ${row.rule}${row.is_test ? ", test" : ""}`;
    return <a title={visible(tip)} href={hrefIn(route, { v: "file", path: row.path, line: String(row.line) })}>{children}</a>;
}
