// Callers or callees of a symbol as a tree that opens on demand.

import { useEffect, useRef, useState } from "preact/hooks";
import { get } from "../../api";
import { hrefIn, type Route } from "../../route";
import { nameOf, visible } from "../../text";
import type { GraphReply, GraphRow } from "../../shown";

export type Direction = "callers" | "callees";

/** A symbol at the other end of calls, with its calls. */
export interface Neighbour {
    target: string;
    symbol: string;
    kind: string;
    path: string;
    line: number;
    calls: GraphRow[];
    confidence: number;
    isTest: boolean;
}

/** The symbols of the rows, each once, in the order of the rows. */
export function neighbours(rows: GraphRow[], direction: Direction): Neighbour[] {
    const found = new Map<string, Neighbour>();
    for (const row of rows) {
        const end = direction === "callers" ? row.from : row.to;
        const path = end?.path ?? row.path;
        const symbol = end?.symbol ?? (direction === "callees" ? row.to.module ?? "?" : `lines of ${nameOf(row.path)}`);
        const target = end?.symbol && end.path ? `${end.path}#${end.symbol}` : "";
        const key = target || `${path}:${symbol}`;
        const there = found.get(key);
        if (there) {
            there.calls.push(row);
            there.confidence = Math.max(there.confidence, row.confidence);
        } else {
            found.set(key, {
                target, symbol, kind: end?.kind ?? "", path, line: end?.line ?? row.line, calls: [row], confidence: row.confidence, isTest: row.is_test,
            });
        }
    }
    return [...found.values()];
}

export interface TreeNode extends Neighbour { depth: number; key: string; parent: string | null }

interface Loaded { list: Neighbour[]; total: number; incomplete: string | null; error: string | null }

/** What is open in a tree, and the nodes that follow from it. */
export interface Tree {
    nodes: TreeNode[];
    loaded: Map<string, Loaded>;
    open: Set<string>;
    toggle: (node: TreeNode) => void;
    isLoading: boolean;
    total: number;
    incomplete: string | null;
    error: string | null;
}

export function useTree(target: string, direction: Direction, route: Route): Tree {
    const [loaded, setLoaded] = useState<Map<string, Loaded>>(new Map());
    const [open, setOpen] = useState<Set<string>>(new Set());
    const round = useRef(0);
    const ask = (symbol: string) => {
        const mine = round.current;
        const done = (value: Loaded) => mine === round.current && setLoaded((old) => new Map(old).set(symbol, value));
        get<GraphReply>(direction, { target: symbol, max_results: 100, view: route.view, root: route.root }).then(
            (reply) => done({ list: neighbours(reply.results, direction), total: reply.total, incomplete: reply.incomplete, error: null }),
            (error: unknown) => done({ list: [], total: 0, incomplete: null, error: error instanceof Error ? error.message : String(error) }),
        );
    };
    useEffect(() => {
        round.current++;
        setLoaded(new Map());
        setOpen(new Set());
        if (target !== "") ask(target);
    }, [target, direction, route.view, route.root]);
    const nodes: TreeNode[] = [];
    const add = (symbol: string, depth: number, parent: string | null, path: string) => {
        for (const one of loaded.get(symbol)?.list ?? []) {
            const key = `${path}/${one.target || one.symbol}`;
            nodes.push({ ...one, depth, key, parent });
            if (open.has(key) && depth < 8) add(one.target, depth + 1, key, key);
        }
    };
    add(target, 0, null, "");
    const root = loaded.get(target);
    return {
        nodes, loaded, open, isLoading: target !== "" && !root,
        total: root?.total ?? 0, incomplete: root?.incomplete ?? null, error: root?.error ?? null,
        toggle: (node) => {
            if (node.target === "") return;
            if (!loaded.has(node.target)) ask(node.target);
            setOpen((old) => {
                const next = new Set(old);
                if (!next.delete(node.key)) next.add(node.key);
                return next;
            });
        },
    };
}

export function TreeView({ tree, direction, route, onCentre }: { tree: Tree; direction: Direction; route: Route; onCentre: (target: string) => void }) {
    const [at, setAt] = useState(0);
    const list = useRef<HTMLUListElement>(null);
    const focus = (index: number) => {
        const next = Math.max(0, Math.min(tree.nodes.length - 1, index));
        setAt(next);
        requestAnimationFrame(() => list.current?.querySelectorAll<HTMLElement>("[role='treeitem']")[next]?.focus());
    };
    const onKeyDown = (event: KeyboardEvent) => {
        const node = tree.nodes[at];
        if (!node || event.ctrlKey || event.metaKey || event.altKey) return;
        const isOpen = tree.open.has(node.key);
        if (event.key === "ArrowDown" || event.key === "j") focus(at + 1);
        else if (event.key === "ArrowUp" || event.key === "k") focus(at - 1);
        else if (event.key === "Home") focus(0);
        else if (event.key === "End") focus(tree.nodes.length - 1);
        else if (event.key === "ArrowRight" && !isOpen) tree.toggle(node);
        else if (event.key === "ArrowRight") focus(at + 1);
        else if (event.key === "ArrowLeft" && isOpen) tree.toggle(node);
        else if (event.key === "ArrowLeft") focus(tree.nodes.findIndex((one) => one.key === node.parent));
        else if (event.key === "Enter") list.current?.querySelectorAll<HTMLAnchorElement>("[role='treeitem'] a.place")[at]?.click();
        else if (event.key === "c" && node.target) onCentre(node.target);
        else return;
        event.preventDefault();
    };
    if (tree.error) return <p class="failed">{visible(tree.error)}</p>;
    if (tree.isLoading) return <p class="quiet" role="status">Reading the graph …</p>;
    if (tree.nodes.length === 0) return <p class="quiet">{direction === "callers" ? "No call is known." : "No call to a definition of this tree is known."}</p>;
    return (
        <>
            <ul class="tree" role="tree" aria-label={direction} ref={list} onKeyDown={onKeyDown}>
                {tree.nodes.map((node, i) => {
                    const isOpen = tree.open.has(node.key);
                    const children = tree.loaded.get(node.target);
                    const first = node.calls[0]!;
                    return (
                        <li
                            key={node.key}
                            role="treeitem"
                            aria-level={node.depth + 1}
                            aria-expanded={node.target === "" ? undefined : isOpen}
                            tabIndex={i === at ? 0 : -1}
                            onFocus={() => setAt(i)}
                        >
                            <span class="indent" style={{ width: `${node.depth * 18}px` }} />
                            <button type="button" class="twist" tabIndex={-1} aria-hidden="true" disabled={node.target === ""} onClick={() => tree.toggle(node)}>{node.target === "" ? "·" : isOpen ? "▾" : "▸"}</button>
                            <button type="button" class="name" tabIndex={-1} disabled={node.target === ""} title="Make it the centre (c)" onClick={() => onCentre(node.target)}>{visible(node.symbol)}</button>
                            {node.isTest && <span class="tag">test</span>}
                            {node.calls.length > 1 && <span class="quiet">×{node.calls.length}</span>}
                            {node.confidence < 0.9 && <span class="quiet" title={`confidence ${node.confidence.toFixed(2)}, rule ${first.rule}`}>{Math.round(node.confidence * 100)} %</span>}
                            {isOpen && children && children.list.length === 0 && <span class="quiet">{children.error ?? "none"}</span>}
                            <a class="place quiet" tabIndex={-1} title={visible(first.text.trim().slice(0, 200))} href={hrefIn(route, { v: "file", path: first.path, line: String(first.line) })}>{visible(nameOf(first.path))}:{first.line}</a>
                        </li>
                    );
                })}
            </ul>
            {tree.incomplete && <p class="quiet small">Not complete: {tree.incomplete}</p>}
        </>
    );
}
