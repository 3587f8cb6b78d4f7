// The uses of a name beside the text: by file, with the line of each, and the counts of all mentions.

import { useMemo } from "preact/hooks";
import { get } from "../../api";
import { Marked, PlaceLink } from "../../parts/code";
import { change, hrefIn, keyIn, type Route } from "../../route";
import { useLoad } from "../../state";
import { count, number, visible } from "../../text";
import type { GraphReply, GraphRow } from "../../shown";
import type { Mentions } from "../../wire";

const MAX_ROWS = 500;

/** The counts of the parts of all mentions, largest claims first; parts without a mention are left out. */
export function partsOf(mentions: Mentions): string {
    const parts: [number, string][] = [
        [mentions.resolved, "resolved"], [mentions.possible, "possible"], [mentions.definitions, mentions.definitions === 1 ? "definition" : "definitions"],
        [mentions.other, "of other symbols"], [mentions.comments_and_strings, "in comments and strings"], [mentions.not_read, "in files that were not read"],
    ];
    return parts.filter(([n]) => n > 0).map(([n, what]) => `${number(n)} ${what}`).join(", ");
}

interface FileUses { path: string; rows: GraphRow[] }

function byFile(rows: GraphRow[]): FileUses[] {
    const files = new Map<string, GraphRow[]>();
    for (const row of rows) files.set(row.path, [...(files.get(row.path) ?? []), row]);
    return [...files].map(([path, list]) => ({ path, rows: list.sort((a, b) => a.line - b.line) }));
}

export function UsesPane({ path, at, route }: { path: string; at: string; route: Route }) {
    const target = `${path}:${at}`;
    const reply = useLoad(keyIn(route, target), (signal) => get<GraphReply>("refs", { target, max_results: MAX_ROWS, view: route.view, root: route.root }, signal));
    const data = reply.isLoading ? null : reply.data;
    const name = data?.place?.name ?? data?.definitions[0]?.symbol.split(".").at(-1) ?? "";
    const resolved = useMemo(() => byFile(data?.results.filter((row) => !row.is_possible) ?? []), [data]);
    const possible = useMemo(() => byFile(data?.results.filter((row) => row.is_possible) ?? []), [data]);
    return (
        <aside class="uses-pane" aria-label="Uses of the name">
            <header>
                <h2>{name === "" ? "Uses" : <>Uses of <code>{visible(name)}</code></>}</h2>
                <button type="button" class="plain-button" title="Close (Escape)" onClick={() => change({ uses: "" })}>Close</button>
            </header>
            {reply.error ? <p class="failed">{visible((reply.error as Error).message)}</p> : null}
            {reply.isLoading && <p class="quiet" role="status">Reading the graph …</p>}
            {data?.mentions && <p class="quiet">{count(data.mentions.total, "mention")} in the text of the tree{data.mentions.total > 0 ? `: ${partsOf(data.mentions)}` : ""}.</p>}
            {data?.incomplete && <p class="quiet">Not complete: {visible(data.incomplete)}</p>}
            {data && data.results.length === 0 && <p class="quiet">{data.complete ? "No use." : "No use is resolved."}</p>}
            <FileList files={resolved} name={name} route={route} />
            {possible.length > 0 && <h3>Possible uses</h3>}
            <FileList files={possible} name={name} route={route} />
            {data && data.total > data.results.length && <p class="quiet">and {number(data.total - data.results.length)} more; <code>spyhop refs {visible(target)} --all</code> lists all.</p>}
            {data && data.definitions.length > 0 && <p><a class="link" href={hrefIn(route, { v: "graph", target })}>Callers and callees in the graph</a></p>}
        </aside>
    );
}

function FileList({ files, name, route }: { files: FileUses[]; name: string; route: Route }) {
    return (
        <>
            {files.map(({ path, rows }) => (
                <section>
                    <h3><a href={hrefIn(route, { v: "file", path, uses: "" })}>{visible(path)}</a> <small>{count(rows.length, "use")}</small></h3>
                    <ol>
                        {rows.map((row) => (
                            <li>
                                <PlaceLink row={row} route={route}>
                                    <span class="no">{row.line}</span>
                                    <code><Marked text={row.text.trim().slice(0, 200)} name={name} /></code>
                                </PlaceLink>
                            </li>
                        ))}
                    </ol>
                </section>
            ))}
        </>
    );
}
