// The graph view: a symbol, imports of a folder, routes and commands, impact of a change.

import { useKeys } from "../../keys";
import { hrefIn, type Route } from "../../route";
import { EntriesTab } from "./entries";
import { ImpactTab } from "./impact";
import { ImportsTab } from "./imports";
import { SymbolTab } from "./symbol";

const TABS: [string, string][] = [["", "Symbol"], ["imports", "Imports"], ["entries", "Routes and commands"], ["impact", "Impact"]];

export function GraphView({ route }: { route: Route }) {
    const tab = route.tab ?? "";
    useKeys({
        "t": () => document.querySelector<HTMLElement>(".graph .target input")?.focus(),
    });
    return (
        <div class="scroller graph" tabIndex={0} role="region" aria-label="Graph of the code">
            <header class="graph-head">
                <h1>Graph</h1>
                <nav aria-label="Questions to the graph">
                    {TABS.map(([name, title]) => (
                        <a href={hrefIn(route, { v: "graph", tab: name, target: name === "" ? route.target ?? "" : "" })} aria-current={tab === name ? "page" : undefined}>{title}</a>
                    ))}
                </nav>
            </header>
            {tab === "imports" ? <ImportsTab route={route} /> : tab === "entries" ? <EntriesTab route={route} /> : tab === "impact" ? <ImpactTab route={route} /> : <SymbolTab route={route} />}
        </div>
    );
}
