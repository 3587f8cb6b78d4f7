// One symbol: its definition, who calls it, what it calls, its tests and implementations.

import { useEffect, useState } from "preact/hooks";
import { get } from "../../api";
import { PlaceLink } from "../../parts/code";
import { change, hrefIn, keyIn, type Route } from "../../route";
import { useLoad } from "../../state";
import { count, nameOf, number, visible } from "../../text";
import type { GraphReply, SymbolHit } from "../../shown";
import { Kind } from "../search/row";
import { Drawing } from "./drawing";
import { TreeView, useTree } from "./tree";

export function SymbolTab({ route }: { route: Route }) {
    const target = route.target ?? "";
    return (
        <>
            <TargetBox key={target} target={target} route={route} />
            {target === "" ? <Hint /> : <Symbol key={keyIn(route, target)} target={target} route={route} />}
        </>
    );
}

function Hint() {
    return (
        <div class="empty">
            <h2>Who calls what</h2>
            <p>Type a name, such as <code>open</code> or <code>Lock.acquire</code>, or a place, such as <code>src/lib.rs:40</code>. Hits and names in files lead here with <kbd>g</kbd> <kbd>d</kbd> and <kbd>g</kbd> <kbd>r</kbd>.</p>
        </div>
    );
}

function TargetBox({ target, route }: { target: string; route: Route }) {
    const [text, setText] = useState(target);
    const [asked, setAsked] = useState("");
    useEffect(() => {
        const timer = setTimeout(() => setAsked(text), 120);
        return () => clearTimeout(timer);
    }, [text]);
    const isName = asked.length > 1 && asked !== target && /^[\w.:$]+$/.test(asked);
    const names = useLoad(isName ? keyIn(route, asked) : null, (signal) => get<{ results: SymbolHit[] }>("symbols", { pattern: asked, max_results: 12, view: route.view, root: route.root }, signal));
    return (
        <form class="target" onSubmit={(event) => { event.preventDefault(); change({ target: text.trim() }); }}>
            <input id="target" type="text" list="targets" aria-label="Symbol, or place in a file" placeholder="Symbol or path:line" value={text} spellcheck={false} autocomplete="off"
                onInput={(event) => setText(event.currentTarget.value)} onKeyDown={(event) => event.key === "Escape" && event.currentTarget.blur()} />
            <datalist id="targets">
                {isName && names.data?.results.map((one) => <option value={`${one.path}#${one.container ? `${one.container}.` : ""}${one.name}`}>{one.kind}</option>)}
            </datalist>
            <button type="submit" class="plain-button">Show</button>
        </form>
    );
}

function Symbol({ target, route }: { target: string; route: Route }) {
    const at = { view: route.view, root: route.root };
    const definition = useLoad(keyIn(route, target), (signal) => get<GraphReply>("def", { target, ...at }, signal));
    const callers = useTree(target, "callers", route);
    const callees = useTree(target, "callees", route);
    const refs = useLoad(keyIn(route, target), (signal) => get<GraphReply>("refs", { target, relation: "references", max_results: 30, ...at }, signal));
    const tests = useLoad(keyIn(route, target), (signal) => get<GraphReply>("tests-of", { target, max_results: 30, ...at }, signal));
    const impls = useLoad(keyIn(route, target), (signal) => get<GraphReply>("impls", { target, max_results: 30, ...at }, signal));
    const centre = (next: string) => change({ target: next });
    if (definition.error) {
        return <div class="empty" role="alert"><h2>No such symbol</h2><p>{visible((definition.error as Error).message)}</p></div>;
    }
    const definitions = definition.data?.definitions ?? [];
    const first = definitions[0];
    return (
        <>
            <ul class="definitions">
                {definitions.slice(0, 12).map((one) => (
                    <li>
                        <Kind kind={one.kind} />
                        {definitions.length > 1
                            ? <button type="button" class="link symbol" onClick={() => centre(`${one.path}#${one.symbol}`)}>{visible(one.symbol)}</button>
                            : <b class="symbol">{visible(one.symbol)}</b>}
                        <a class="quiet" href={hrefIn(route, { v: "file", path: one.path, line: String(one.line) })}>{visible(one.path)}:{one.line}</a>
                    </li>
                ))}
                {definition.data && definitions.length === 0 && <li class="quiet">No definition of {visible(target)} in this tree.</li>}
            </ul>
            {first && <Drawing callers={callers} callees={callees} centre={first.symbol} route={route} />}
            <div class="graph-grid">
                <section><h2>Called by {callers.total > 0 && <small>{count(callers.total, "call")}</small>}</h2><TreeView tree={callers} direction="callers" route={route} onCentre={centre} /></section>
                <section><h2>Calls {callees.total > 0 && <small>{count(callees.total, "call")}</small>}</h2><TreeView tree={callees} direction="callees" route={route} onCentre={centre} /></section>
                <Uses title="Used without a call" reply={refs.data} route={route} none="" />
                <Uses title="Tests that reach it" reply={tests.data} route={route} none="No test reaches it by known calls." />
                <Uses title="Implementations" reply={impls.data} route={route} none="" />
            </div>
        </>
    );
}

function Uses({ title, reply, route, none }: { title: string; reply: GraphReply | null; route: Route; none: string }) {
    if (!reply || (reply.results.length === 0 && none === "")) return null;
    return (
        <section>
            <h2>{title} {reply.total > 0 && <small>{count(reply.total, "row")}</small>}</h2>
            {reply.results.length === 0 && <p class="quiet">{none}</p>}
            <ul class="uses">
                {reply.results.slice(0, 30).map((row) => (
                    <li>
                        <PlaceLink row={row} route={route}>{visible(row.from?.symbol ?? row.text.trim())}</PlaceLink>
                        <span class="quiet" title={visible(row.text.trim().slice(0, 200))}>{visible(nameOf(row.path))}:{row.line}</span>
                    </li>
                ))}
            </ul>
            {reply.total > 30 && <p class="quiet small">and {number(reply.total - 30)} more</p>}
        </section>
    );
}
