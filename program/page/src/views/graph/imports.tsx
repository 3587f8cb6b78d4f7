// Imports between the parts of a folder: parts on a line, importers above, arcs for imports. Arcs on the left go upwards.

import { useMemo, useState } from "preact/hooks";
import { get, type ApiError } from "../../api";
import { change, hrefIn, keyIn, type Route } from "../../route";
import { useLoad } from "../../state";
import { count, number, visible } from "../../text";

interface FileGraph {
    files: { path: string; language: string | null; imports: number; importers: number; is_test: boolean }[];
    edges: { from: string; to: string; line: number }[]; total: number; complete: boolean; incomplete: string | null;
}

interface Part { name: string; path: string; isFolder: boolean; files: number; out: number; into: number }
interface Arc { from: number; to: number; count: number }

const MOST = 28;
const ROW = 26;

/** The part of a folder that a path belongs to. */
function partOf(path: string, folder: string): string | null {
    const base = folder === "" ? "" : `${folder}/`;
    if (!path.startsWith(base)) return null;
    const rest = path.slice(base.length);
    const slash = rest.indexOf("/");
    return slash < 0 ? rest : rest.slice(0, slash + 1);
}

function parts(graph: FileGraph, folder: string): { list: Part[]; arcs: Arc[]; left: number } {
    const files = new Map<string, number>();
    for (const file of graph.files) {
        const part = partOf(file.path, folder);
        if (part) files.set(part, (files.get(part) ?? 0) + 1);
    }
    const weights = new Map<string, Map<string, number>>();
    const degree = new Map<string, [number, number]>();
    for (const edge of graph.edges) {
        const from = partOf(edge.from, folder);
        const to = partOf(edge.to, folder);
        if (!from || !to || from === to) continue;
        const row = weights.get(from) ?? new Map<string, number>();
        weights.set(from, row.set(to, (row.get(to) ?? 0) + 1));
        degree.set(from, [(degree.get(from)?.[0] ?? 0) + 1, degree.get(from)?.[1] ?? 0]);
        degree.set(to, [degree.get(to)?.[0] ?? 0, (degree.get(to)?.[1] ?? 0) + 1]);
    }
    const names = [...degree].sort((a, b) => b[1][0] + b[1][1] - a[1][0] - a[1][1]).slice(0, MOST).map(([name]) => name);
    // Importers first: the part whose imports outweigh its importers among the rest goes next.
    const order: string[] = [];
    const rest = new Set(names);
    while (rest.size > 0) {
        let best = "";
        let most = -Infinity;
        for (const name of rest) {
            let score = 0;
            for (const other of rest) {
                score += weights.get(name)?.get(other) ?? 0;
                score -= 3 * (weights.get(other)?.get(name) ?? 0);
            }
            if (score > most) {
                most = score;
                best = name;
            }
        }
        order.push(best);
        rest.delete(best);
    }
    const base = folder === "" ? "" : `${folder}/`;
    const list = order.map((name) => ({
        name, path: `${base}${name.replace(/\/$/, "")}`, isFolder: name.endsWith("/"), files: files.get(name) ?? 1, out: degree.get(name)![0], into: degree.get(name)![1],
    }));
    const arcs: Arc[] = [];
    order.forEach((from, i) => {
        for (const [to, n] of weights.get(from) ?? []) {
            const j = order.indexOf(to);
            if (j >= 0) arcs.push({ from: i, to: j, count: n });
        }
    });
    return { list, arcs, left: degree.size - order.length };
}

export function ImportsTab({ route }: { route: Route }) {
    const folder = (route.folder ?? "").replace(/\/$/, "");
    const at = { view: route.view, root: route.root };
    const reply = useLoad(keyIn(route, folder), (signal) => get<FileGraph>("graph", { action: "export", path: folder, max_results: 1000, ...at }, signal));
    const hubs = useLoad(keyIn(route, folder), (signal) => get<FileGraph>("graph", { hubs: true, path: folder, max_results: 15, ...at }, signal));
    const drawn = useMemo(() => (reply.data ? parts(reply.data, folder) : null), [reply.data, folder]);
    const [text, setText] = useState(folder);
    return (
        <>
            <form class="target" onSubmit={(event) => { event.preventDefault(); change({ folder: text.trim() }); }}>
                <input type="text" aria-label="Folder" placeholder="Folder; empty for the whole tree" value={text} spellcheck={false} onInput={(event) => setText(event.currentTarget.value)} onKeyDown={(event) => event.key === "Escape" && event.currentTarget.blur()} />
                <button type="submit" class="plain-button">Show</button>
                {folder !== "" && <button type="button" class="plain-button" onClick={() => { const up = folder.split("/").slice(0, -1).join("/"); setText(up); change({ folder: up }); }}>Up</button>}
            </form>
            {reply.error ? <p class="failed" role="alert">{visible((reply.error as ApiError).message)}</p> : null}
            {reply.isLoading && <p class="quiet" role="status">Reading imports …</p>}
            <div class="graph-grid">
                <section>
                    <h2>Imports between the parts {reply.data && <small>{count(reply.data.edges.length, "import")}</small>}</h2>
                    {drawn && drawn.list.length === 0 && <p class="quiet">No imports between the parts of this folder.</p>}
                    {drawn && drawn.list.length > 0 && <Arcs list={drawn.list} arcs={drawn.arcs} onPick={(path) => { setText(path); change({ folder: path }); }} route={route} />}
                    {drawn && drawn.left > 0 && <p class="quiet small">{number(drawn.left)} parts with fewer imports are not drawn.</p>}
                    {reply.data?.incomplete && <p class="quiet small">{reply.data.incomplete}</p>}
                </section>
                <section>
                    <h2>Most imported files</h2>
                    {hubs.data && (
                        <div class="table-box">
                            <table>
                                <thead><tr><th>File</th><th class="n">Importers</th><th class="n">Imports</th></tr></thead>
                                <tbody>
                                    {hubs.data.files.map((file) => (
                                        <tr><td><a href={hrefIn(route, { v: "file", path: file.path })}><code>{visible(file.path)}</code></a></td><td class="n">{number(file.importers)}</td><td class="n">{number(file.imports)}</td></tr>
                                    ))}
                                </tbody>
                            </table>
                        </div>
                    )}
                </section>
            </div>
        </>
    );
}

function Arcs({ list, arcs, onPick, route }: { list: Part[]; arcs: Arc[]; onPick: (path: string) => void; route: Route }) {
    const [on, setOn] = useState<number | null>(null);
    const height = list.length * ROW;
    const most = Math.max(...arcs.map((arc) => arc.count));
    const reach = Math.max(...arcs.map((arc) => Math.abs(arc.from - arc.to)));
    const side = (isLeft: boolean) => (
        <svg class={isLeft ? "arcs left" : "arcs"} viewBox={`0 0 120 ${height}`} width="120" height={height} aria-hidden="true">
            {arcs.filter((arc) => arc.to < arc.from === isLeft).map((arc) => {
                const y1 = arc.from * ROW + ROW / 2;
                const y2 = arc.to * ROW + ROW / 2;
                const bulge = 14 + (Math.abs(arc.from - arc.to) / reach) * 100;
                const x = isLeft ? 120 : 0;
                const cx = isLeft ? 120 - bulge : bulge;
                const isOn = on === arc.from || on === arc.to;
                return (
                    <path class={`arc${isOn ? " on" : on !== null ? " off" : ""}`} stroke-width={1 + (arc.count / most) * 5} d={`M${x} ${y1}C${cx} ${y1} ${cx} ${y2} ${x} ${y2}`}>
                        <title>{visible(`${list[arc.from]!.name} imports ${list[arc.to]!.name}: ${arc.count}`)}</title>
                    </path>
                );
            })}
        </svg>
    );
    return (
        <div class="arc-box" onMouseLeave={() => setOn(null)}>
            {side(true)}
            <ol>
                {list.map((part, i) => {
                    const imports = arcs.filter((arc) => arc.from === i).sort((a, b) => b.count - a.count).slice(0, 6).map((arc) => list[arc.to]!.name).join(", ");
                    const tip = visible(`${part.name}: ${part.out} imports of other parts${imports ? ` (${imports})` : ""}, ${part.into} imports of it`);
                    return (
                        <li class={on === i ? "on" : ""} style={{ height: `${ROW}px` }} onMouseEnter={() => setOn(i)} onFocusIn={() => setOn(i)} onFocusOut={() => setOn(null)}>
                            {part.isFolder
                                ? <button type="button" title={tip} aria-label={tip} onClick={() => onPick(part.path)}>{visible(part.name)}</button>
                                : <a title={tip} aria-label={tip} href={hrefIn(route, { v: "file", path: part.path })}>{visible(part.name)}</a>}
                        </li>
                    );
                })}
            </ol>
            {side(false)}
        </div>
    );
}
