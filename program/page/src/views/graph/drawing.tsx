// A drawing of what is open in the trees: callers to the left, callees to the right.

import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { hrefIn, type Route } from "../../route";
import { visible } from "../../text";
import type { GraphRow } from "../../shown";
import type { Tree, TreeNode } from "./tree";

interface Box { key: string; label: string; target: string; x: number; y: number; width: number; isTest: boolean; isCentre: boolean }
interface Line { from: Box; to: Box; call: GraphRow; calls: number; confidence: number }

const ROW = 30;
const HEIGHT = 22;
const MAX_NODES = 14;
/** The width of a character of a label, and the room beside a label. */
const CHARACTER = 7.3;
const PADDING = 18;
/** The room between two columns that an arrow needs. */
const MIN_GAP = 44;
/** How long a label may be: whole names where there is room. */
const LABEL_LIMITS = [100, 64, 44];

interface Column { nodes: TreeNode[]; more: number }

/** The nodes of a tree by their depth, at most as many as fit. */
function columns(tree: Tree): Column[] {
    const list: Column[] = [];
    for (const node of tree.nodes) {
        if (node.depth > 2) continue;
        const column = (list[node.depth] ??= { nodes: [], more: 0 });
        if (column.nodes.length < MAX_NODES) column.nodes.push(node);
        else column.more++;
    }
    return list;
}

function widthOf(labels: string[], limit: number): number {
    return Math.max(3, ...labels.map((label) => Math.min(limit, label.length))) * CHARACTER + PADDING;
}

interface Layout { boxes: Box[]; lines: Line[]; width: number; height: number; limit: number }

/** Columns from the outermost callers to the outermost callees. Each is as wide as its longest name, and the gaps share the rest. */
function place(callers: Tree, callees: Tree, centre: string, room: number): Layout {
    const left = columns(callers);
    const right = columns(callees);
    const lists = [...left.map((one) => one.nodes).reverse(), null, ...right.map((one) => one.nodes)];
    const widthsAt = (limit: number) => lists.map((nodes) => widthOf(nodes?.map((node) => node.symbol) ?? [centre], limit));
    const sum = (list: number[]) => list.reduce((all, one) => all + one, 0);
    const limit = LABEL_LIMITS.find((one) => sum(widthsAt(one)) + MIN_GAP * (lists.length - 1) + 24 <= room) ?? LABEL_LIMITS.at(-1)!;
    const widths = widthsAt(limit);
    const boxed = sum(widths);
    const gap = Math.max(MIN_GAP, (room - 24 - boxed) / Math.max(1, lists.length - 1));
    const width = Math.max(room, boxed + gap * (lists.length - 1) + 24);
    const height = Math.max(1, ...lists.map((nodes) => nodes?.length ?? 1)) * ROW + 20;
    const boxes: Box[] = [];
    const lines: Line[] = [];
    const starts: number[] = [];
    widths.reduce((x, one) => (starts.push(x), x + one + gap), lists.length === 1 ? (width - boxed) / 2 : 12);
    const boxAt = (column: number, row: number, rows: number, label: string, more: Partial<Box>): Box => {
        const box = { key: "", target: "", isTest: false, isCentre: false, ...more, label, width: widths[column]!, x: starts[column]! + widths[column]! / 2, y: height / 2 + (row - (rows - 1) / 2) * ROW };
        boxes.push(box);
        return box;
    };
    const middle = boxAt(left.length, 0, 1, centre, { isCentre: true });
    const draw = (list: Column[], side: number) => {
        const byKey = new Map<string, Box>();
        list.forEach(({ nodes }, depth) => nodes.forEach((node, i) => {
            const one = boxAt(left.length + side * (depth + 1), i, nodes.length, node.symbol, { key: `${side}${node.key}`, target: node.target, isTest: node.isTest });
            byKey.set(node.key, one);
            const parent = node.parent === null ? middle : byKey.get(node.parent);
            if (!parent) return;
            const [from, to] = side < 0 ? [one, parent] : [parent, one];
            lines.push({ from, to, call: node.calls[0]!, calls: node.calls.length, confidence: node.confidence });
        }));
    };
    draw(left, -1);
    draw(right, 1);
    return { boxes, lines, width, height, limit };
}

/** A label that fits into its box; of a long one the last part stays. */
function short(label: string, limit: number): string {
    if (label.length <= limit) return label;
    const tail = label.slice(label.lastIndexOf(".") + 1);
    return tail.length < limit && tail !== label ? `…${tail}` : `${label.slice(0, limit - 1)}…`;
}

/** What the tip of an edge says: how sure it is, and the line of the first call. */
function edgeTip({ call, calls, confidence }: Line): string {
    const more = calls > 1 ? `, and ${calls - 1} more` : "";
    return `${call.path}:${call.line}${more}, ${Math.round(confidence * 100)} %\n${call.text.trim().slice(0, 160)}`;
}

export function Drawing({ callers, callees, centre, route }: { callers: Tree; callees: Tree; centre: string; route: Route }) {
    const frame = useRef<HTMLDivElement>(null);
    const [width, setWidth] = useState(0);
    const [on, setOn] = useState<string | null>(null);
    useLayoutEffect(() => {
        const observer = new ResizeObserver(([entry]) => setWidth(entry!.contentRect.width));
        observer.observe(frame.current!);
        return () => observer.disconnect();
    }, []);
    const { boxes, lines, height, width: shown, limit } = place(callers, callees, centre, width);
    const middle = boxes.find((one) => one.isCentre)!;
    useLayoutEffect(() => {
        // Where not all fits, the centre is in sight.
        if (frame.current && width > 0 && width < shown) frame.current.scrollLeft = middle.x - width / 2;
    }, [width, shown, centre]);
    const cut = [...columns(callers), ...columns(callees)].reduce((sum, one) => sum + one.more, 0);
    return (
        <div class="drawing" ref={frame} tabIndex={0} role="group" aria-label="Drawn graph of calls">
            {width > 0 && (
                <svg width={shown} height={height} viewBox={`0 0 ${shown} ${height}`} role="group" aria-label={`${lines.length} calls around ${visible(centre)}`}>
                    <defs>
                        <marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0 8 4 0 8z" /></marker>
                    </defs>
                    {lines.map((line) => {
                        const x1 = line.from.x + line.from.width / 2;
                        const x2 = line.to.x - line.to.width / 2;
                        const bend = (x2 - x1) / 2;
                        const isOn = on !== null && (line.from.key === on || line.to.key === on);
                        const d = `M${x1} ${line.from.y}C${x1 + bend} ${line.from.y} ${x2 - bend} ${line.to.y} ${x2} ${line.to.y}`;
                        return (
                            <a class="edge-link" tabIndex={-1} href={hrefIn(route, { v: "file", path: line.call.path, line: String(line.call.line) })} aria-label={visible(`Call in ${line.call.path}, line ${line.call.line}`)}>
                                <path class={`edge${line.confidence < 0.8 ? " unsure" : ""}${isOn ? " on" : ""}`} d={d} marker-end="url(#tip)" />
                                <path class="edge-reach" d={d} />
                                <title>{visible(edgeTip(line))}</title>
                            </a>
                        );
                    })}
                    {boxes.map((one) => {
                        const inner = (
                            <>
                                <rect x={one.x - one.width / 2} y={one.y - HEIGHT / 2} width={one.width} height={HEIGHT} rx="5" />
                                <text x={one.x} y={one.y + 4}>{visible(short(one.label, limit))}</text>
                                <title>{visible(one.label)}</title>
                            </>
                        );
                        const style = `box${one.isCentre ? " centre" : ""}${one.isTest ? " test" : ""}`;
                        if (one.isCentre || one.target === "") return <g class={style}>{inner}</g>;
                        return (
                            <a class={style} href={hrefIn(route, { v: "graph", target: one.target })}
                                aria-label={`Make ${visible(one.label)} the centre`}
                                onMouseEnter={() => setOn(one.key)} onMouseLeave={() => setOn(null)} onFocus={() => setOn(one.key)} onBlur={() => setOn(null)}>
                                {inner}
                            </a>
                        );
                    })}
                </svg>
            )}
            {cut > 0 && <p class="quiet small">{cut} more are in the lists below.</p>}
        </div>
    );
}
