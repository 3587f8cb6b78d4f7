// The files of the tree, folder by folder, beside the text of one of them.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { get } from "../../api";
import { Shown } from "../../parts/code";
import { hrefIn, keyIn, type Route } from "../../route";
import { useIndexes } from "../../state";
import { number, visible } from "../../text";
import type { FolderReply } from "../../shown";

type Entry = FolderReply["entries"][number];
type Row = { entry: Entry; depth: number } | { note: string; depth: number };

/** At most so many entries of one folder are drawn. */
const MAX_ENTRIES = 1000;

/** The folders around a path, the outermost first. */
export function foldersAround(path: string): string[] {
    const parts = path.split("/").filter((part) => part !== "");
    return parts.slice(0, -1).map((_, i) => parts.slice(0, i + 1).join("/"));
}

/** Folders first, then files, each by name. */
export function byName(entries: Entry[]): Entry[] {
    return [...entries].sort((a, b) => Number(b.is_dir) - Number(a.is_dir) || a.name.localeCompare(b.name));
}

/** The replies for the open folders. A folder is asked again only when the index has changed. */
function useFolders(route: Route, folders: string[]): Map<string, FolderReply | Error> {
    const { beat } = useIndexes();
    const scope = keyIn(route, beat);
    const [loaded, setLoaded] = useState<{ scope: string; replies: Map<string, FolderReply | Error> }>({ scope, replies: new Map() });
    const asked = useRef({ scope, folders: new Set<string>() });
    useEffect(() => {
        if (asked.current.scope !== scope) asked.current = { scope, folders: new Set() };
        for (const folder of folders) {
            if (asked.current.folders.has(folder)) continue;
            asked.current.folders.add(folder);
            const done = (reply: FolderReply | Error) => asked.current.scope === scope && setLoaded((old) => ({ scope, replies: new Map(old.scope === scope ? old.replies : []).set(folder, reply) }));
            get<FolderReply>("folder", { path: folder, view: route.view, root: route.root }).then(done, (error: unknown) => done(error instanceof Error ? error : new Error(String(error))));
        }
    }, [scope, folders.join("\n")]);
    return loaded.replies;
}

function rowsOf(replies: Map<string, FolderReply | Error>, open: Set<string>, folder = "", depth = 0): Row[] {
    const reply = replies.get(folder);
    if (!reply) return [{ note: "Reading …", depth }];
    if (reply instanceof Error) return [{ note: reply.message, depth }];
    const rows = byName(reply.entries).slice(0, MAX_ENTRIES).flatMap((entry): Row[] =>
        [{ entry, depth }, ...(entry.is_dir && open.has(entry.path) ? rowsOf(replies, open, entry.path, depth + 1) : [])]);
    const more = reply.entries.length - MAX_ENTRIES;
    return more > 0 ? [...rows, { note: `and ${number(more)} more`, depth }] : rows;
}

export function FileTree({ route }: { route: Route }) {
    const path = (route.path ?? "").replace(/\/$/, "");
    const [open, setOpen] = useState<Set<string>>(() => new Set(foldersAround(path)));
    const [focused, setFocused] = useState(path);
    const list = useRef<HTMLUListElement>(null);
    useEffect(() => {
        setOpen((old) => new Set([...old, ...foldersAround(path), ...(route.dir === "1" ? [path] : [])]));
        setFocused(path);
    }, [path]);
    const replies = useFolders(route, ["", ...open]);
    const rows = useMemo(() => rowsOf(replies, open), [replies, open]);
    const entries = rows.flatMap((row) => ("entry" in row ? [row] : []));
    const isThere = entries.some(({ entry }) => entry.path === focused);
    useEffect(() => {
        list.current?.querySelector<HTMLElement>("[aria-current]")?.scrollIntoView({ block: "nearest" });
    }, [path, isThere]);
    const toggle = (entry: Entry) => setOpen((old) => {
        const next = new Set(old);
        if (!next.delete(entry.path)) next.add(entry.path);
        return next;
    });
    const focus = (index: number) => {
        const next = Math.max(0, Math.min(entries.length - 1, index));
        if (!entries[next]) return;
        setFocused(entries[next].entry.path);
        list.current?.querySelectorAll<HTMLElement>("[role='treeitem']")[next]?.focus();
    };
    const onKeyDown = (event: KeyboardEvent) => {
        const at = entries.findIndex(({ entry }) => entry.path === focused);
        const row = entries[at];
        if (!row || event.ctrlKey || event.metaKey || event.altKey) return;
        const { entry, depth } = row;
        const isOpen = open.has(entry.path);
        if (event.key === "ArrowDown" || event.key === "j") focus(at + 1);
        else if (event.key === "ArrowUp" || event.key === "k") focus(at - 1);
        else if (event.key === "Home") focus(0);
        else if (event.key === "End") focus(entries.length - 1);
        else if (event.key === "ArrowRight" && entry.is_dir) isOpen ? focus(at + 1) : toggle(entry);
        else if (event.key === "ArrowLeft" && isOpen) toggle(entry);
        else if (event.key === "ArrowLeft") focus(entries.findLastIndex((one, i) => i < at && one.depth < depth));
        else return;
        event.preventDefault();
        event.stopPropagation();
    };
    return (
        <nav class="file-tree" aria-label="Files of the tree">
            <ul role="tree" aria-label="Files" ref={list} onKeyDown={onKeyDown}>
                {rows.map((row, i) => {
                    const indent = { paddingLeft: `${8 + row.depth * 14}px` };
                    if ("note" in row) return <li key={`${i} ${row.note}`} class="quiet" role="none" style={indent}>{visible(row.note)}</li>;
                    const { entry } = row;
                    const isOpen = open.has(entry.path);
                    return (
                        <li key={entry.path} role="none">
                            <a
                                role="treeitem"
                                aria-level={row.depth + 1}
                                aria-expanded={entry.is_dir ? isOpen : undefined}
                                aria-current={entry.path === path ? "page" : undefined}
                                tabIndex={entry.path === focused || (!isThere && i === 0) ? 0 : -1}
                                style={indent}
                                href={hrefIn(route, { v: "file", path: entry.path, dir: entry.is_dir ? "1" : "" })}
                                onFocus={() => setFocused(entry.path)}
                                onClick={(event) => {
                                    if (!entry.is_dir || event.metaKey || event.ctrlKey || event.shiftKey) return;
                                    event.preventDefault();
                                    toggle(entry);
                                }}
                            >
                                <span class="twist" aria-hidden="true">{entry.is_dir ? (isOpen ? "▾" : "▸") : ""}</span>
                                <Shown text={entry.name} />
                            </a>
                        </li>
                    );
                })}
            </ul>
        </nav>
    );
}
