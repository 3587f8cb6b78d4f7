// The page of `spyhop serve`: a bar with the search box, and one view below it.

import { render } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { errorRange } from "./api";
import { followEvents } from "./events";
import { HelpDialog } from "./help";
import { useKeys } from "./keys";
import { SearchBox } from "./parts/box";
import { Chips, Modes, Scope } from "./parts/chips";
import { change, followLinks, go, href, hrefIn, MODES, route as present, scopeOf, useRoute, within, type Mode, type Route } from "./route";
import { hear, loadServer, remember, useConnection, useIndexes, useServer, useToast } from "./state";
import { EvalView } from "./views/eval";
import { FileView } from "./views/file";
import { GraphView } from "./views/graph";
import { HealthView } from "./views/health";
import { SearchView, useResults } from "./views/search";
import { nameOf, visible } from "./text";

function titleOf(route: Route): string {
    switch (route.v) {
        case "file": return `${nameOf(route.path ?? "")} · Spyhop`;
        case "graph": return `${route.target ?? "Graph"} · Spyhop`;
        case "health": return "Health · Spyhop";
        case "eval": return "Evaluation · Spyhop";
        default: return route.q ? `${route.q} · Spyhop` : "Spyhop";
    }
}

const Logo = () => (
    <svg class="logo" viewBox="0 0 32 32" aria-hidden="true">
        <path d="M11 21c-1-8 1-13 6-16 4 4 6 9 5 16" class="fin" />
        <circle cx="18.4" cy="11" r="1.5" class="eye" />
        <path d="M3 23c3-2.4 6-2.4 9 0s5.5 2.4 8.5 0 5.5-2.4 8.5 0" class="wave" />
    </svg>
);

function App() {
    const route = useRoute();
    const info = useServer();
    const connection = useConnection();
    const toast = useToast();
    const search = useResults(route);
    const [help, setHelp] = useState(false);
    const typedAt = useRef(0);
    const isSearch = route.v === "search";

    useEffect(() => {
        performance.mark("interactive");
    }, []);
    useEffect(() => {
        document.title = visible(titleOf(route));
    }, [route]);

    const type = (q: string) => {
        const now = Date.now();
        // A run of keys is one step back, not one for each character.
        const isSameRun = isSearch && now - typedAt.current < 2500;
        typedAt.current = now;
        go(within(present(), { v: "search", q }), isSameRun);
    };
    const setMode = (mode: Mode) => {
        if (isSearch) change({ mode });
        else go(within(route, { v: "search", mode }));
    };
    const nav = (v: Route["v"]) => go(within(route, { v }));
    const enterResults = () => {
        if (!isSearch) go(within(route, { v: "search" }));
        else dispatchEvent(new Event("enter-results"));
    };
    useKeys({
        "/": () => {
            const el = document.getElementById("query") as HTMLInputElement;
            el.focus();
            el.select();
        },
        "?": () => setHelp((open) => !open),
        "m": () => setMode(MODES[(MODES.indexOf(route.mode) + 1) % MODES.length]!),
        ...Object.fromEntries(MODES.map((mode, i) => [`Alt+${i + 1}`, () => setMode(mode)])),
        "g s": () => nav("search"), "g f": () => go(within(route, { v: "file", dir: "1" })), "g g": () => nav("graph"), "g h": () => nav("health"),
        "g e": () => info?.has_eval && nav("eval"),
    });

    if (connection === "refused") return <Refused />;
    const error = search.error?.kind === "bad-query" ? search.error : null;
    return (
        <>
            <a class="skip" href="#main" onClick={(event) => { event.preventDefault(); document.getElementById("main")?.focus(); }}>To the results</a>
            <header class="top">
                <a class="brand" href={href({})} aria-label="Spyhop, start"><Logo /><span>spyhop</span></a>
                <SearchBox
                    text={route.q}
                    onText={type}
                    onEnter={enterResults}
                    onDown={enterResults}
                    error={isSearch ? error : null}
                    errorRange={error && isSearch ? errorRange(error, route.q) : null}
                    isBusy={search.isBusy}
                    mode={route.mode === "auto" ? search.found?.state.mode : route.mode}
                    scope={scopeOf(route)}
                    placeholder="Ask a question, a name, a path, or /regex/"
                />
                <nav class="views" aria-label="Views">
                    {([["search", "Search"], ["file", "Files"], ["graph", "Graph"], ["health", "Health"], ...(info?.has_eval ? [["eval", "Eval"]] : [])] as [Route["v"], string][]).map(([v, name]) => (
                        <a href={hrefIn(route, { v, dir: v === "file" ? "1" : "" })} aria-current={route.v === v ? "page" : undefined}>{name}</a>
                    ))}
                    <button type="button" class="help" aria-label="Keys and settings" title="Keys and settings (?)" onClick={() => setHelp(true)}>?</button>
                </nav>
                {isSearch && (
                    <div class="tools-row">
                        <Modes mode={route.mode} resolved={search.found && !search.isStale && route.q.trim() !== "" ? search.found.state.mode : null} onMode={setMode} />
                        <Scope route={route} />
                        <Chips q={route.q} onChange={(q) => { change({ q }); remember(q); }} />
                    </div>
                )}
            </header>
            <Banner connection={connection} />
            <main id="main" tabIndex={-1}>
                {route.v === "search" && <SearchView route={route} search={search} />}
                {route.v === "file" && <FileView route={route} />}
                {route.v === "graph" && <GraphView route={route} />}
                {route.v === "health" && <HealthView route={route} />}
                {route.v === "eval" && <EvalView route={route} />}
            </main>
            <div class={toast ? "toast on" : "toast"} role="status">{toast}</div>
            {help && <HelpDialog onClose={() => setHelp(false)} />}
        </>
    );
}

function Banner({ connection }: { connection: string }) {
    const { states } = useIndexes();
    const building = [...states.values()].find((state) => state.percent !== null && state.percent < 100);
    if (connection === "lost") {
        return <p class="banner bad" role="alert">The server does not answer. The page tries again by itself; start <code>spyhop serve</code> if it was ended.</p>;
    }
    if (building) {
        return <p class="banner" role="status">Indexing {visible(building.root)}: {Math.round(building.percent!)} %</p>;
    }
    return null;
}

function Refused() {
    return (
        <main class="refused">
            <Logo />
            <h1>This page needs its link</h1>
            <p>The server was started anew, or the cookie of this browser is gone. Open the link that <code>spyhop serve</code> printed; each link works once, and a new start prints a new one.</p>
            <p><button type="button" onClick={() => location.reload()}>Try again</button></p>
        </main>
    );
}

addEventListener("click", followLinks);
// Listening comes first, so that no change after the first search is missed.
followEvents(hear);
loadServer().catch(() => {});
const place = document.getElementById("app")!;
place.replaceChildren();
render(<App />, place);
