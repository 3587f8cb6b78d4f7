// The sources of the library, and the notes of the memory with what is known of their truth.

import { useState } from "preact/hooks";
import { get, type ApiError } from "../../api";
import { href, hrefIn } from "../../route";
import { useLoad } from "../../state";
import { ago, bytes, count, number, visible } from "../../text";
import type { NoteRow, ShownSource, Sources, SourceStatus } from "../../wire";

export function SourcesTable() {
    const reply = useLoad("sources", (signal) => get<Partial<Sources>>("sources", {}, signal));
    const [opened, setOpened] = useState<string | null>(null);
    const rows = reply.data?.status?.sources ?? [];
    const unfinished = reply.data?.list?.unfinished ?? [];
    return (
        <section class={rows.length > 0 ? "wide" : undefined}>
            <h2>Library</h2>
            {reply.error ? <p class="failed">{(reply.error as ApiError).message}</p> : null}
            {reply.data && rows.length === 0 && <p class="quiet">The library has no source. <code>spyhop add SOURCE</code> adds a folder, an archive or a repository.</p>}
            {rows.length > 0 && (
                <div class="table-box">
                    <table>
                        <thead><tr><th>Source</th><th>State</th><th class="n">Files</th><th class="n">Index</th><th class="n">Imported</th></tr></thead>
                        <tbody>{rows.map((row) => <SourceLines row={row} isOpen={opened === row.name} onToggle={() => setOpened(opened === row.name ? null : row.name)} />)}</tbody>
                    </table>
                </div>
            )}
            {unfinished.map((one) => <p class="failed">The import of {visible(one.name)} from {visible(one.location)} stopped at the stage {one.stage}, {ago(one.begun_at)}.</p>)}
        </section>
    );
}

function SourceLines({ row, isOpen, onToggle }: { row: SourceStatus; isOpen: boolean; onToggle: () => void }) {
    return (
        <>
            <tr>
                <td>
                    <button type="button" class="twist" aria-expanded={isOpen} aria-label={visible(`Record of ${row.name}`)} onClick={onToggle}>{isOpen ? "▾" : "▸"}</button>{" "}
                    <a href={href({ q: `in:${row.name} ` })}><b>{visible(row.name)}</b></a> <span class="quiet">{row.kind}</span><br />
                    <span class="quiet small">{visible(row.location)}</span>
                </td>
                <td>{row.state}{row.detail ? <span class="quiet"> {visible(row.detail)}</span> : null}</td>
                <td class="n">{number(row.indexed_files)}</td>
                <td class="n">{bytes(row.index_bytes)}</td>
                <td class="n">{ago(row.imported_at)}</td>
            </tr>
            {isOpen && <tr class="record"><td colSpan={5}><SourceRecord name={row.name} /></td></tr>}
        </>
    );
}

const MAX_LEFT_OUT = 100;

/** What the library recorded of a source: where its state came from, its imports, and what they left out. */
function SourceRecord({ name }: { name: string }) {
    const reply = useLoad(name, (signal) => get<ShownSource>("library/show", { source_name: name }, signal));
    if (reply.error) return <p class="failed">{visible((reply.error as ApiError).message)}</p>;
    const source = reply.data;
    if (!source) return <p class="quiet" role="status">Reading the record …</p>;
    const left = source.left_out;
    return (
        <>
            <dl>{factsOf(source).map(([term, value]) => <div><dt>{term}</dt><dd>{visible(value)}</dd></div>)}</dl>
            <h3>Imports</h3>
            <ul>{source.history.map((one) => <li>{one.import}: {one.event} {ago(one.at)}{one.commit ? <>, commit <code>{one.commit.slice(0, 12)}</code></> : null}{one.tree_hash ? <>, tree <code>{one.tree_hash.slice(0, 12)}</code></> : null}</li>)}</ul>
            <h3>Left out by the import: {count(source.left_out_count, "entry", "entries")}</h3>
            {left.length > 0 && <ul>{left.slice(0, MAX_LEFT_OUT).map((one) => <li><code>{visible(one.path)}</code> <span class="quiet">{visible(one.reason)}</span></li>)}</ul>}
            {source.left_out_count > Math.min(left.length, MAX_LEFT_OUT) && <p class="quiet">and {number(source.left_out_count - Math.min(left.length, MAX_LEFT_OUT))} more</p>}
        </>
    );
}

function factsOf(source: ShownSource): [string, string][] {
    const facts: [string, string | null | undefined][] = [
        ["Commit", source.commit], ["Ref", source.ref], ["Branch", source.branch], ["Folder", source.folder],
        ["Package", source.package && `${source.package.ecosystem} ${source.package.name} ${source.package.version ?? ""}`],
        ["Hash of the archive", source.archive_hash], ["Hash of the tree", source.tree_hash],
        ["Licence", source.licence && `${source.licence}${source.licence_files.length > 0 ? ` (${source.licence_files.join(", ")})` : ""}`],
        ["Size", `${number(source.files)} files, ${bytes(source.bytes)}`], ["Stored at", source.path],
        ["Protected", source.protected ? "yes: not replaced or removed by the intake" : "no"],
    ];
    return facts.flatMap(([term, value]): [string, string][] => (value ? [[term, value]] : []));
}

export function NotesTable({ root }: { root: string }) {
    const reply = useLoad(`notes\n${root}`, (signal) => get<{ results: NoteRow[]; total: number }>("notes", { root }, signal));
    return (
        <section>
            <h2>Memory</h2>
            {reply.error ? <p class="failed">{(reply.error as ApiError).message}</p> : null}
            {reply.data && reply.data.results.length === 0 && <p class="quiet">There are no notes about this code. <code>spyhop memory add</code> adds one.</p>}
            <ul class="note-list">
                {reply.data?.results.slice(0, 50).map((note) => (
                    <li>
                        <p>
                            <span class={`state s-${note.retired ? "retired" : note.verification.state}`}>{note.retired ? "retired" : note.verification.state}</span>
                            <span class="quiet">{note.kind}{note.verification.by ? `, by ${note.verification.by}` : ""} · {ago(note.time)}</span>
                            {note.stale && <span class="tag warn">code changed since</span>}
                        </p>
                        <p class="note-text">{visible(note.text)}</p>
                        {note.retired && <p class="small quiet">Retired {ago(note.retired.time)}: {visible(note.retired.reason)}</p>}
                        {note.signals.length > 0 && <p class="small quiet">signals: {visible(note.signals.join(", "))}</p>}
                        {!note.retired && note.verification.state !== "verified" && <p class="small quiet">Not verified: <code>spyhop memory verify {note.id}</code> verifies it, <code>spyhop memory retire {note.id}</code> retires it.</p>}
                        {note.links.length > 0 && (
                            <p class="small">
                                {note.links.slice(0, 4).map((link) => (
                                    <a class="note-link" href={hrefIn({ root }, link.symbol ? { v: "graph", target: `${link.renamed_to ?? link.path}#${link.symbol}` } : { v: "file", path: link.renamed_to ?? link.path })}>
                                        {visible(link.symbol ?? link.path)}{link.state !== "current" ? ` (${link.state})` : ""}
                                    </a>
                                ))}
                            </p>
                        )}
                    </li>
                ))}
            </ul>
        </section>
    );
}
