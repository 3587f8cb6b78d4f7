// Code as text nodes with classes. No byte of a tree is ever parsed as markup.

import type { ComponentChildren } from "preact";
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
