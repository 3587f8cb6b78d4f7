// Counts of the results that are loaded, as filters.

import { useMemo } from "preact/hooks";
import { hasFilter, toggle, useWords } from "../../query";
import { number, visible } from "../../text";
import type { Found } from "../../search";

interface Facet { key: string; title: string; values: [string, number][] }

function facets(found: Found): Facet[] {
    const languages = new Map<string, number>();
    const kinds = new Map<string, number>();
    const folders = new Map<string, number>();
    const add = (map: Map<string, number>, key: string | null | undefined) => key && map.set(key, (map.get(key) ?? 0) + 1);
    for (const hit of found.reply.results) {
        if ("language" in hit) add(languages, hit.language);
        if ("kind" in hit) add(kinds, hit.kind);
        if ("enclosing" in hit) add(kinds, hit.enclosing?.kind);
        const parts = hit.path.split("/");
        if (parts.length > 1) add(folders, `${parts.slice(0, Math.min(2, parts.length - 1)).join("/")}/`);
    }
    const sorted = (map: Map<string, number>) => [...map].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).slice(0, 9);
    return [
        { key: "lang", title: "Language", values: sorted(languages) },
        { key: "kind", title: "Kind", values: sorted(kinds) },
        { key: "path", title: "Folder", values: sorted(folders) },
    ].filter((facet) => facet.values.length > 0);
}

export function Facets({ found, q, onChange }: { found: Found; q: string; onChange: (q: string) => void }) {
    const list = useMemo(() => facets(found), [found]);
    const words = useWords(q);
    return (
        <nav class="facets" aria-label="Filters">
            {list.map((facet) => (
                <section>
                    <h2>{facet.title}</h2>
                    <ul>
                        {facet.values.map(([value, n]) => (
                            <li>
                                <button type="button" aria-pressed={hasFilter(words, facet.key, value) !== undefined} onClick={() => onChange(toggle(q, words, facet.key, value))}>
                                    <span>{visible(value)}</span>
                                    <small>{number(n)}</small>
                                </button>
                            </li>
                        ))}
                    </ul>
                </section>
            ))}
            <p class="quiet">Counts of the {number(found.reply.results.length)} results that are loaded.</p>
        </nav>
    );
}
