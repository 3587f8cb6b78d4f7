// What depends on the working diff, or on a change of revisions.

import { useState } from "preact/hooks";
import { get, type ApiError } from "../../api";
import { change, hrefIn, keyIn, type Route } from "../../route";
import { useLoad } from "../../state";
import { count, nameOf, visible } from "../../text";
import type { GraphReply } from "../../shown";
import { Kind } from "../search/row";

export function ImpactTab({ route }: { route: Route }) {
    const diff = route.diff || "working";
    const reply = useLoad(keyIn(route, diff), (signal) => get<GraphReply>("impact", { diff, max_results: 300, root: route.root }, signal));
    const [text, setText] = useState(route.diff ?? "");
    const data = reply.data;
    const file = (path: string, line?: number) => hrefIn(route, { v: "file", path, line: line ? String(line) : "" });
    const depths = [...new Set(data?.results.map((row) => row.depth) ?? [])].sort((a, b) => a - b);
    return (
        <>
            <form class="target" onSubmit={(event) => { event.preventDefault(); change({ diff: text.trim() }); }}>
                <input type="text" aria-label="Revision or range" placeholder="Uncommitted changes; or a revision, or A..B" value={text} spellcheck={false} onInput={(event) => setText(event.currentTarget.value)} onKeyDown={(event) => event.key === "Escape" && event.currentTarget.blur()} />
                <button type="submit" class="plain-button">Show</button>
            </form>
            {reply.error ? <p class="failed" role="alert">{visible((reply.error as ApiError).message)}</p> : null}
            {reply.isLoading && <p class="quiet" role="status">Reading the change …</p>}
            {data && data.definitions.length === 0 && data.results.length === 0 && !reply.error && (
                <div class="empty"><h2>No changed symbol</h2><p>The change touches no definition{diff === "working" ? ", or nothing is uncommitted" : ""}.</p></div>
            )}
            {data && (data.definitions.length > 0 || data.results.length > 0) && (
                <div class="graph-grid three">
                    <section>
                        <h2>Changed <small>{count(data.definitions.length, "symbol")}</small></h2>
                        <ul class="uses">
                            {data.definitions.slice(0, 100).map((one) => (
                                <li class="stacked"><span class="whole"><Kind kind={one.kind} /> <a href={hrefIn(route, { v: "graph", target: `${one.path}#${one.symbol}` })}>{visible(one.symbol)}</a></span><a class="quiet where" href={file(one.path, one.line)}>{visible(one.path)}:{one.line}</a></li>
                            ))}
                        </ul>
                    </section>
                    <section>
                        <h2>Depends on it <small>{data.complete ? "" : "at least "}{count(data.total, "use")}</small></h2>
                        {depths.map((depth) => (
                            <>
                                <h3>{depth === 1 ? "directly" : `through ${depth} calls`}</h3>
                                <ul class="uses">
                                    {data.results.filter((row) => row.depth === depth).slice(0, 100).map((row) => (
                                        <li class="stacked">
                                            <span class="whole"><a href={file(row.path, row.line)}>{visible(row.from?.symbol ?? nameOf(row.path))}</a> <span class="quiet">{row.relation}{row.to.symbol ? ` ${visible(row.to.symbol)}` : ""}{row.is_test ? " · test" : ""}</span></span>
                                            <a class="quiet where" title={visible(row.text.trim().slice(0, 200))} href={file(row.path, row.line)}>{visible(row.path)}:{row.line}</a>
                                        </li>
                                    ))}
                                </ul>
                            </>
                        ))}
                    </section>
                    <section>
                        <h2>Tests to run <small>{count(data.tests.length, "file")}</small></h2>
                        {data.tests.length === 0 && <p class="quiet">No test file depends on it.</p>}
                        <ul class="uses">
                            {data.tests.slice(0, 60).map((test) => <li><a href={file(test.path)} title={visible(test.reason)}>{visible(test.path)}</a><span class="quiet">{Math.round(test.confidence * 100)} %</span></li>)}
                        </ul>
                        {data.entries.length > 0 && <h2 class="next">Routes and commands that lead to it</h2>}
                        <ul class="uses">{data.entries.slice(0, 40).map((entry) => <li><a href={file(entry.path, entry.line)}>{visible(entry.route ? `${entry.method ?? ""} ${entry.route}` : entry.name ?? "")}</a><span class="quiet">{entry.framework}</span></li>)}</ul>
                    </section>
                </div>
            )}
            {data && data.warnings.length > 0 && <ul class="notes">{data.warnings.map((warning) => <li>{visible(warning)}</li>)}</ul>}
        </>
    );
}
