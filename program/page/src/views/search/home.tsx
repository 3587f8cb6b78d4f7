// The page without a query: what can be asked, what was asked, and the folders of the tree.

import { get } from "../../api";
import { change, href, hrefIn, keyIn, type Route } from "../../route";
import { recent, useLoad, useServer } from "../../state";
import { bytes, number, visible } from "../../text";
import type { FolderReply, StatusReply } from "../../shown";
import type { MapReply } from "../../wire";

type Example = [query: string, what: string];

/** The words of a name: `read_holder` and `readHolder` have two. */
function wordsOf(name: string): string[] {
    return name.replace(/([a-z0-9])([A-Z])/g, "$1 $2").split(/[^A-Za-z]+|\s/).filter((word) => word.length > 1).map((word) => word.toLowerCase());
}

/** Queries about the definitions of the tree itself, one of each kind. */
function examplesOf(map: MapReply): Example[] {
    const all = map.entries.flatMap((entry) => entry.symbols.map((symbol) => ({ ...symbol, words: wordsOf(symbol.name) })));
    const tested = all.filter((symbol) => !/test|bench|example/i.test(symbol.path));
    const symbols = tested.length > 0 ? tested : all;
    const called = symbols.filter((symbol) => ["fn", "method"].includes(symbol.kind));
    const told = called.find((symbol) => symbol.words.length >= 3) ?? called.find((symbol) => symbol.words.length === 2) ?? symbols[0];
    if (!told) return [];
    const typed = symbols.find((symbol) => ["class", "struct", "interface", "trait", "enum", "type"].includes(symbol.kind)) ?? told;
    const prefix = called.find((symbol) => symbol !== told && symbol.words.length >= 2)?.words[0] ?? told.words[0] ?? told.name;
    const ending = /\.\w+$/.exec(told.path)?.[0];
    const folder = told.path.slice(0, told.path.indexOf("/") + 1);
    const language = map.entries.find((entry) => entry.path === told.path)?.languages[0]?.name;
    const filters = [language && `lang:${language}`, folder && `path:${folder}`, "-test"].filter((word) => word);
    const examples: Example[] = [
        [`how to ${told.words.join(" ") || told.name}`, "a question: ranked places, each with its reasons"],
        [`/${prefix}\\w*\\(/`, "a regular expression between slashes: every line"],
        [`@${typed.name}`, "definitions by name"],
        [`${told.words.at(-1) ?? told.name} ${filters.join(" ")}`, "filters for language, folder and more"],
    ];
    return ending ? [...examples.slice(0, 3), [`*${ending}`, "files by name or glob"], ...examples.slice(3)] : examples;
}

export function Home({ route }: { route: Route }) {
    const info = useServer();
    const at = { root: route.root, view: route.view };
    const status = useLoad(keyIn(route), (signal) => get<StatusReply>("status", at, signal));
    const folder = useLoad(keyIn(route), (signal) => get<FolderReply>("folder", at, signal));
    const map = useLoad(keyIn(route), (signal) => get<MapReply>("map", { max_items: 200, ...at }, signal));
    const examples = map.data ? examplesOf(map.data) : [];
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
                    {examples.map(([q, what]) => (
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
