// The modes, and the filters of the query as chips.

import { useState } from "preact/hooks";
import { KEYS, toggle, useWords, without } from "../query";
import { change, MODES, type Mode, type Route } from "../route";
import { useServer } from "../state";
import { visible } from "../text";

const NAMES: Record<Mode, [string, string]> = {
    auto: ["Auto", "chooses by the query"],
    ranked: ["Ranked", "places that answer, best first"],
    exact: ["Exact", "every line that matches a regular expression"],
    files: ["Files", "files by name or glob"],
    symbols: ["Symbols", "definitions by name"],
};

export function Modes({ mode, resolved, onMode }: { mode: Mode; resolved: string | null; onMode: (mode: Mode) => void }) {
    return (
        <div class="modes" role="group" aria-label="Mode">
            {MODES.map((name, i) => (
                <button
                    type="button"
                    aria-pressed={mode === name}
                    class={mode === "auto" && resolved === name ? "resolved" : ""}
                    title={`${NAMES[name][1]} (Alt+${i + 1})`}
                    onClick={() => onMode(name)}
                >
                    {NAMES[name][0]}
                </button>
            ))}
        </div>
    );
}

/** The tree that is searched, or all of them, where there is a choice; and the view. */
export function Scope({ route }: { route: Route }) {
    const info = useServer();
    const root = route.root ?? "";
    const names = info?.roots.map((one) => one.name) ?? [];
    const isOther = root !== "" && !names.includes(root);
    const pick = (value: string) => change(value === "*" ? { root: "", view: "", all: "1" } : { root: value, all: "" });
    return (
        <>
            {(names.length > 1 || isOther) && (
                <select class="scope" aria-label="Tree" value={route.all === "1" ? "*" : root === names[0] ? "" : root} onChange={(event) => pick(event.currentTarget.value)}>
                    {names.map((name, i) => <option value={i === 0 ? "" : name}>{visible(name)}</option>)}
                    {isOther && <option value={root}>{visible(root)}</option>}
                    {names.length > 1 && <option value="*">All trees</option>}
                </select>
            )}
            {route.view && route.all !== "1" && (
                <span class="chip">
                    <span class="key">in the view</span>
                    <span>{visible(route.view)}</span>
                    <button type="button" aria-label={`Leave the view ${visible(route.view)}`} onClick={() => change({ view: "" })}>×</button>
                </span>
            )}
        </>
    );
}

export function Chips({ q, onChange }: { q: string; onChange: (q: string) => void }) {
    const list = useWords(q).filter((word) => word.value !== "");
    const [adding, setAdding] = useState(false);
    return (
        <div class="chips" role="group" aria-label="Filters of the query">
            {list.map((word) => (
                <span class="chip">
                    <span class="key">{word.key === "exclude" ? "not" : word.isExcluding ? `not ${word.key}` : word.key}</span>
                    <span>{visible(word.value)}</span>
                    <button type="button" aria-label={visible(`Remove the filter ${word.key} ${word.value}`)} onClick={() => onChange(without(q, [word]))}>×</button>
                </span>
            ))}
            {adding ? <Add q={q} onChange={onChange} onClose={() => setAdding(false)} /> : (
                <button type="button" class="add" onClick={() => setAdding(true)}>+ filter</button>
            )}
        </div>
    );
}

function Add({ q, onChange, onClose }: { q: string; onChange: (q: string) => void; onClose: () => void }) {
    const info = useServer();
    const words = useWords(q);
    const [key, setKey] = useState("lang");
    const choices = key === "lang" ? info?.languages : key === "kind" ? info?.kinds : undefined;
    return (
        <form
            class="add-form"
            onSubmit={(event) => {
                event.preventDefault();
                const value = (new FormData(event.currentTarget).get("value") as string).trim();
                if (value !== "") onChange(toggle(q, words, key, value));
                onClose();
            }}
            onKeyDown={(event) => event.key === "Escape" && onClose()}
        >
            <select aria-label="Kind of filter" value={key} onChange={(event) => setKey(event.currentTarget.value)}>
                {Object.keys(KEYS).map((name) => <option value={name}>{name}</option>)}
            </select>
            <input name="value" type="text" aria-label={KEYS[key]} placeholder={KEYS[key]} list="filter-values" autocomplete="off" spellcheck={false} ref={(el) => el?.focus()} />
            <datalist id="filter-values">{choices?.map((choice) => <option value={choice} />)}</datalist>
            <button type="submit">Add</button>
            <button type="button" onClick={onClose} aria-label="Close">×</button>
        </form>
    );
}
