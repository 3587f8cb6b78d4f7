// A file in two views of the tree, as hunks.

import { useMemo, useState } from "preact/hooks";
import { get, post } from "../../api";
import { Pieces } from "../../parts/code";
import { VirtualList } from "../../parts/virtual";
import { change, keyIn, type Route } from "../../route";
import { useLoad } from "../../state";
import { byteOffset, codeLines, visible } from "../../text";
import type { CompleteReply, DiffHunk, DiffLine, DiffReply, Span, ViewsReply } from "../../shown";

type DiffRow = { hunk: DiffHunk } | { line: DiffLine };

const SIGNS = { same: " ", removed: "\u2212", added: "+" };
const WORDS = { same: "", removed: "removed", added: "added" };

export function DiffView({ route }: { route: Route }) {
    const path = route.path!;
    const from = route.diff === "worktree" ? "" : route.diff!;
    const reply = useLoad(keyIn(route, path, from), (signal) => get<DiffReply>("diff", { path, from, to: route.view, root: route.root }, signal));
    const colours = useColours(reply.data, route);
    const rows = useMemo(() => {
        const list: DiffRow[] = [];
        for (const hunk of reply.data?.hunks ?? []) {
            list.push({ hunk });
            for (const line of hunk.lines) list.push({ line });
        }
        return list;
    }, [reply.data]);
    const heights = useMemo(() => rows.map((row) => ("hunk" in row ? 30 : 20)), [rows]);
    const columns = useMemo(() => rows.reduce((most, row) => ("line" in row ? Math.max(most, row.line.text.length) : most), 0), [rows]);
    return (
        <div class="diff">
            <DiffBar route={route} reply={reply.data} />
            {reply.error ? <p class="failed pad" role="alert">{visible((reply.error as Error).message)}</p> : null}
            {reply.data && rows.length === 0 && <div class="empty"><h2>No difference</h2><p>The file is equal in both.</p></div>}
            {reply.data && rows.length > 0 && (
                <VirtualList
                    heights={heights}
                    label="Difference"
                    role="region"
                    className="list code-list"
                    columns={columns}
                    row={(i) => {
                        const row = rows[i]!;
                        if ("hunk" in row) {
                            return <div key={i} class="row hunk" style={{ height: "30px" }}>lines {row.hunk.from_line}–{row.hunk.from_line + row.hunk.from_count - 1} become {row.hunk.to_line}–{row.hunk.to_line + row.hunk.to_count - 1}</div>;
                        }
                        const { line } = row;
                        return (
                            <div key={i} class={`row line ${line.op}`} style={{ height: "20px" }}>
                                <span class="no">{line.from_line ?? ""}</span>
                                <span class="no">{line.to_line ?? ""}</span>
                                <span class="sign" aria-hidden="true">{SIGNS[line.op]}</span>
                                {WORDS[line.op] && <span class="sr">{WORDS[line.op]}</span>}
                                <code><Pieces pieces={codeLines(line.text, colours.get(line))[0]!} /></code>
                            </div>
                        );
                    }}
                />
            )}
        </div>
    );
}

/** The colours of the lines: each side of a hunk is coloured as one text. */
function useColours(reply: DiffReply | null, route: Route): Map<DiffLine, Span[]> {
    const sides = useMemo(() => (reply?.hunks ?? []).slice(0, 200).flatMap((hunk) => [
        hunk.lines.filter((line) => line.op !== "added"), hunk.lines.filter((line) => line.op !== "removed"),
    ]), [reply]);
    const answer = useLoad(reply && sides.length > 0 ? keyIn(route, reply.path, reply.from ?? "", reply.to ?? "", sides.length) : null, (signal) => post<{ items: Span[][] }>("highlight", {
        items: sides.map((lines) => ({ language: reply!.language, text: lines.map((line) => line.text).join("\n") })),
    }, signal));
    return useMemo(() => {
        const colours = new Map<DiffLine, Span[]>();
        answer.data?.items.forEach((spans, i) => {
            let start = 0;
            for (const line of sides[i] ?? []) {
                const length = byteOffset(line.text, line.text.length);
                const own = spans.filter(([from, to]) => to > start && from < start + length)
                    .map(([from, to, kind]): Span => [Math.max(0, from - start), Math.min(length, to - start), kind]);
                colours.set(line, own);
                start += length + 1;
            }
        });
        return colours;
    }, [answer.data, sides]);
}

function DiffBar({ route, reply }: { route: Route; reply: DiffReply | null }) {
    const views = useLoad(keyIn(route), (signal) => get<ViewsReply>("views", { root: route.root }, signal));
    const branches = useLoad(keyIn(route), (signal) => get<CompleteReply>("complete", { q: "view:", root: route.root }, signal));
    const names = [...new Set([
        ...(branches.data?.items ?? []).filter((item) => item.sort === "view").map((item) => item.label),
        ...(views.data?.views ?? []).map((view) => view.head),
    ])];
    const [text, setText] = useState(route.diff === "worktree" ? "" : route.diff ?? "");
    return (
        <form class="diffbar" onSubmit={(event) => { event.preventDefault(); change({ diff: text.trim() || "worktree" }); }}>
            <label>From <input type="text" list="diff-views" value={text} placeholder="worktree" spellcheck={false} autocomplete="off"
                onInput={(event) => setText(event.currentTarget.value)} onKeyDown={(event) => event.key === "Escape" && event.currentTarget.blur()} /></label>
            <datalist id="diff-views">{names.map((name) => <option value={name} />)}</datalist>
            <span>to <b>{route.view ? visible(route.view) : "worktree"}</b></span>
            <button type="submit">Compare</button>
            {reply && <span class="stat"><span class="plus">+{reply.added}</span> <span class="minus">−{reply.removed}</span></span>}
            {reply?.is_missing_from && <span class="quiet">The file is new.</span>}
            {reply?.is_missing_to && <span class="quiet">The file was removed.</span>}
            <button type="button" class="right" onClick={() => change({ diff: "" })}>Close the diff</button>
        </form>
    );
}
