// A list that draws only the rows in sight. The height of each row is known beforehand, so nothing is measured and nothing
// moves after it was drawn.

import type { ComponentChildren, RefObject } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";

/** Sums of heights: `tops[i]` is the top of row `i`, `tops[n]` the height of all. */
export function tops(heights: ArrayLike<number>): Float64Array {
    const sums = new Float64Array(heights.length + 1);
    for (let i = 0; i < heights.length; i++) {
        sums[i + 1] = sums[i]! + heights[i]!;
    }
    return sums;
}

/** The row at a distance from the top. */
export function rowAt(sums: Float64Array, top: number): number {
    let low = 0;
    let high = Math.max(0, sums.length - 2);
    while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (sums[middle]! <= top) low = middle;
        else high = middle - 1;
    }
    return low;
}

export interface VirtualHandle {
    /** Scrolls so that a row is in sight, below `margin` pixels. */
    reveal(row: number, where?: "near" | "middle"): void;
    toTop(): void;
    scroller: HTMLElement | null;
}

interface Props {
    heights: ArrayLike<number>;
    /** Draws a row. Rows are kept for as long as this is the same function. */
    row: (index: number) => ComponentChildren;
    label: string;
    handle?: RefObject<VirtualHandle | null>;
    className?: string;
    role?: "list" | "region" | "group";
    /** The row at the top, reported when it changes. */
    onTop?: (row: number, top: number) => void;
    onEnd?: () => void;
    /** The width of the content in characters; 0 for the width of the list. */
    columns?: number;
    overscan?: number;
    before?: ComponentChildren;
    onKeyDown?: (event: KeyboardEvent) => void;
    start?: number;
}

export function VirtualList(props: Props) {
    const scroller = useRef<HTMLDivElement>(null);
    const sums = useMemo(() => tops(props.heights), [props.heights]);
    const rows = props.heights.length;
    const overscan = props.overscan ?? 260;
    // The extent that is in sight, as it was last measured. Measuring makes the browser lay out the page at once, so new rows
    // are drawn for the known extent.
    const sight = useRef({ top: 0, height: innerHeight });
    const [, setDrawn] = useState("");
    const inSight = (): [number, number] => {
        const { top, height } = sight.current;
        return [rowAt(sums, Math.max(0, top - overscan)), Math.min(rows, rowAt(sums, top + height + overscan) + 1)];
    };
    const range = inSight();

    const report = () => {
        const { top, height } = sight.current;
        props.onTop?.(rowAt(sums, top), top);
        if (props.onEnd && top + height * 3 > sums[rows]!) {
            props.onEnd();
        }
    };
    const look = () => {
        const el = scroller.current;
        if (!el) return;
        sight.current = { top: el.scrollTop, height: el.clientHeight };
        setDrawn(inSight().join());
        report();
    };
    const latest = useRef(look);
    latest.current = look;

    useLayoutEffect(() => {
        // A shorter list may have moved what is in sight.
        if (sight.current.top > 0) latest.current();
        else report();
    }, [sums]);

    useLayoutEffect(() => {
        const el = scroller.current;
        if (el && props.start) el.scrollTop = props.start;
    }, []);

    useEffect(() => {
        const el = scroller.current!;
        let asked = false;
        const onScroll = () => {
            if (asked) return;
            asked = true;
            requestAnimationFrame(() => {
                asked = false;
                latest.current();
            });
        };
        el.addEventListener("scroll", onScroll, { passive: true });
        const observer = new ResizeObserver(() => latest.current());
        observer.observe(el);
        return () => {
            el.removeEventListener("scroll", onScroll);
            observer.disconnect();
        };
    }, []);

    if (props.handle) {
        props.handle.current = {
            scroller: scroller.current,
            reveal(row, where = "near") {
                const el = scroller.current;
                if (!el || row < 0 || row >= rows) return;
                const top = sums[row]!;
                const bottom = sums[row + 1]!;
                if (where === "middle") {
                    el.scrollTop = Math.max(0, top - el.clientHeight / 3);
                } else if (top < el.scrollTop + 72) {
                    el.scrollTop = Math.max(0, top - 72);
                } else if (bottom > el.scrollTop + el.clientHeight - 28) {
                    el.scrollTop = bottom - el.clientHeight + 28;
                }
                latest.current();
            },
            toTop() {
                if (sight.current.top === 0 || !scroller.current) return;
                scroller.current.scrollTop = 0;
                latest.current();
            },
        };
    }

    // A row that was made by the same function is the same object, which the renderer does not compare again.
    const made = useMemo(() => new Map<number, ComponentChildren>(), [props.row]);
    const drawn: ComponentChildren[] = [];
    const last = Math.min(range[1], rows);
    for (let i = Math.min(range[0], rows); i < last; i++) {
        let row = made.get(i);
        if (row === undefined) {
            row = props.row(i);
            made.set(i, row);
        }
        drawn.push(row);
    }
    if (made.size > 600) made.clear();
    const width = props.columns ? `calc(${props.columns}ch + 6rem)` : undefined;
    return (
        <div ref={scroller} class={`scroller ${props.className ?? ""}`} tabIndex={0} role={props.role ?? "list"} aria-label={props.label} onKeyDown={props.onKeyDown}>
            {props.before}
            <div class="virtual" role="presentation" style={{ height: `${sums[rows]}px`, minWidth: width }}>
                <div class="virtual-rows" role="presentation" style={{ transform: `translateY(${sums[Math.min(range[0], rows)]}px)` }}>
                    {drawn}
                </div>
            </div>
        </div>
    );
}
