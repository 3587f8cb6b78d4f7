// The file view: breadcrumbs, text, outline, scopes that stay at the top, and what names mean.

import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { get, type ApiError } from "../../api";
import { openInEditor } from "../../editor";
import { useKeys } from "../../keys";
import { Pieces, Shown } from "../../parts/code";
import { VirtualList, type VirtualHandle } from "../../parts/virtual";
import { change, go, hrefIn, keyIn, kept, useKept, within, type Route } from "../../route";
import { copy, useLoad, useMedia, useStored } from "../../state";
import { byteOffset, bytes, number, visible } from "../../text";
import { useParsed } from "../../query";
import { markedWords } from "../../search";
import type { CompleteReply, FileReply, OutlineItem } from "../../shown";
import { askDefinition, defineState, NameCard, type CardPlace } from "./card";
import { DiffView } from "./diff";
import { Folder } from "./folder";
import { Outline, scopesAt } from "./outline";
import { FileTree } from "./tree";
import { UsesPane } from "./uses";
import { marksOf, matcher, nameAt, namesIn, Source } from "./source";

const LINE = 20;

export function FileView({ route }: { route: Route }) {
    const path = route.path ?? "";
    const isFolder = route.dir === "1" || path === "" || path.endsWith("/");
    const isWide = useMedia("(min-width: 1180px)");
    const [isTreeWanted, setTreeWanted] = useStored("file-tree", true);
    useKeys({ "b": () => setTreeWanted(!isTreeWanted) });
    const hasTree = isWide && isTreeWanted;
    return (
        <div class="file-view">
            <h1 class="sr">{path === "" ? "Files" : visible(path)}</h1>
            <Crumbs route={route} isFolder={isFolder} tree={isWide ? { isShown: hasTree, toggle: () => setTreeWanted(!isTreeWanted) } : null} />
            <div class={hasTree ? "file-main has-tree" : "file-main"}>
                {hasTree && <FileTree key={keyIn(route)} route={route} />}
                {isFolder ? <Folder route={route} /> : route.diff ? <DiffView route={route} /> : <Text key={`${path}\n${route.view ?? ""}\n${route.root ?? ""}`} route={route} />}
            </div>
        </div>
    );
}

function Crumbs({ route, isFolder, tree }: { route: Route; isFolder: boolean; tree: { isShown: boolean; toggle: () => void } | null }) {
    const parts = (route.path ?? "").split("/").filter((part) => part !== "");
    const line = Number(route.line) || 1;
    return (
        <div class="crumbs">
            {tree && <button type="button" class="plain-button" aria-pressed={tree.isShown} title="Files of the tree (b)" onClick={tree.toggle}>Tree</button>}
            {route.q !== "" && <a class="back" href={hrefIn(route, { q: route.q, mode: route.mode })}>← Results</a>}
            <nav aria-label="Path">
                <ol>
                    <li><a href={hrefIn(route, { v: "file", dir: "1" })}>{route.root ? visible(route.root) : "root"}</a></li>
                    {parts.map((part, i) => {
                        const isLast = i === parts.length - 1;
                        const address = hrefIn(route, { v: "file", path: parts.slice(0, i + 1).join("/"), dir: isLast && !isFolder ? "" : "1" });
                        return <li><a href={address} aria-current={isLast ? "page" : undefined}><Shown text={part} /></a></li>;
                    })}
                </ol>
            </nav>
            <ViewPick route={route} />
            {!isFolder && (
                <span class="actions">
                    <button type="button" title="Compare with another view (d)" onClick={() => change({ diff: route.diff ? "" : "HEAD" })}>{route.diff ? "Text" : "Diff"}</button>
                    <button type="button" title="Copy the path (c)" onClick={() => void copy(route.path!, "Path")}>Copy path</button>
                    <button type="button" title="Copy a link (y)" onClick={() => void copy(location.href, "Link")}>Link</button>
                    <button type="button" title="Open in the editor (o)" onClick={() => openInEditor(route.path!, line, 1, route.root)}>Open</button>
                </span>
            )}
        </div>
    );
}

/** The view in which the file is shown: the worktree, or a branch or commit. Names are asked when the list is wanted. */
function ViewPick({ route }: { route: Route }) {
    const [isWanted, setWanted] = useState(false);
    const root = route.root ?? "";
    const names = useLoad(isWanted ? root : null, (signal) => get<CompleteReply>("complete", { q: "view:", root }, signal));
    const view = route.view ?? "";
    const list = [...new Set([view, ...(names.data?.items ?? []).filter((item) => item.sort === "view").map((item) => item.label)])].filter((name) => name !== "");
    return (
        <select class="view-pick" aria-label="View" value={view} onFocus={() => setWanted(true)} onPointerDown={() => setWanted(true)} onChange={(event) => change({ view: event.currentTarget.value })}>
            <option value="">worktree</option>
            {list.map((name) => <option value={name}>{visible(name)}</option>)}
        </select>
    );
}

function Text({ route }: { route: Route }) {
    const path = route.path!;
    const reply = useLoad(keyIn(route, path), (signal) => get<FileReply>("file", { path, view: route.view, root: route.root }, signal));
    if (reply.error) {
        const error = reply.error as ApiError;
        return (
            <div class="empty" role="alert">
                <h2>{error.status === 404 ? "No such file" : "The file cannot be shown"}</h2>
                <p>{visible(error.message)}</p>
                <p><a href={hrefIn(route, { v: "file", path, dir: "1", q: route.q })}>Show as a folder</a></p>
            </div>
        );
    }
    if (!reply.data) return <p class="pad quiet" role="status">Reading {visible(path)} …</p>;
    return <Code reply={reply.data} route={route} />;
}

/** The name below the mouse. */
function underMouse(event: MouseEvent, source: Source): { line: number; at: number } | null {
    const row = (event.target as Element).closest?.<HTMLElement>(".row.line[data-line]");
    const code = row?.querySelector("code");
    if (!row || !code) return null;
    const doc = document as Document & { caretPositionFromPoint?: (x: number, y: number) => { offsetNode: Node; offset: number } | null };
    const caret = doc.caretPositionFromPoint?.(event.clientX, event.clientY);
    const range = caret ? null : document.caretRangeFromPoint?.(event.clientX, event.clientY);
    const node = caret?.offsetNode ?? range?.startContainer;
    if (!node || !code.contains(node)) return null;
    const before = document.createRange();
    before.selectNodeContents(code);
    before.setEnd(node, caret?.offset ?? range!.startOffset);
    const line = Number(row.dataset.line);
    return line <= source.lines.length ? { line, at: before.toString().length } : null;
}

function Code({ reply, route }: { reply: FileReply; route: Route }) {
    const source = useMemo(() => new Source(reply), [reply]);
    const [lineCount, setLineCount] = useState(source.lines.length);
    const outline = useMemo(() => reply.outline ?? [], [reply]);
    const [current, setCurrent] = useState(Number(route.line) || 0);
    const [top, setTop] = useState(1);
    const [card, setCard] = useState<CardPlace | null>(null);
    const [nameIndex, setNameIndex] = useState(-1);
    const uses = route.uses ?? "";
    const hasOutline = useMedia("(min-width: 900px)") && outline.length > 0 && uses === "";
    const handle = useRef<VirtualHandle>(null);
    const box = useRef<HTMLDivElement>(null);
    const isNew = useRef(true);
    const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
    const heights = useMemo(() => new Uint8Array(lineCount).fill(LINE), [lineCount]);
    const parsed = useParsed(route.q);
    const pattern = useMemo(() => (parsed ? matcher(parsed, markedWords(route.q)) : null), [parsed]);
    const matches = useMemo(() => (pattern ? source.lines.flatMap((line, i) => (marksOf(line, pattern).length > 0 ? [i + 1] : [])) : []), [pattern, lineCount]);

    useEffect(() => {
        const line = Number(route.line) || 0;
        setCurrent(line);
        setCard(null);
        setNameIndex(-1);
        // A file that is visited again is where it was left; later only the line counts.
        const scroll = isNew.current ? kept().scroll : undefined;
        isNew.current = false;
        if (scroll !== undefined && handle.current?.scroller) handle.current.scroller.scrollTop = scroll;
        else if (line > 0) handle.current?.reveal(line - 1, "middle");
    }, [route.line]);
    useKept(() => ({ scroll: handle.current?.scroller?.scrollTop ?? 0 }));
    useEffect(() => {
        handle.current?.scroller?.focus({ preventScroll: true });
        return () => clearTimeout(timer.current);
    }, []);

    const goLine = (line: number, where: "near" | "middle" = "near") => {
        const to = Math.max(1, Math.min(lineCount, line));
        setCurrent(to);
        setNameIndex(-1);
        setCard(null);
        handle.current?.reveal(to - 1, where);
        change({ line: String(to) }, true);
    };
    const jump = (line: number, column: number) => {
        void askDefinition(reply.path, line, column, route).then((answer) => {
            const [only, ...more] = answer.definitions;
            if (only && more.length === 0 && !(only.path === reply.path && only.line === line)) {
                change({ line: String(line) }, true);
                go(defineState(only, route));
            } else {
                setCard((old) => (old ? { ...old, isPinned: true } : old));
            }
        }, () => {});
    };
    const show = (line: number, from: number, to: number, isPinned: boolean) => {
        const text = source.lines[line - 1]!;
        const code = box.current?.querySelector(`[data-line="${line}"] code`);
        if (!code || !box.current) return;
        const rect = textRect(code, from, to);
        const frame = box.current.getBoundingClientRect();
        if (!rect) return;
        setCard({ name: text.slice(from, to), line, column: byteOffset(text, from) + 1, left: rect.left - frame.left, top: rect.top - frame.top, bottom: rect.bottom - frame.top, isPinned });
    };
    const onMove = (event: MouseEvent) => {
        if (card?.isPinned || event.buttons !== 0) return;
        clearTimeout(timer.current);
        const place = underMouse(event, source);
        const name = place && nameAt(source.lines[place.line - 1]!, place.at);
        if (!place || !name) {
            timer.current = setTimeout(() => setCard(null), 250);
            return;
        }
        timer.current = setTimeout(() => show(place.line, name.from, name.to, false), 220);
    };
    const onClick = (event: MouseEvent) => {
        if ((event.target as Element).closest(".no")) {
            goLine(Number((event.target as Element).closest<HTMLElement>("[data-line]")!.dataset.line));
            return;
        }
        if (String(getSelection()) !== "") return;
        const place = underMouse(event, source);
        const name = place && nameAt(source.lines[place.line - 1]!, place.at);
        if (!place || !name) {
            setCard(null);
            return;
        }
        clearTimeout(timer.current);
        show(place.line, name.from, name.to, true);
        jump(place.line, byteOffset(source.lines[place.line - 1]!, name.from) + 1);
    };
    const moveName = (step: number) => {
        const line = current || top;
        const names = namesIn(source.lines[line - 1] ?? "");
        if (names.length === 0) return;
        const next = nameIndex < 0 ? (step > 0 ? 0 : names.length - 1) : (nameIndex + step + names.length) % names.length;
        setNameIndex(next);
        if (!current) setCurrent(line);
        show(line, names[next]!.from, names[next]!.to, true);
    };
    const nextOf = (lines: number[], step: number) => {
        const at = current || top;
        const next = step > 0 ? lines.find((line) => line > at) : lines.findLast((line) => line < at);
        if (next !== undefined) goLine(next, "middle");
    };
    const starts = useMemo(() => outline.map((item) => item.line).sort((a, b) => a - b), [outline]);
    const cardTarget = card ? `${reply.path}:${card.line}:${card.column}` : null;
    useKeys({
        "j": () => goLine(current === 0 ? top : current + 1), "k": () => goLine(current === 0 ? top : current - 1),
        "ArrowDown": () => goLine(current === 0 ? top : current + 1), "ArrowUp": () => goLine(current === 0 ? top : current - 1),
        "]": () => nextOf(starts, 1), "[": () => nextOf(starts, -1),
        "n": () => nextOf(matches, 1), "p": () => nextOf(matches, -1),
        "l": () => moveName(1), "h": () => moveName(-1), "ArrowRight": () => moveName(1), "ArrowLeft": () => moveName(-1),
        "Enter": (event) => {
            if ((event.target as Element).matches("button, a, summary")) (event.target as HTMLElement).click();
            else if (card) jump(card.line, card.column);
        },
        "Escape": () => (card ? setCard(null) : change({ uses: "" })),
        "r": () => card && change({ uses: `${card.line}:${card.column}` }),
        "g r": () => cardTarget && go(within(route, { v: "graph", target: cardTarget })),
        "g d": () => card && jump(card.line, card.column),
        "d": () => change({ diff: "HEAD" }),
        "u": () => go(within(route, { v: "file", path: reply.path.split("/").slice(0, -1).join("/"), dir: "1" })),
        "o": () => openInEditor(reply.path, current || 1, 1, route.root),
        "c": () => void copy(reply.path, "Path"), "y": () => void copy(location.href, "Link"),
        "t": () => document.querySelector<HTMLElement>(".outline input")?.focus(),
    });
    const more = () => {
        if (!source.next) return;
        const lines = source.next;
        source.next = null;
        void get<FileReply>("excerpt", { path: reply.path, lines, view: route.view, root: route.root }).then((rest) => {
            source.append(rest);
            setLineCount(source.lines.length);
        });
    };
    const drawRow = useCallback((i: number) => {
        const line = i + 1;
        const marks = pattern ? marksOf(source.lines[i]!, pattern) : [];
        return (
            <div key={i} class={`row line${line === current ? " on" : ""}`} data-line={line} style={{ height: `${LINE}px` }}>
                <span class="no">{line}</span>
                <code><Pieces pieces={source.pieces(line, marks)} /></code>
            </div>
        );
    }, [source, pattern, current]);
    return (
        <div class={`file-body${hasOutline ? " has-outline" : ""}${uses === "" ? "" : " has-uses"}`}>
            <div class="code-box" ref={box} onMouseMove={onMove} onMouseLeave={() => { clearTimeout(timer.current); if (!card?.isPinned) setCard(null); }} onClick={onClick}>
                <VirtualList
                    heights={heights}
                    label={visible(`Text of ${reply.path}`)}
                    role="region"
                    className="list code-list"
                    handle={handle}
                    columns={source.columns}
                    onTop={(row) => {
                        if (row + 1 === top) return;
                        setTop(row + 1);
                        if (card && !card.isPinned) setCard(null);
                    }}
                    onEnd={more}
                    before={<Scopes outline={outline} top={top} source={source} onPick={(line) => goLine(line, "middle")} />}
                    row={drawRow}
                />
                {card && (
                    <NameCard place={card} path={reply.path} route={route} onEnter={() => clearTimeout(timer.current)} onLeave={() => { if (!card.isPinned) timer.current = setTimeout(() => setCard(null), 200); }} />
                )}
            </div>
            {uses !== "" && <UsesPane path={reply.path} at={uses} route={route} />}
            {hasOutline && <Outline items={outline} line={current >= top && current < top + 40 ? current : top} onPick={(line) => goLine(line, "middle")} />}
            <p class="file-foot quiet">
                {reply.language ?? "text"} · {number(reply.total_lines)} lines · {bytes(reply.bytes)}
                {matches.length > 0 ? ` · ${number(matches.length)} lines match the query (n, p)` : ""}
                {reply.warnings.length > 0 ? ` · ${visible(reply.warnings.join(" · "))}` : ""}
            </p>
        </div>
    );
}

/** The rectangle of characters of a line. */
function textRect(code: Element, from: number, to: number): DOMRect | null {
    const walker = document.createTreeWalker(code, NodeFilter.SHOW_TEXT);
    const range = document.createRange();
    let at = 0;
    let hasStart = false;
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        const length = node.textContent!.length;
        if (!hasStart && at + length > from) {
            range.setStart(node, from - at);
            hasStart = true;
        }
        if (hasStart && at + length >= to) {
            range.setEnd(node, to - at);
            return range.getBoundingClientRect();
        }
        at += length;
    }
    return null;
}

/** The first lines of the definitions around the top line. */
function Scopes({ outline, top, source, onPick }: { outline: OutlineItem[]; top: number; source: Source; onPick: (line: number) => void }) {
    let scopes: OutlineItem[] = [];
    for (let n = 1; n <= 3; n++) {
        const around = scopesAt(outline, top + n - 1).filter((item) => item.line < top + n - 1);
        if (around.length < n) break;
        scopes = around.slice(0, n);
    }
    if (scopes.length === 0) return <div class="scopes" />;
    return (
        <div class="scopes">
            <div class="scopes-in">
                {scopes.map((item) => (
                    <button type="button" class="row line" tabIndex={-1} style={{ height: `${LINE}px` }} onClick={(event) => { event.stopPropagation(); onPick(item.line); }}>
                        <span class="no">{item.line}</span>
                        <code><Pieces pieces={source.pieces(Math.min(item.line, source.lines.length))} /></code>
                    </button>
                ))}
            </div>
        </div>
    );
}
