// One query of two runs: the lists, the targets in them, and the reasons of the present index.

import { useState } from "preact/hooks";
import { get } from "../../api";
import { Reasons } from "../../parts/reasons";
import { href } from "../../route";
import { useLoad, useServer } from "../../state";
import { visible } from "../../text";
import type { EvalQuery, EvalRow, RankedHit, SearchReply } from "../../shown";
import { ndcg, signed } from "./index";

export function QueryDetail({ row, a, b, onClose }: { row: EvalRow; a: string; b: string; onClose: () => void }) {
    const info = useServer();
    const served = info?.roots.find((root) => root.name === row.tree);
    const ask = (run: string) => (signal: AbortSignal) => get<EvalQuery>("eval/query", { run, set: row.set, tree: row.tree, id: row.id }, signal);
    const key = `${row.set}/${row.tree}/${row.id}`;
    const left = useLoad(`${a}\n${key}`, ask(a));
    const right = useLoad(b === "" ? null : `${b}\n${key}`, ask(b));
    return (
        <section class="query-detail" aria-label="Chosen query">
            <header>
                <h2>{visible(row.query)}</h2>
                <button type="button" class="plain-button" onClick={onClose}>Close</button>
            </header>
            <p class="quiet">{visible(row.tree)} · {visible(row.kind)} · {visible(row.id)}{row.difference !== null ? ` · ${signed(row.difference)}` : ""}</p>
            {left.data && (
                <ul class="targets">
                    {left.data.targets.map((target, i) => (
                        <li>
                            <code>{visible(target.path)}{target.line ? `:${target.line}` : ""}</code>
                            <span class="quiet">A {row.a?.ranks[i] ?? "–"}{b !== "" ? `, B ${row.b?.ranks[i] ?? "–"}` : ""}</span>
                        </li>
                    ))}
                </ul>
            )}
            <div class="lists">
                <List name="A" side={ndcg(row.a?.ndcg)} reply={left.data} other={right.data} tree={served ? row.tree : null} />
                {b !== "" && <List name="B" side={ndcg(row.b?.ndcg)} reply={right.data} other={left.data} tree={served ? row.tree : null} />}
            </div>
            {served ? <Now query={row.query} root={row.tree} /> : <p class="quiet small">The tree {visible(row.tree)} is not served; with it the page shows the reasons of each hit.</p>}
        </section>
    );
}

function List({ name, side, reply, other, tree }: { name: string; side: string; reply: EvalQuery | null; other: EvalQuery | null; tree: string | null }) {
    if (!reply) return <div><h3>{name}</h3><p class="quiet">Reading …</p></div>;
    return (
        <div>
            <h3><span class={`run-dot ${name.toLowerCase()}`} aria-hidden="true" /> {name} <small class="quiet">NDCG {side}</small></h3>
            <ol class="hits">
                {reply.hits.slice(0, 15).map((hit, i) => {
                    const before = other?.hits.findIndex((one) => one.path === hit.path && one.line === hit.line) ?? -1;
                    const move = other ? (before < 0 ? "new" : before - i) : 0;
                    return (
                        <li class={hit.targets.length > 0 ? "answer" : ""}>
                            <span class="rank">{i + 1}</span>
                            <span class="where">
                                {hit.targets.length > 0 && <span class="sr">answers: </span>}
                                {tree ? <a href={href({ v: "file", path: hit.path, line: String(hit.line), root: tree })}>{visible(hit.path)}:{hit.line}</a> : `${visible(hit.path)}:${hit.line}`}
                            </span>
                            <span class="quiet">{name === "B" && move !== 0 ? (move === "new" ? "new" : (move as number) > 0 ? `▲${move}` : `▼${-(move as number)}`) : ""}</span>
                            <span class="n quiet">{Math.round(hit.score * 100)}</span>
                        </li>
                    );
                })}
            </ol>
        </div>
    );
}

/** The answer of the present index, with the reasons of each hit. */
function Now({ query, root }: { query: string; root: string }) {
    const [open, setOpen] = useState<number | null>(0);
    const reply = useLoad(`${root}\n${query}`, (signal) => get<{ reply: SearchReply }>("search", { q: escaped(query), mode: "ranked", limit: 10, root, detail: "debug" }, signal));
    const hits = (reply.data?.reply.results ?? []) as RankedHit[];
    return (
        <section class="now">
            <h3>Reasons, in the present index</h3>
            {reply.error ? <p class="failed">{(reply.error as Error).message}</p> : null}
            <ol class="hits">
                {hits.map((hit, i) => (
                    <li class="with-reasons">
                        <button type="button" aria-expanded={open === i} onClick={() => setOpen(open === i ? null : i)}>
                            <span class="rank">{i + 1}</span><span class="where">{visible(hit.path)}:{hit.line} <b>{hit.symbol ? visible(hit.symbol) : ""}</b></span><span class="n quiet">{Math.round(hit.score * 100)}</span>
                        </button>
                        {open === i && <Reasons reasons={hit.reasons} score={hit.score} band={hit.band} />}
                    </li>
                ))}
            </ol>
        </section>
    );
}

/** A text as words of the query language: words that look like filters are escaped. */
export function escaped(text: string): string {
    return text.replace(/\s+/g, " ").replace(/(^| )(-?[a-zA-Z]+:\S|-[a-zA-Z])/g, "$1\\$2");
}
