// For researchers: two runs of spyhop-eval side by side, and weights that rank again while they are moved.

import { useMemo } from "preact/hooks";
import { get, type ApiError } from "../../api";
import { change, href, type Route } from "../../route";
import { useLoad } from "../../state";
import { count, number, visible } from "../../text";
import type { EvalCompare, EvalRuns } from "../../shown";
import { QueryDetail } from "./detail";
import { QueryTable } from "./queries";
import { WeightsTab } from "./weights";

export function rowKey(row: { set: string; tree: string; id: string }): string {
    return `${row.set}/${row.tree}/${row.id}`;
}

export function ndcg(value: number | null | undefined): string {
    return value === null || value === undefined ? "–" : value.toFixed(3).replace(/^0/, "");
}

export function signed(value: number | null): string {
    return value === null ? "" : `${value < 0 ? "−" : "+"}${ndcg(Math.abs(value))}`;
}

export function EvalView({ route }: { route: Route }) {
    const runs = useLoad("runs", (signal) => get<EvalRuns>("eval/runs", {}, signal));
    const tab = route.tab ?? "";
    return (
        <div class="eval scroller" tabIndex={0} role="region" aria-label="Evaluation">
            <header class="eval-head graph-head">
                <h1>Evaluation</h1>
                <nav aria-label="Parts of the evaluation">
                    <a href={href({ ...route, tab: "" })} aria-current={tab === "" ? "page" : undefined}>Runs</a>
                    <a href={href({ ...route, tab: "weights" })} aria-current={tab === "weights" ? "page" : undefined}>Weights</a>
                </nav>
            </header>
            {runs.error ? <div class="empty" role="alert"><h2>No evaluation</h2><p>{(runs.error as ApiError).message}</p></div> : null}
            {runs.data && (tab === "weights" ? <WeightsTab route={route} /> : <Runs route={route} runs={runs.data} />)}
        </div>
    );
}

function Runs({ route, runs }: { route: Route; runs: EvalRuns }) {
    const names = runs.runs.map((run) => run.name);
    const a = route.a || names[0] || "";
    const b = route.b === "none" ? "" : route.b || names[1] || "";
    const compare = useLoad(a === "" ? null : `${a}\n${b}`, (signal) => get<EvalCompare>("eval/compare", { a, b }, signal));
    const data = compare.data;
    const selected = useMemo(() => data?.queries.find((row) => rowKey(row) === route.query) ?? null, [data, route.query]);
    if (names.length === 0) {
        return (
            <div class="empty">
                <h2>No run in the folder</h2>
                <p><code>spyhop-eval run questions.toml --trees DIR --out RUN.jsonl</code> writes one.</p>
                {runs.failed.length > 0 && <ul class="notes">{runs.failed.map((one) => <li>{visible(one.name)}: {visible(one.error)}</li>)}</ul>}
            </div>
        );
    }
    const pick = (key: "a" | "b", value: string) => (
        <label>
            <span class={`run-dot ${key}`} aria-hidden="true" /> {key.toUpperCase()}{" "}
            <select value={value} onChange={(event) => change({ [key]: event.currentTarget.value || "none", query: "" })}>
                {key === "b" && <option value="">none</option>}
                {runs.runs.map((run) => <option value={run.name}>{visible(run.name)}</option>)}
            </select>
        </label>
    );
    return (
        <>
            <div class="run-picks">
                {pick("a", a)}{pick("b", b)}
                <button type="button" class="plain-button" onClick={() => change({ a: b || "none", b: a, query: "" })} disabled={b === ""}>Swap</button>
            </div>
            {compare.error ? <p class="failed" role="alert">{(compare.error as ApiError).message}</p> : null}
            {data && <Summary data={data} runs={runs} />}
            {data && <Kinds data={data} />}
            {data && (
                <div class={selected ? "eval-split" : ""}>
                    <QueryTable data={data} route={route} selected={selected} />
                    {selected && <QueryDetail row={selected} a={a} b={b} onClose={() => change({ query: "" })} />}
                </div>
            )}
            {runs.failed.length > 0 && <ul class="notes">{runs.failed.map((one) => <li>{visible(one.name)} could not be read: {visible(one.error)}</li>)}</ul>}
        </>
    );
}

function Summary({ data, runs }: { data: EvalCompare; runs: EvalRuns }) {
    const run = runs.runs.find((one) => one.name === data.a);
    const hasB = data.b !== null && data.mean.b !== null;
    const difference = hasB ? data.mean.b! - data.mean.a : null;
    const figures: [string, string, string][] = [
        [ndcg(data.mean.a), `NDCG@${data.k} of A`, run ? `${count(run.queries, "query", "queries")}, ${count(run.trees, "tree")}` : ""],
        ...(hasB ? [
            [ndcg(data.mean.b), `NDCG@${data.k} of B`, `${signed(difference)} to A`],
            [number(data.wins), "wins of B", `${number(data.ties)} ties`],
            [number(data.losses), "losses of B", data.wins + data.losses > 0 ? `${Math.round((100 * data.wins) / (data.wins + data.losses))} % of what moved is a win` : ""],
        ] as [string, string, string][] : [
            [run ? ndcg(run.mrr) : "–", "MRR", ""],
            [run ? ndcg(run.success_1) : "–", "first hit answers", ""],
        ] as [string, string, string][]),
    ];
    return (
        <dl class="figures">
            {figures.map(([value, name, more]) => <div><dt>{name}</dt><dd>{value}</dd><dd class="more">{more || "\u00a0"}</dd></div>)}
        </dl>
    );
}

function Kinds({ data }: { data: EvalCompare }) {
    return (
        <section class="kinds">
            <h2>NDCG by kind of query</h2>
            <ul>
                {data.kinds.map((kind) => (
                    <li>
                        <span class="kind-name">{visible(kind.kind)} <small class="quiet">{number(kind.queries)}</small></span>
                        <span class="pair" role="img" aria-label={`${kind.kind}: A ${ndcg(kind.a)}${kind.b === null ? "" : `, B ${ndcg(kind.b)}`}`}>
                            <span class="bar-track"><span class="a" style={{ width: `${kind.a * 100}%` }} /></span>
                            {kind.b !== null && <span class="bar-track"><span class="b" style={{ width: `${kind.b * 100}%` }} /></span>}
                        </span>
                        <span class="n">{ndcg(kind.a)}</span>
                        <span class="n">{kind.b === null ? "" : ndcg(kind.b)}</span>
                        <span class={`n diff ${kind.b !== null && kind.b < kind.a ? "loss" : "win"}`}>{kind.b === null ? "" : signed(kind.b - kind.a)}</span>
                    </li>
                ))}
            </ul>
        </section>
    );
}
