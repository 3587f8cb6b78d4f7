// Routes and commands: the ways into the code.

import { useState } from "preact/hooks";
import { get, type ApiError } from "../../api";
import { hrefIn, keyIn, type Route } from "../../route";
import { useLoad } from "../../state";
import { count, visible } from "../../text";
import type { EntriesReply, EntryPoint } from "../../shown";

export function EntriesTab({ route }: { route: Route }) {
    const reply = useLoad(keyIn(route), (signal) => get<{ routes: EntriesReply; commands: EntriesReply }>("entries", { view: route.view, root: route.root }, signal));
    const [filter, setFilter] = useState("");
    const wanted = filter.toLowerCase();
    const match = (entry: EntryPoint) => `${entry.method ?? ""} ${entry.route ?? entry.name} ${entry.handler ?? ""} ${entry.path}`.toLowerCase().includes(wanted);
    if (reply.error) return <p class="failed" role="alert">{visible((reply.error as ApiError).message)}</p>;
    if (!reply.data) return <p class="quiet" role="status">Reading routes and commands …</p>;
    const routes = (reply.data.routes.results as EntryPoint[]).filter(match);
    const commands = (reply.data.commands.results as EntryPoint[]).filter(match);
    return (
        <>
            <form class="target" onSubmit={(event) => event.preventDefault()}>
                <input type="text" aria-label="Filter" placeholder="Filter by name, path or handler" value={filter} spellcheck={false} onInput={(event) => setFilter(event.currentTarget.value)} onKeyDown={(event) => event.key === "Escape" && event.currentTarget.blur()} />
            </form>
            <div class="graph-grid">
                <EntryTable title="Routes" entries={routes} total={reply.data.routes.total} first={(entry) => <><b class="method">{entry.method ?? ""}</b> <code>{visible(entry.route ?? entry.name ?? "")}</code></>} route={route} none="No route of a web framework is known." />
                <EntryTable title="Commands" entries={commands} total={reply.data.commands.total} first={(entry) => <><code>{visible(entry.name ?? "")}</code> <span class="quiet">{entry.sort}</span></>} route={route} none="No command is known." />
            </div>
        </>
    );
}

function EntryTable({ title, entries, total, first, route, none }: {
    title: string; entries: EntryPoint[]; total: number; first: (entry: EntryPoint) => preact.ComponentChildren; route: Route; none: string;
}) {
    return (
        <section>
            <h2>{title} <small>{count(total, "entry", "entries")}</small></h2>
            {entries.length === 0 ? <p class="quiet">{none}</p> : (
                <div class="table-box">
                    <table>
                        <thead><tr><th>{title === "Routes" ? "Route" : "Command"}</th><th>Handler</th><th>Declared in</th></tr></thead>
                        <tbody>
                            {entries.slice(0, 300).map((entry) => (
                                <tr>
                                    <td>{first(entry)}</td>
                                    <td>
                                        {entry.definition
                                            ? <a href={hrefIn(route, { v: "graph", target: `${entry.definition.path}#${entry.definition.symbol}` })}><code>{visible(entry.definition.symbol)}</code></a>
                                            : entry.handler_path
                                                ? <a href={hrefIn(route, { v: "file", path: entry.handler_path })}><code>{visible(entry.handler ?? entry.handler_path)}</code></a>
                                                : <code>{visible(entry.handler ?? "")}</code>}
                                    </td>
                                    <td><a class="quiet" href={hrefIn(route, { v: "file", path: entry.path, line: String(entry.line) })}>{visible(entry.path)}:{entry.line}</a></td>
                                </tr>
                            ))}
                        </tbody>
                    </table>
                </div>
            )}
        </section>
    );
}
