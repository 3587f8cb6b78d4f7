// The queries of two runs, wins and losses first.

import { useMemo, useState } from "preact/hooks";
import { VirtualList } from "../../parts/virtual";
import { change, type Route } from "../../route";
import { count, number, visible } from "../../text";
import type { EvalCompare, EvalRow, EvalSide } from "../../shown";
import { ndcg, rowKey, signed } from "./index";

type Show = "all" | "wins" | "losses";
const ROW = 34;

function ranks(side: EvalSide | null): string {
    if (!side) return "";
    return side.ranks.slice(0, 4).map((rank) => (rank === null ? "–" : String(rank))).join(" ") + (side.ranks.length > 4 ? " …" : "");
}

export function QueryTable({ data, route, selected }: { data: EvalCompare; route: Route; selected: EvalRow | null }) {
    const [show, setShow] = useState<Show>("all");
    const [kind, setKind] = useState("");
    const [filter, setFilter] = useState("");
    const rows = useMemo(() => {
        const wanted = filter.toLowerCase();
        const list = data.queries.filter((row) =>
            (show === "all" || (row.difference ?? 0) * (show === "wins" ? 1 : -1) > 1e-9)
            && (kind === "" || row.kind === kind)
            && (wanted === "" || `${row.query} ${row.tree} ${row.id}`.toLowerCase().includes(wanted)));
        const weight = (row: EvalRow) => (data.b === null ? 1 - (row.a?.ndcg ?? 0) : Math.abs(row.difference ?? 0));
        return list.sort((x, y) => weight(y) - weight(x));
    }, [data, show, kind, filter]);
    const heights = useMemo(() => new Uint8Array(rows.length).fill(ROW), [rows]);
    const hasB = data.b !== null;
    return (
        <section class="query-table">
            <header>
                <h2>Queries <small>{count(rows.length, "query", "queries")}</small></h2>
                {hasB && (
                    <div class="modes" role="group" aria-label="Which queries">
                        {(["all", "wins", "losses"] as Show[]).map((one) => <button type="button" aria-pressed={show === one} onClick={() => setShow(one)}>{one}</button>)}
                    </div>
                )}
                <select aria-label="Kind" value={kind} onChange={(event) => setKind(event.currentTarget.value)}>
                    <option value="">all kinds</option>
                    {data.kinds.map((one) => <option value={one.kind}>{visible(one.kind)}</option>)}
                </select>
                <input type="text" aria-label="Filter queries" placeholder="Filter" value={filter} spellcheck={false} onInput={(event) => setFilter(event.currentTarget.value)} onKeyDown={(event) => event.key === "Escape" && event.currentTarget.blur()} />
            </header>
            <div class={`query-head${hasB ? "" : " single"}`} aria-hidden="true"><span>Query</span><span class="n">Ranks A</span>{hasB && <span class="n">Ranks B</span>}<span class="n">A</span>{hasB && <><span class="n">B</span><span class="n">Difference</span></>}</div>
            {rows.length === 0 ? <p class="quiet pad">No query.</p> : (
                <VirtualList
                    heights={heights}
                    label="Queries"
                    role="region"
                    className="query-list"
                    row={(i) => {
                        const row = rows[i]!;
                        const difference = row.difference ?? 0;
                        const isOn = selected !== null && rowKey(row) === rowKey(selected);
                        return (
                            <button key={rowKey(row)} type="button" class={`row query-row${hasB ? "" : " single"}${isOn ? " on" : ""}`} style={{ height: `${ROW}px` }} aria-pressed={isOn} onClick={() => change({ query: rowKey(row) })}>
                                <span class="q" title={row.query}><b>{visible(row.query.split("\n")[0]!.slice(0, 200))}</b><small class="quiet">{visible(row.tree)} · {visible(row.kind)}</small></span>
                                <span class="n">{ranks(row.a)}</span>
                                {hasB && <span class="n">{ranks(row.b)}</span>}
                                <span class="n">{ndcg(row.a?.ndcg)}</span>
                                {hasB && <span class="n">{ndcg(row.b?.ndcg)}</span>}
                                {hasB && (
                                    <span class="n diff-cell">
                                        <span class="diverge" aria-hidden="true"><span class={difference < 0 ? "loss" : "win"} style={{ width: `${Math.abs(difference) * 50}%`, [difference < 0 ? "right" : "left"]: "50%" }} /></span>
                                        <span class={difference < 0 ? "diff loss" : "diff win"}>{difference === 0 ? "0" : signed(difference)}</span>
                                    </span>
                                )}
                            </button>
                        );
                    }}
                />
            )}
            <p class="quiet small">{hasB ? "Sorted by the size of the difference." : "Sorted from the worst."} {number(data.queries.length)} in all. {route.query ? "" : "Choose a query to see both lists."}</p>
        </section>
    );
}
