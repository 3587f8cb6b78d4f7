// The page without a query: what can be asked, what was asked, and the folders of the tree.

import { get } from "../../api";
import { change, href, hrefIn, keyIn, type Route } from "../../route";
import { recent, useLoad, useServer } from "../../state";
import { bytes, number, visible } from "../../text";
import type { FolderReply, StatusReply } from "../../shown";

const EXAMPLES: [string, string][] = [
    ["where is a lock released after an error", "a question: ranked places, each with its reasons"],
    ["/fn \\w+_key/", "a regular expression between slashes: every line"],
    ["@open", "definitions by name"],
    ["*.toml", "files by name or glob"],
    ["parse lang:rust path:src/ -test", "filters for language, folder and more"],
];

export function Home({ route }: { route: Route }) {
    const info = useServer();
    const at = { root: route.root, view: route.view };
    const status = useLoad(keyIn(route), (signal) => get<StatusReply>("status", at, signal));
    const folder = useLoad(keyIn(route), (signal) => get<FolderReply>("folder", at, signal));
    const asked = recent();
    const tree = info?.roots.find((root) => root.name === route.root) ?? info?.roots[0];
    return (
        <div class="home scroller" tabIndex={0} role="region" aria-label="Start">
            <section class="intro">
                <h1>{tree ? visible(tree.name) : "Code search"}</h1>
                <p class="quiet">
                    {status.data ? `${number(status.data.files)} files, ${number(status.data.symbols)} definitions, ${bytes(status.data.source_bytes)} of source` : "\u00a0"}
                    {tree?.branch ? ` on ${visible(tree.branch)}` : ""}
                </p>
            </section>
            <section>
                <h2>Ask</h2>
                <ul class="examples">
                    {EXAMPLES.map(([q, what]) => (
                        <li><a href={hrefIn(route, { q, mode: "auto" })}><code>{q}</code></a><span class="quiet">{what}</span></li>
                    ))}
                </ul>
            </section>
            {asked.length > 0 && (
                <section>
                    <h2>Asked before</h2>
                    <ul class="examples recent">{asked.map((q) => <li><a href={hrefIn(route, { q, mode: "auto" })}><code>{visible(q)}</code></a></li>)}</ul>
                </section>
            )}
            {info && info.roots.length > 1 && (
                <section>
                    <h2>Trees</h2>
                    <ul class="folder-list">
                        {info.roots.map((root) => <li><a href={href({ root: root.name })} title={visible(root.path)}><b>{visible(root.name)}</b><small>{visible(root.branch ?? root.state)}</small></a></li>)}
                    </ul>
                </section>
            )}
            <section>
                <h2>Folders{info && info.roots.length > 1 ? ` of ${visible(tree?.name ?? "")}` : ""}</h2>
                <ul class="folder-list">
                    {folder.data?.entries.filter((entry) => entry.is_dir).slice(0, 60).map((entry) => (
                        <li><a href={hrefIn(route, { v: "file", path: entry.path, dir: "1" })}><b>{visible(entry.name)}</b><small>{entry.files === null ? "" : number(entry.files)}</small></a></li>
                    ))}
                </ul>
                <p class="quiet">
                    Press <kbd>/</kbd> to search, <kbd>?</kbd> for all keys.{" "}
                    <button type="button" class="link" onClick={() => change({ mode: "files" })}>All files</button>
                </p>
            </section>
        </div>
    );
}
