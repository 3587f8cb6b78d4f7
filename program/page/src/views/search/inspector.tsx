// Beside the results: why the selected hit is there, who uses it, and why another file is not.

import { useEffect, useState } from "preact/hooks";
import { fileSpans, get, treeOf } from "../../api";
import { Pieces, Shown } from "../../parts/code";
import { bandText, Reasons } from "../../parts/reasons";
import { hrefIn, keyIn, scopeOf, type Route } from "../../route";
import { useLoad } from "../../state";
import { codeLines, count, folderOf, nameOf, visible } from "../../text";
import type { Found } from "../../search";
import type { FileHit, FileReply, GraphReply, GrepHit, RankedHit, SymbolHit, WhyNot } from "../../shown";
import { Kind, placeHref, placeRoute } from "./row";
import { targetOf } from "./index";

export function Inspector({ found, hit }: { found: Found; hit: number }) {
    const row = found.reply.results[hit];
    return (
        <aside class="inspector" aria-label="About the selected result">
            {row && (
                <header>
                    <h2>{title(row)}</h2>
                    <p class="quiet"><a href={placeHref(found, row, "line" in row ? row.line : undefined)}><Shown text={folderOf(row.path)} /><b><Shown text={nameOf(row.path)} /></b>{"line" in row ? `:${row.line}` : ""}</a></p>
                </header>
            )}
            {row && "reasons" in row && (
                <section>
                    <h3>Why it is here</h3>
                    <Reasons reasons={row.reasons} score={row.score} band={row.band} />
                </section>
            )}
            {row && "enclosing" in row && row.enclosing && (
                <section>
                    <h3>Inside of</h3>
                    <p><Kind kind={row.enclosing.kind} /> <a href={placeHref(found, row, row.enclosing.line)}>{visible(row.enclosing.name)}</a> <span class="quiet">lines {row.enclosing.line}–{row.enclosing.end_line}</span></p>
                </section>
            )}
            {row && found.state.mode !== "ranked" && <Preview found={found} row={row as FileHit | GrepHit | SymbolHit} />}
            {row && <Callers target={targetOf(found, hit)} route={placeRoute(found, row)} />}
            {found.state.mode === "ranked" && <WhyNotBox found={found} />}
        </aside>
    );
}

function title(row: RankedHit | GrepHit | FileHit | SymbolHit): string {
    if ("symbol" in row && row.symbol) return visible(row.symbol);
    if ("name" in row) return visible(row.name);
    if ("enclosing" in row && row.enclosing) return visible(row.enclosing.name);
    return visible(nameOf(row.path));
}

/** A value that has not changed for some time, else `null`: so moving through hits asks nothing. */
function useRested<T extends string | null>(value: T, ms: number): T | null {
    const [rested, setRested] = useState<T | null>(null);
    useEffect(() => {
        const timer = setTimeout(() => setRested(value), ms);
        return () => clearTimeout(timer);
    }, [value]);
    return rested === value ? value : null;
}

const LINES_AROUND = 18;

/** The lines of a preview: those of a definition, or those around a line. */
function previewLines(row: FileHit | GrepHit | SymbolHit): [number, number] {
    if (!("line" in row)) return [1, 40];
    if ("end_line" in row) return [row.line, Math.min(row.end_line, row.line + 39)];
    return [Math.max(1, row.line - LINES_AROUND), row.line + LINES_AROUND];
}

/** The text of the file at a hit whose row shows a single line or none. */
function Preview({ found, row }: { found: Found; row: FileHit | GrepHit | SymbolHit }) {
    const { path } = row;
    const [from, to] = previewLines(row);
    const asked = useRested(`${path}:${from}-${to}`, 150);
    const at = treeOf(found, row);
    const reply = useLoad(asked && keyIn(at, asked), (signal) => get<FileReply>("excerpt", { path, lines: `${from}-${to}`, ...at }, signal));
    if (!asked || !reply.data || reply.isLoading) return null;
    const line = "line" in row ? row.line : 0;
    const lines = codeLines(reply.data.text.replace(/\n$/, ""), fileSpans(reply.data));
    return (
        <section class="preview">
            <h3>{line === 0 ? "Begins with" : `Lines ${from} to ${from + lines.length - 1}`}</h3>
            <pre tabIndex={0} aria-label={`Lines of ${visible(path)}`}>
                {lines.map((pieces, i) => (
                    <a class={from + i === line && "text" in row ? "on" : undefined} tabIndex={-1} href={placeHref(found, row, from + i)}>
                        <span class="no">{from + i}</span>
                        <code><Pieces pieces={pieces} /></code>
                    </a>
                ))}
            </pre>
        </section>
    );
}

function Callers({ target, route }: { target: string | null; route: Partial<Route> }) {
    const asked = useRested(target, 300);
    const callers = useLoad(asked && keyIn(route, asked), (signal) => get<GraphReply>("callers", { target: asked, max_results: 6, root: route.root, view: route.view }, signal));
    const reply = asked ? callers.data : null;
    if (!target || !reply || reply.definitions.length === 0) return null;
    return (
        <section>
            <h3>Called by</h3>
            {reply.results.length === 0 ? <p class="quiet">No call is known.</p> : (
                <ul class="uses">
                    {reply.results.slice(0, 5).map((use) => (
                        <li>
                            <a href={hrefIn(route, { v: "file", path: use.path, line: String(use.line) })}>{visible(use.from?.symbol ?? use.path)}</a>
                            <span class="quiet">{visible(nameOf(use.path))}:{use.line}</span>
                        </li>
                    ))}
                </ul>
            )}
            <p><a href={hrefIn(route, { v: "graph", target })}>{reply.total > 5 ? `All ${count(reply.total, "call")} in the graph` : "Show in the graph"}</a></p>
        </section>
    );
}

function WhyNotBox({ found }: { found: Found }) {
    const [file, setFile] = useState("");
    const [asked, setAsked] = useState("");
    const key = asked === "" ? null : `${asked}\n${found.key}`;
    const answer = useLoad(key, (signal) => get<WhyNot>("why-not", {
        file: asked, q: found.route.q, ...scopeOf(found.route),
    }, signal));
    return (
        <section>
            <h3>Why not another file?</h3>
            <form class="whynot" onSubmit={(event) => { event.preventDefault(); setAsked(file.trim()); }}>
                <input id="why-not-file" type="text" aria-label="Path of the file that you expected" placeholder="path/of/file" autocomplete="off" spellcheck={false}
                    value={file} onInput={(event) => setFile(event.currentTarget.value)} onKeyDown={(event) => event.key === "Escape" && event.currentTarget.blur()} />
                <button type="submit">Ask</button>
            </form>
            {key && answer.error ? <p class="failed">{visible((answer.error as Error).message)}</p> : null}
            {key && answer.data && !answer.isLoading && (
                <div class="verdict" role="status">
                    <p>{visible(answer.data.text)}</p>
                    {answer.data.hit && <p class="quiet">{bandText(answer.data.hit.score, answer.data.hit.band)}</p>}
                    {answer.data.hit && <Reasons reasons={answer.data.hit.reasons} score={answer.data.hit.score} band={answer.data.hit.band} />}
                </div>
            )}
        </section>
    );
}
