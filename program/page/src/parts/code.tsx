// Code as text nodes with classes. No byte of a tree is ever parsed as markup.

import type { Piece } from "../text";

const CLASSES = new Set([
    "keyword", "string", "comment", "number", "constant", "type", "function", "property", "variable", "operator", "tag", "attribute",
    "punctuation", "escape", "heading", "macro", "namespace", "parameter", "label",
]);

/** The style class of a colour class of the server; an unknown class has no colour. */
function styleOf(kind: string): string {
    const base = kind.split(".")[0]!;
    return CLASSES.has(base) ? `c-${base}` : "";
}

export function Pieces({ pieces }: { pieces: Piece[] }) {
    return (
        <>
            {pieces.map((piece) => {
                const kind = piece.kind ? styleOf(piece.kind) : "";
                if (piece.hit) {
                    return <mark class={kind}>{piece.text}</mark>;
                }
                return kind ? <span class={kind}>{piece.text}</span> : piece.text;
            })}
        </>
    );
}
