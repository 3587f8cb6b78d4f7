// The line above the results: how many, how they were asked, how fresh they are; and errors.

import { change, hrefIn, type Route } from "../../route";
import { ago, count, nameOf, number, visible } from "../../text";
import type { Found, Search } from "../../search";
import type { FileHit } from "../../shown";

function summary(found: Found): string {
    const { reply, state } = found;
    // Until the server has counted, the totals are those of the rows.
    const least = reply.complete === false || (reply.next && !state.timings) ? "at least " : "";
    switch (state.mode) {
        case "exact":
            return `${least}${count(reply.total_lines ?? 0, "line")} in ${count(reply.total_files ?? 0, "file")}`;
        case "ranked":
            return `${count(reply.total ?? 0, "place")}, best first`;
        case "files":
            return `${count(reply.total ?? 0, "file")}${reply.left_out ? `, and ${number(reply.left_out)} with scattered letters` : ""}`;
        case "symbols":
            return count(reply.total ?? 0, "definition");
    }
}

/** Files by name, which are known before the results. They stand in a line that is there anyway, so nothing moves. */
export function EarlyFiles({ files, route }: { files: FileHit[]; route: Route }) {
    if (files.length === 0) return null;
    return (
        <span class="early" role="group" aria-label="Files with this name">
            {files.map((file) => (
                <a href={hrefIn(route, { v: "file", path: file.path, ...(file.source ? { root: file.source.name } : {}) })} title={visible(file.path)}>{visible(nameOf(file.path))}</a>
            ))}
        </span>
    );
}

/** The line above the results before there are any. */
export function EarlyLine({ files, route }: { files: FileHit[]; route: Route }) {
    return <div class="status"><p><b>Searching …</b><EarlyFiles files={files} route={route} /></p></div>;
}

export function Status({ search, found, route }: { search: Search; found?: Found; route?: Route }) {
    const { error } = search;
    if (error && error.kind !== "bad-query") {
        return (
            <div class="status failed" role="alert">
                <b>{error.kind === "lost" ? "No connection." : error.kind === "no-index" ? "The first index is being built." : "The search failed."}</b> {visible(error.message)}
            </div>
        );
    }
    if (!found) {
        return error ? <div class="empty"><h2>The query has an error</h2><p>{visible(error.message)}</p></div> : null;
    }
    const { reply, state } = found;
    const ms = state.timings ? `${state.timings.total_ms < 10 ? state.timings.total_ms.toFixed(1) : Math.round(state.timings.total_ms)} ms` : "";
    const snapshot = reply.snapshot;
    const notes = [...(state.note ? [state.note] : []), ...reply.warnings];
    if (reply.incomplete) notes.push(reply.incomplete);
    const exactHits = state.mode === "ranked" ? reply.fallback_grep_hits ?? 0 : 0;
    return (
        <div class="status">
            <p role="status">
                <b>{summary(found)}</b>
                {state.isAutomatic && state.whyMode && <span class="quiet" title={`mode ${state.mode}: ${state.whyMode}`}>{state.mode}</span>}
                {ms && <span class="quiet">{ms}</span>}
                {exactHits > 0 && (
                    <button type="button" class="link" onClick={() => change({ mode: "exact" })}>{count(exactHits, "line")} with exactly this text</button>
                )}
                {search.hasNews && <button type="button" class="news" onClick={search.showNews}>The index changed: show new results (r)</button>}
                {route && <EarlyFiles files={search.early} route={route} />}
                <span class="fresh quiet" title={`${visible(snapshot.root)}\ngeneration ${snapshot.generation ?? "?"}, ${count(snapshot.indexed_files, "file")}`}>
                    {visible(snapshot.branch ?? "")}{snapshot.checked_at ? ` · checked ${ago(snapshot.checked_at)}` : ""}
                    {snapshot.stale_files > 0 ? ` · ${count(snapshot.stale_files, "file")} changed since` : ""}
                    {snapshot.building ? ` · indexing, ${number(snapshot.building.files)} of ${number(snapshot.building.of)} files` : ""}
                </span>
            </p>
            {notes.length > 0 && <ul class="notes">{notes.map((note) => <li>{visible(note)}</li>)}</ul>}
        </div>
    );
}
