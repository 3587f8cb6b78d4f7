// The entries of a folder.

import { get, type ApiError } from "../../api";
import { hrefIn, keyIn, type Route } from "../../route";
import { Shown } from "../../parts/code";
import { useLoad } from "../../state";
import { bytes, number, visible } from "../../text";
import type { FolderReply } from "../../shown";
import { byName } from "./tree";

export function Folder({ route }: { route: Route }) {
    const path = (route.path ?? "").replace(/\/$/, "");
    const reply = useLoad(keyIn(route, path), (signal) => get<FolderReply>("folder", { path, view: route.view, root: route.root }, signal));
    if (reply.error) return <div class="empty"><h2>Not found</h2><p>{visible((reply.error as ApiError).message)}</p></div>;
    if (!reply.data) return <p class="pad quiet" role="status">Reading …</p>;
    const entries = byName(reply.data.entries);
    return (
        <div class="scroller folder-view" tabIndex={0} role="region" aria-label="Entries of the folder">
            <table>
                <thead><tr><th>Name</th><th class="n">Files</th><th class="n">Lines</th><th class="n">Size</th></tr></thead>
                <tbody>
                    {entries.map((entry) => (
                        <tr>
                            <td class={entry.is_dir ? "dir" : ""}><a href={hrefIn(route, { v: "file", path: entry.path, dir: entry.is_dir ? "1" : "" })}><Shown text={entry.name} />{entry.is_dir ? "/" : ""}</a></td>
                            <td class="n">{entry.is_dir && entry.files !== null ? number(entry.files) : ""}</td>
                            <td class="n">{entry.lines === null ? "" : number(entry.lines)}</td>
                            <td class="n">{entry.bytes === null ? "" : bytes(entry.bytes)}</td>
                        </tr>
                    ))}
                </tbody>
            </table>
        </div>
    );
}
