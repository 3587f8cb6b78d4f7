// Routes and commands: the ways into the code.

import { useState } from "preact/hooks";
import { get, type ApiError } from "../../api";
import { hrefIn, keyIn, type Route } from "../../route";
import { useLoad } from "../../state";
import { count, number, visible } from "../../text";
import type { EntriesReply, EntryPoint } from "../../shown";

const MAX_ROWS = 500;

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
            <div class="graph-grid one">
                <EntryTable title="Routes" entries={routes} total={reply.data.routes.total} first={(entry) => <><b class="method">{entry.method ?? ""}</b> <code>{visible(entry.route ?? entry.name ?? "")}</code></>} route={route} none="No route of a web framework is known." />
                <EntryTable title="Commands" entries={commands} total={reply.data.commands.total} first={(entry) => <><code>{visible(entry.name ?? "")}</code> <span class="quiet">{entry.sort}</span></>} route={route} none="No command is known." />
            </div>
        </>
    );
}

type SortKey = "name" | "handler" | "place";

function sortText(entry: EntryPoint, key: SortKey): string {
    if (key === "name") return `${entry.route ?? entry.name ?? ""} ${entry.method ?? ""}`;
    if (key === "handler") return entry.definition?.symbol ?? entry.handler ?? "";
    return `${entry.path}:${String(entry.line).padStart(7, "0")}`;
}

function Handler({ entry, route }: { entry: EntryPoint; route: Route }) {
    const { definition } = entry;
    if (definition) return <a href={hrefIn(route, { v: "graph", target: `${definition.path}#${definition.symbol}` })}><code>{visible(definition.symbol)}</code></a>;
    if (entry.handler_path) return <a href={hrefIn(route, { v: "file", path: entry.handler_path })}><code>{visible(entry.handler || entry.handler_path)}</code></a>;
    return <code>{visible(entry.handler)}</code>;
}

function EntryTable({ title, entries, total, first, route, none }: {
    title: string; entries: EntryPoint[]; total: number; first: (entry: EntryPoint) => preact.ComponentChildren; route: Route; none: string;
}) {
    const [sort, setSort] = useState<{ key: SortKey; isDown: boolean } | null>(null);
    const sorted = sort ? [...entries].sort((a, b) => sortText(a, sort.key).localeCompare(sortText(b, sort.key)) * (sort.isDown ? -1 : 1)) : entries;
    const head = (key: SortKey, label: string) => (
        <th aria-sort={sort?.key === key ? (sort.isDown ? "descending" : "ascending") : undefined}>
            <button type="button" onClick={() => setSort({ key, isDown: sort?.key === key && !sort.isDown })}>{label}{sort?.key === key ? (sort.isDown ? " ↓" : " ↑") : ""}</button>
        </th>
    );
    return (
        <section>
            <h2>{title} <small>{entries.length < total ? `${number(entries.length)} of ` : ""}{count(total, "entry", "entries")}</small></h2>
            {entries.length === 0 ? <p class="quiet">{total === 0 ? none : "No entry matches the filter."}</p> : (
                <div class="table-box">
                    <table>
                        <thead><tr>{head("name", title === "Routes" ? "Route" : "Command")}{head("handler", "Handler")}{head("place", "Declared in")}</tr></thead>
                        <tbody>
                            {sorted.slice(0, MAX_ROWS).map((entry) => (
                                <tr>
                                    <td>{first(entry)}</td>
                                    <td><Handler entry={entry} route={route} /></td>
                                    <td><a class="quiet" href={hrefIn(route, { v: "file", path: entry.path, line: String(entry.line) })}>{visible(entry.path)}:{entry.line}</a></td>
                                </tr>
                            ))}
                        </tbody>
                    </table>
                </div>
            )}
            {entries.length > MAX_ROWS && <p class="quiet small">The first {number(MAX_ROWS)} are shown; filter for the others.</p>}
        </section>
    );
}
