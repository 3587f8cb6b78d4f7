// A drawing of what is open in the trees: callers to the left, callees to the right.

import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { hrefIn, type Route } from "../../route";
import { visible } from "../../text";
import type { Tree, TreeNode } from "./tree";

interface Box { key: string; label: string; target: string; x: number; y: number; isTest: boolean; isCentre: boolean }
interface Line { from: Box; to: Box; confidence: number }

const ROW = 30;
const HEIGHT = 22;
const MOST = 14;

interface Column { nodes: TreeNode[]; more: number }

/** The nodes of a tree by their depth, at most as many as fit. */
function columns(tree: Tree): Column[] {
    const list: Column[] = [];
    for (const node of tree.nodes) {
        if (node.depth > 2) continue;
        const column = (list[node.depth] ??= { nodes: [], more: 0 });
        if (column.nodes.length < MOST) column.nodes.push(node);
        else column.more++;
    }
    return list;
}

function place(callers: Tree, callees: Tree, centre: string, width: number): { boxes: Box[]; lines: Line[]; height: number; box: number } {
    const left = columns(callers);
    const right = columns(callees);
    const all = left.length + right.length + 1;
    const rows = Math.max(1, ...left.map((one) => one.nodes.length), ...right.map((one) => one.nodes.length));
    const height = rows * ROW + 20;
    const step = width / all;
    const box = Math.min(230, step - 34);
    const boxes: Box[] = [];
    const lines: Line[] = [];
    const at = (column: number) => column * step + step / 2;
    const middle: Box = { key: "", label: centre, target: "", x: at(left.length), y: height / 2, isTest: false, isCentre: true };
    boxes.push(middle);
    const draw = (list: Column[], side: number) => {
        const byKey = new Map<string, Box>();
        list.forEach((column, depth) => {
            column.nodes.forEach((node, i) => {
                const one: Box = {
                    key: `${side}${node.key}`, label: node.symbol, target: node.target, x: at(left.length + side * (depth + 1)),
                    y: height / 2 + (i - (column.nodes.length - 1) / 2) * ROW, isTest: node.isTest, isCentre: false,
                };
                boxes.push(one);
                byKey.set(node.key, one);
                const parent = node.parent === null ? middle : byKey.get(node.parent);
                if (parent) lines.push(side < 0 ? { from: one, to: parent, confidence: node.confidence } : { from: parent, to: one, confidence: node.confidence });
            });
        });
    };
    draw(left, -1);
    draw(right, 1);
    return { boxes, lines, height, box };
}

function short(label: string, width: number): string {
    const most = Math.max(4, Math.floor((width - 16) / 7.1));
    if (label.length <= most) return label;
    const tail = label.slice(label.lastIndexOf(".") + 1);
    return tail.length <= most - 1 && tail !== label ? `…${tail}` : `${label.slice(0, most - 1)}…`;
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
    const shown = Math.max(width, 560);
    useLayoutEffect(() => {
        // Where not all fits, the centre is in sight.
        if (frame.current && width > 0 && width < shown) frame.current.scrollLeft = (shown - width) / 2;
    }, [width, centre]);
    const { boxes, lines, height, box } = place(callers, callees, centre, shown);
    const cut = [...columns(callers), ...columns(callees)].reduce((sum, one) => sum + one.more, 0);
    return (
        <div class="drawing" ref={frame} tabIndex={0} role="group" aria-label="Drawn graph of calls">
            {width > 0 && (
                <svg width={shown} height={height} viewBox={`0 0 ${shown} ${height}`} role="group" aria-label={`${lines.length} calls around ${visible(centre)}`}>
                    <defs>
                        <marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0 8 4 0 8z" /></marker>
                    </defs>
                    {lines.map((line) => {
                        const x1 = line.from.x + box / 2;
                        const x2 = line.to.x - box / 2;
                        const bend = (x2 - x1) / 2;
                        const isOn = on !== null && (line.from.key === on || line.to.key === on);
                        return <path class={`edge${line.confidence < 0.8 ? " unsure" : ""}${isOn ? " on" : ""}`} d={`M${x1} ${line.from.y}C${x1 + bend} ${line.from.y} ${x2 - bend} ${line.to.y} ${x2} ${line.to.y}`} marker-end="url(#tip)" />;
                    })}
                    {boxes.map((one) => {
                        const inner = (
                            <>
                                <rect x={one.x - box / 2} y={one.y - HEIGHT / 2} width={box} height={HEIGHT} rx="5" />
                                <text x={one.x} y={one.y + 4}>{visible(short(one.label, box))}</text>
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
