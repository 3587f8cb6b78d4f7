// Coverage and health: what is indexed, what is not and why, how fresh, how large, how fast.

import { useState } from "preact/hooks";
import { get, type ApiError } from "../../api";
import { change, href, hrefIn, type Route } from "../../route";
import { useIndexes, useLoad, useServer } from "../../state";
import { ago, bytes, compact, count, number, visible } from "../../text";
import type { CoverageReply, StatusReply, ViewsReply } from "../../shown";
import { Latencies } from "./latencies";
import { NotesTable, SourcesTable } from "./tables";
import { Treemap, sizeOf, holeOf, type Measure } from "./treemap";

export function HealthView({ route }: { route: Route }) {
    const info = useServer();
    const { beat } = useIndexes();
    const root = route.root ?? "";
    const status = useLoad(`status\n${root}\n${beat}`, (signal) => get<StatusReply>("status", { root }, signal));
    return (
        <div class="scroller health" tabIndex={0} role="region" aria-label="Health of the index">
            <header class="health-head">
                <h1>Health</h1>
                {(info?.roots.length ?? 0) > 1 && (
                    <label>Tree <select value={root} onChange={(event) => change({ root: event.currentTarget.value, folder: "" })}>
                        {info!.roots.map((one, i) => <option value={i === 0 ? "" : one.name}>{visible(one.name)}</option>)}
                    </select></label>
                )}
                {status.data && <p class="quiet">{visible(status.data.root)}{status.data.branch ? ` on ${visible(status.data.branch)}` : ""}{status.data.commit ? ` at ${status.data.commit.slice(0, 10)}` : ""}</p>}
            </header>
            {status.error ? <p class="failed pad">{(status.error as ApiError).message}</p> : null}
            {status.data && <Figures status={status.data} />}
            <Coverage route={route} beat={beat} />
            <div class="health-grid">
                <Views root={root} beat={beat} />
                <Latencies />
                <SourcesTable />
                <NotesTable root={root} />
                {status.data && <Languages status={status.data} />}
            </div>
        </div>
    );
}

function Figures({ status }: { status: StatusReply }) {
    const skipped = status.skipped.reduce((sum, one) => sum + one.files, 0);
    const ratio = status.source_bytes > 0 ? Math.round((status.index_bytes / status.source_bytes) * 100) : 0;
    const figures: [string, string, string][] = [
        [number(status.files), "files indexed", skipped > 0 ? `${number(skipped)} left out` : "none left out"],
        [compact(status.symbols), "definitions", `${compact(status.chunks)} passages`],
        [bytes(status.source_bytes), "of source", ""],
        [bytes(status.index_bytes), "of index", `${ratio} % of the source`],
        [status.stale_files === null || status.stale_files === undefined ? "not checked" : status.stale_files === 0 ? "fresh" : number(status.stale_files), status.stale_files ? "files changed since" : "freshness", `${visible(status.state)}, generation ${status.generation ?? "?"}`],
    ];
    return (
        <dl class="figures">
            {figures.map(([value, name, more]) => (
                <div><dt>{name}</dt><dd>{value}</dd><dd class="more">{more || "\u00a0"}</dd></div>
            ))}
        </dl>
    );
}

function Coverage({ route, beat }: { route: Route; beat: number }) {
    const folder = route.folder ?? "";
    const measure: Measure = route.by === "bytes" ? "bytes" : "files";
    const reply = useLoad(`${route.root ?? ""}\n${folder}\n${beat}`, (signal) => get<CoverageReply>("coverage", { path: folder, depth: 3, root: route.root }, signal));
    const [reason, setReason] = useState<string | null>(null);
    const parts = folder.split("/").filter((part) => part !== "");
    const node = reply.data?.node;
    const children = node ? [...node.children].sort((a, b) => sizeOf(b, measure) - sizeOf(a, measure)) : [];
    return (
        <section class="coverage" aria-busy={reply.isLoading}>
            <header>
                <h2>Coverage</h2>
                <nav aria-label="Folder of the picture" class="map-crumbs">
                    <a href={href({ ...route, folder: "" })}>all</a>
                    {parts.map((part, i) => <><span aria-hidden="true">/</span><a href={href({ ...route, folder: parts.slice(0, i + 1).join("/") })}>{visible(part)}</a></>)}
                </nav>
                <div class="modes" role="group" aria-label="Area by">
                    {(["files", "bytes"] as Measure[]).map((one) => <button type="button" aria-pressed={measure === one} onClick={() => change({ by: one === "files" ? "" : one })}>{one}</button>)}
                </div>
                <p class="legend quiet"><span class="swatch full" /> indexed <span class="swatch hole" /> left out</p>
            </header>
            {reply.error ? <p class="failed">{(reply.error as ApiError).message}</p> : null}
            {node && (
                <div class="map-row">
                    {children.length > 0
                        ? <Treemap node={node} measure={measure} onPick={(path) => change({ folder: path })} />
                        : <p class="quiet pad">The folder has no folders. <a class="link" href={hrefIn(route, { v: "file", path: folder, dir: "1", view: "" })}>Show its files</a></p>}
                    <div class="reasons-list">
                        <h3>Left out, by reason</h3>
                        {reply.data!.reasons.length === 0 && <p class="quiet">Nothing is left out here.</p>}
                        <ul>
                            {[...reply.data!.reasons].sort((a, b) => b.count - a.count).map((one) => (
                                <li>
                                    <button type="button" aria-expanded={reason === one.reason} onClick={() => setReason(reason === one.reason ? null : one.reason)}>
                                        <span>{one.reason}</span><small>{number(one.count)}</small>
                                    </button>
                                </li>
                            ))}
                        </ul>
                        {!reply.data!.is_whole && <p class="quiet">The counts are not complete.</p>}
                        <h3>Largest folders</h3>
                        <table>
                            <tbody>
                                {children.slice(0, 8).map((child) => (
                                    <tr>
                                        <td>{child.path === null ? visible(child.name) : <a href={href({ ...route, folder: child.path })}>{visible(child.name)}</a>}</td>
                                        <td class="n">{measure === "files" ? number(child.files) : bytes(child.bytes)}</td>
                                        <td class="n">{holeOf(child, measure) > 0 ? `−${(holeOf(child, measure) * 100).toFixed(holeOf(child, measure) < 0.1 ? 1 : 0)} %` : ""}</td>
                                    </tr>
                                ))}
                            </tbody>
                        </table>
                    </div>
                </div>
            )}
            {reason && <Skipped reason={reason} folder={folder} root={route.root} onClose={() => setReason(null)} />}
        </section>
    );
}

interface SkippedRow { path: string; reason: string; detail: string | null; is_dir: boolean }
interface SkippedReply { entries: SkippedRow[] }

function Skipped({ reason, folder, root, onClose }: { reason: string; folder: string; root: string | undefined; onClose: () => void }) {
    const reply = useLoad(`${reason}\n${root ?? ""}`, (signal) => get<SkippedReply>("skipped", { reason, root }, signal));
    const all = reply.data?.entries ?? [];
    const rows = all.filter((row) => folder === "" || row.path.startsWith(`${folder}/`));
    return (
        <div class="skipped">
            <header><h3>{reason}: {count(rows.length, "path")}</h3><button type="button" class="plain-button" onClick={onClose}>Close</button></header>
            {reply.error ? <p class="failed">{(reply.error as ApiError).message}</p> : null}
            <ul>
                {rows.slice(0, 500).map((row) => (
                    <li><code>{visible(row.path)}{row.is_dir ? "/" : ""}</code> <span class="quiet">{visible(row.detail ?? "")}</span></li>
                ))}
            </ul>
            {rows.length > 500 && <p class="quiet">and {number(rows.length - 500)} more; <code>spyhop skipped --reason {reason}</code> lists all.</p>}
        </div>
    );
}

function Views({ root, beat }: { root: string; beat: number }) {
    const reply = useLoad(`${root}\n${beat}`, (signal) => get<ViewsReply>("views", { root }, signal));
    return (
        <section>
            <h2>Views</h2>
            {reply.error ? <p class="failed">{(reply.error as ApiError).message}</p> : null}
            <div class="table-box">
                <table>
                    <thead><tr><th>Branch, commit or worktree</th><th class="n">Files</th><th class="n">Own bytes</th><th class="n">Used</th></tr></thead>
                    <tbody>
                        {reply.data?.views.map((view) => (
                            <tr>
                                <td><b>{visible(view.head)}</b>{view.current && <span class="tag">current</span>}{view.committed && <span class="quiet"> commit</span>}</td>
                                <td class="n">{number(view.files)}</td>
                                <td class="n">{bytes(view.own_bytes)}</td>
                                <td class="n">{ago(view.used)}</td>
                            </tr>
                        ))}
                    </tbody>
                </table>
            </div>
            {reply.data && <p class="quiet small">{bytes(reply.data.index_bytes)} in {visible(reply.data.index_path)}</p>}
        </section>
    );
}

function Languages({ status }: { status: StatusReply }) {
    const most = Math.max(1, ...status.languages.map((one) => one.files));
    return (
        <section>
            <h2>Languages</h2>
            <ul class="bars">
                {status.languages.slice(0, 14).map((one) => (
                    <li>
                        <a href={href({ q: `lang:${one.name} `, mode: "files" })}>{one.name}</a>
                        <span class="track" aria-hidden="true"><span style={{ width: `${(one.files / most) * 100}%` }} /></span>
                        <span class="n">{number(one.files)}</span>
                    </li>
                ))}
            </ul>
            {status.notes.length > 0 && <p class="quiet small">{status.notes.map((one) => `${number(one.files)} with ${one.note}`).join(", ")}</p>}
        </section>
    );
}
