// The sources of the library, and the notes of the memory with what is known of their truth.

import { get, type ApiError } from "../../api";
import { href, hrefIn } from "../../route";
import { useLoad } from "../../state";
import { ago, bytes, number, visible } from "../../text";

interface SourceRow {
    name: string; kind: string; location: string; commit?: string | null; state?: string; detail?: string | null;
    indexed_files?: number | null; stale_files?: number | null; raw_bytes?: number | null; index_bytes?: number | null; imported_at?: string | null;
}
interface SourcesReply { status: { library: string; sources: SourceRow[] } | null; list: { library: string; sources: SourceRow[] } | null }

export function SourcesTable() {
    const reply = useLoad("sources", (signal) => get<SourcesReply>("sources", {}, signal));
    const rows = reply.data?.status?.sources ?? reply.data?.list?.sources ?? [];
    return (
        <section>
            <h2>Library</h2>
            {reply.error ? <p class="failed">{(reply.error as ApiError).message}</p> : null}
            {reply.data && rows.length === 0 && <p class="quiet">The library has no source. <code>spyhop add SOURCE</code> adds a folder, an archive or a repository.</p>}
            {rows.length > 0 && (
                <div class="table-box">
                    <table>
                        <thead><tr><th>Source</th><th>State</th><th class="n">Files</th><th class="n">Index</th><th class="n">Imported</th></tr></thead>
                        <tbody>
                            {rows.map((row) => (
                                <tr>
                                    <td><a href={href({ q: `in:${row.name} ` })}><b>{visible(row.name)}</b></a> <span class="quiet">{row.kind}</span><br /><span class="quiet small">{visible(row.location)}</span></td>
                                    <td>{row.state ?? ""}{row.detail ? <span class="quiet"> {visible(row.detail)}</span> : null}</td>
                                    <td class="n">{row.indexed_files == null ? "" : number(row.indexed_files)}</td>
                                    <td class="n">{row.index_bytes == null ? "" : bytes(row.index_bytes)}</td>
                                    <td class="n">{row.imported_at ? ago(row.imported_at) : ""}</td>
                                </tr>
                            ))}
                        </tbody>
                    </table>
                </div>
            )}
        </section>
    );
}

interface NoteRow {
    id: string; kind: string; text: string; verification: { state: string; by: string | null; reference: string | null }; stale: boolean;
    links: { path: string; symbol: string | null; state: string; renamed_to: string | null }[]; time: string; author: string | null;
    retired: { reason: string; time: string } | null;
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
