// The definitions of a file, beside its text.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Shown } from "../../parts/code";
import { visible } from "../../text";
import type { OutlineItem } from "../../shown";
import { Kind } from "../search/row";

/** The definitions around a line, the outermost first. */
export function scopesAt(outline: OutlineItem[], line: number): OutlineItem[] {
    return outline.filter((item) => item.line <= line && item.end_line >= line && item.end_line > item.line).sort((a, b) => a.line - b.line || b.end_line - a.end_line);
}

export function Outline({ items, line, onPick }: { items: OutlineItem[]; line: number; onPick: (line: number) => void }) {
    const [filter, setFilter] = useState("");
    const list = useRef<HTMLUListElement>(null);
    const shown = useMemo(() => items.filter((item) => item.name.toLowerCase().includes(filter.toLowerCase())), [items, filter]);
    const inner = scopesAt(items, line).at(-1);
    const lowest = useMemo(() => Math.min(9, ...items.map((item) => item.depth)), [items]);
    useEffect(() => {
        const el = list.current?.querySelector<HTMLElement>("[aria-current]");
        const box = list.current;
        if (el && box && (el.offsetTop < box.scrollTop || el.offsetTop > box.scrollTop + box.clientHeight - 30)) {
            box.scrollTop = el.offsetTop - box.clientHeight / 2;
        }
    }, [inner]);
    return (
        <nav class="outline" aria-label="Outline">
            <input type="text" aria-label="Filter the outline" placeholder={`${items.length} definitions`} value={filter} spellcheck={false}
                onInput={(event) => setFilter(event.currentTarget.value)}
                onKeyDown={(event) => {
                    if (event.key === "Enter" && shown[0]) onPick(shown[0].line);
                    if (event.key === "Escape") event.currentTarget.blur();
                }} />
            <ul ref={list}>
                {shown.slice(0, 1500).map((item) => (
                    <li>
                        <button
                            type="button"
                            class={`depth-${Math.min(5, item.depth - lowest)}`}
                            aria-current={item === inner ? "location" : undefined}
                            title={`${item.kind} ${visible(item.name)}, lines ${item.line} to ${item.end_line}`}
                            onClick={() => onPick(item.line)}
                        >
                            <Kind kind={item.kind} />
                            <span><Shown text={item.name} /></span>
                        </button>
                    </li>
                ))}
            </ul>
        </nav>
    );
}
