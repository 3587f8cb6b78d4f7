// Folders as areas; what is not indexed is a hole in them.

import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { skippedOf } from "../../api";
import { bytes, count, visible } from "../../text";
import type { CoverageNode } from "../../shown";

export interface Tile { node: CoverageNode; x: number; y: number; w: number; h: number; inner: Tile[] }

export type Measure = "files" | "bytes";

/** The size of a folder, with what is skipped in it. */
export function sizeOf(node: CoverageNode, measure: Measure): number {
    if (measure === "files") return node.files + skippedOf(node);
    return node.bytes + node.skipped.reduce((sum, one) => sum + one.bytes, 0);
}

/** The share of a folder that is not indexed. */
export function holeOf(node: CoverageNode, measure: Measure): number {
    const all = sizeOf(node, measure);
    if (all === 0) return 0;
    return 1 - (measure === "files" ? node.files : node.bytes) / all;
}

/** Squarified layout: rows of tiles whose sides are as equal as possible. */
export function layout(nodes: CoverageNode[], measure: Measure, x: number, y: number, w: number, h: number): Tile[] {
    const sorted = nodes.map((node) => ({ node, size: sizeOf(node, measure) })).filter((one) => one.size > 0).sort((a, b) => b.size - a.size);
    const total = sorted.reduce((sum, one) => sum + one.size, 0);
    const tiles: Tile[] = [];
    const scale = total > 0 ? (w * h) / total : 0;
    let at = 0;
    while (at < sorted.length && w > 1 && h > 1) {
        const side = Math.min(w, h);
        let end = at;
        let sum = 0;
        let worst = Infinity;
        while (end < sorted.length) {
            const next = sum + sorted[end]!.size * scale;
            const thick = next / side;
            const ratio = Math.max(...[sorted[at]!, sorted[end]!].map(({ size }) => {
                const long = (size * scale) / thick;
                return Math.max(long / thick, thick / long);
            }));
            if (ratio > worst) break;
            worst = ratio;
            sum = next;
            end++;
        }
        const thick = sum / side;
        let along = 0;
        for (; at < end; at++) {
            const length = (sorted[at]!.size * scale) / thick;
            const tile = w >= h ? { x, y: y + along, w: thick, h: length } : { x: x + along, y, w: length, h: thick };
            tiles.push({ node: sorted[at]!.node, ...tile, inner: [] });
            along += length;
        }
        if (w >= h) {
            x += thick;
            w -= thick;
        } else {
            y += thick;
            h -= thick;
        }
    }
    return tiles;
}

const TITLE = 22;

function nested(node: CoverageNode, measure: Measure, width: number, height: number): Tile[] {
    const tiles = layout(node.children, measure, 0, 0, width, height);
    for (const tile of tiles) {
        if (tile.node.children.length > 0 && tile.w > 90 && tile.h > 70) {
            tile.inner = layout(tile.node.children, measure, 3, TITLE, tile.w - 6, tile.h - TITLE - 3);
        }
    }
    return tiles;
}

export function sentenceOf(node: CoverageNode): string {
    const left = node.skipped.map((one) => `${one.count} ${one.reason}`).join(", ");
    return `${visible(node.path ?? node.name)}: ${count(node.files, "file")} indexed, ${bytes(node.bytes)}${left ? `; not indexed: ${left}` : ""}`;
}

export function Treemap({ node, measure, onPick }: { node: CoverageNode; measure: Measure; onPick: (path: string) => void }) {
    const box = useRef<HTMLDivElement>(null);
    const [size, setSize] = useState<[number, number]>([0, 0]);
    useLayoutEffect(() => {
        const el = box.current!;
        const measureBox = () => setSize([el.clientWidth, el.clientHeight]);
        measureBox();
        const observer = new ResizeObserver(measureBox);
        observer.observe(el);
        return () => observer.disconnect();
    }, []);
    const tiles = size[0] > 0 ? nested(node, measure, size[0], size[1]) : [];
    return (
        <div class="treemap" ref={box} role="group" aria-label="Coverage by folder">
            {tiles.map((tile) => <TileView tile={tile} measure={measure} onPick={onPick} depth={0} />)}
        </div>
    );
}

function TileView({ tile, measure, onPick, depth }: { tile: Tile; measure: Measure; onPick: (path: string) => void; depth: number }) {
    const { node } = tile;
    const hole = holeOf(node, measure);
    const hasInner = tile.inner.length > 0;
    const style = { left: `${tile.x}px`, top: `${tile.y}px`, width: `${Math.max(0, tile.w - 2)}px`, height: `${Math.max(0, tile.h - 2)}px` };
    const canOpen = node.path !== null && node.children.length + Number(node.is_cut) > 0;
    const label = tile.w > 46 && tile.h > 18;
    return (
        <div class={`tile d${depth}${hasInner ? " outer" : ""}`} style={style} title={sentenceOf(node)}>
            {!hasInner && hole > 0 && <span class="hole" style={{ height: `${hole * 100}%` }} />}
            {canOpen && depth === 0 ? (
                <button type="button" aria-label={sentenceOf(node)} onClick={() => onPick(node.path!)}>{label && <span>{visible(node.name)}</span>}</button>
            ) : label && <span class="name">{visible(node.name)}</span>}
            {tile.inner.map((inner) => <TileView tile={inner} measure={measure} onPick={onPick} depth={depth + 1} />)}
        </div>
    );
}
