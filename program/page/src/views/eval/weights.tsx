// Weights as sliders: each move ranks the head of a query again. A profile is saved to a file.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { get, isAbort, post, type ApiError } from "../../api";
import { Reasons } from "../../parts/reasons";
import { change, type Route } from "../../route";
import { say, useLoad, useServer } from "../../state";
import { visible } from "../../text";
import type { EvalProfile, EvalRerank, RankedHit } from "../../shown";

type Weights = Record<string, Record<string, number>>;

/** The kind whose weights probably count for a query; the server decides. */
function kindOf(text: string): string {
    const words = text.trim().split(/\s+/);
    const names = words.filter((word) => /[A-Z_.:(#]/.test(word.slice(1)));
    return names.length === 0 && words.length > 1 ? "words" : names.length === words.length || words.length === 1 ? "names" : "mixed";
}

function changed(profile: EvalProfile, values: Map<string, number>): Weights {
    const weights: Weights = {};
    for (const { kind, feature, weight } of profile.weights) {
        const value = values.get(`${kind}/${feature}`);
        if (value !== undefined && value !== weight) {
            (weights[kind] ??= {})[feature] = value;
        }
    }
    return weights;
}

export function WeightsTab({ route }: { route: Route }) {
    const info = useServer();
    const root = route.root ?? "";
    const [name, setName] = useState("");
    const profile = useLoad(`profile\n${name}`, (signal) => get<EvalProfile>("eval/profile", { name }, signal));
    const [values, setValues] = useState<Map<string, number>>(new Map());
    const [kind, setKind] = useState("");
    const [text, setText] = useState(route.q);
    const [answer, setAnswer] = useState<EvalRerank | null>(null);
    const [error, setError] = useState<string | null>(null);
    const [isBusy, setBusy] = useState(false);
    const [open, setOpen] = useState<string | null>(null);
    const asking = useRef<AbortController | null>(null);
    const kinds = useMemo(() => [...new Set(profile.data?.weights.map((one) => one.kind) ?? [])], [profile.data]);
    const shownKind = kinds.some((one) => one === kind) ? kind : kinds.find((one) => one === kindOf(text)) ?? kinds[0] ?? "";
    const weights = useMemo(() => (profile.data ? changed(profile.data, values) : {}), [profile.data, values]);
    const moved = Object.values(weights).reduce((sum, row) => sum + Object.keys(row).length, 0);

    useEffect(() => setValues(new Map()), [name]);
    useEffect(() => {
        if (!profile.data || text.trim() === "") return;
        const timer = setTimeout(() => {
            asking.current?.abort();
            const stop = new AbortController();
            asking.current = stop;
            setBusy(true);
            post<EvalRerank>("eval/rerank", { root: root || info?.roots[0]?.name, q: text, weights, limit: 15 }, stop.signal).then(
                (reply) => {
                    setAnswer(reply);
                    setError(null);
                    setBusy(false);
                },
                (failure: unknown) => {
                    if (isAbort(failure)) return;
                    setError(failure instanceof Error ? failure.message : String(failure));
                    setBusy(false);
                },
            );
        }, 60);
        return () => clearTimeout(timer);
    }, [profile.data, weights, text, root]);

    if (profile.error) return <p class="failed" role="alert">{(profile.error as ApiError).message}</p>;
    return (
        <>
            <form class="target" onSubmit={(event) => { event.preventDefault(); change({ q: text }); }}>
                <input type="text" aria-label="Query to rank" placeholder="Query to rank" value={text} spellcheck={false} onInput={(event) => setText(event.currentTarget.value)} onBlur={() => change({ q: text }, true)} onKeyDown={(event) => event.key === "Escape" && event.currentTarget.blur()} />
                <select aria-label="Profile to begin with" value={name} onChange={(event) => setName(event.currentTarget.value)}>
                    <option value="">built-in weights</option>
                    {profile.data?.profiles.map((one) => <option value={one}>{visible(one)}</option>)}
                </select>
            </form>
            <div class="weights">
                <section class="sliders" aria-label="Weights">
                    <header>
                        <div class="modes" role="group" aria-label="Kind of weights">
                            {kinds.map((one) => <button type="button" aria-pressed={one === shownKind} onClick={() => setKind(one)}>{visible(one)}</button>)}
                        </div>
                        <button type="button" class="plain-button" disabled={moved === 0} onClick={() => setValues(new Map())}>Reset {moved > 0 ? moved : ""}</button>
                    </header>
                    <ul>
                        {profile.data?.weights.filter((one) => one.kind === shownKind).map((one) => {
                            const key = `${one.kind}/${one.feature}`;
                            const value = values.get(key) ?? one.weight;
                            const span = Math.max(1, Math.abs(one.weight) * 2);
                            const isMoved = value !== one.weight;
                            return (
                                <li class={isMoved ? "moved" : ""} title={one.sentence ?? ""}>
                                    <label for={`w-${key}`}>{one.feature}</label>
                                    <input id={`w-${key}`} type="range" min={(one.weight - span).toFixed(3)} max={(one.weight + span).toFixed(3)} step="0.01" value={value}
                                        onInput={(event) => setValues(new Map(values).set(key, Number(event.currentTarget.value)))}
                                        onDblClick={() => setValues(new Map(values).set(key, one.weight))} />
                                    <output>{value.toFixed(2)}</output>
                                </li>
                            );
                        })}
                    </ul>
                    {profile.data && <Save weights={weights} moved={moved} onSaved={(saved) => { say(`Saved to ${saved}`); profile.again(); }} />}
                </section>
                <section class="reranked" aria-label="Ranking with these weights" aria-busy={isBusy}>
                    <h2>Ranking with these weights</h2>
                    {text.trim() === "" && <p class="quiet">Type a query above.</p>}
                    {error && <p class="failed" role="alert">{error}</p>}
                    {answer && text.trim() !== "" && <Ranking answer={answer} open={open} onOpen={(key) => setOpen(open === key ? null : key)} />}
                </section>
            </div>
        </>
    );
}

function Ranking({ answer, open, onOpen }: { answer: EvalRerank; open: string | null; onOpen: (key: string) => void }) {
    return (
        <ol class="hits">
            {(answer.reply.results as RankedHit[]).map((hit, i) => {
                const key = `${hit.path}:${hit.line}`;
                const before = answer.before.find((one) => one.path === hit.path && one.line === hit.line)?.rank;
                const step = before === undefined ? null : before - (i + 1);
                return (
                    <li class="with-reasons">
                        <button type="button" aria-expanded={open === key} onClick={() => onOpen(key)}>
                            <span class="rank">{i + 1}</span>
                            <span class="where">{visible(hit.path)}:{hit.line} <b>{hit.symbol ? visible(hit.symbol) : ""}</b></span>
                            <span class={`move ${step === null || step > 0 ? "up" : "down"}`}>{step === null ? "new" : step > 0 ? `▲${step}` : step < 0 ? `▼${-step}` : ""}</span>
                            <span class="n quiet">{Math.round(hit.score * 100)}</span>
                        </button>
                        {open === key && <Reasons reasons={hit.reasons} score={hit.score} band={hit.band} />}
                    </li>
                );
            })}
        </ol>
    );
}

function Save({ weights, moved, onSaved }: { weights: Weights; moved: number; onSaved: (file: string) => void }) {
    const [name, setName] = useState("");
    const [error, setError] = useState<string | null>(null);
    const [replaces, setReplaces] = useState(false);
    return (
        <form
            class="save"
            onSubmit={(event) => {
                event.preventDefault();
                post<{ file: string }>("eval/profile", { name: name.trim(), weights, ...(replaces ? { replaces: true } : {}) }).then(
                    (reply) => { setError(null); onSaved(reply.file); },
                    (failure: unknown) => setError(failure instanceof Error ? failure.message : String(failure)),
                );
            }}
        >
            <input type="text" aria-label="Name of the profile" placeholder="Name of the profile" value={name} spellcheck={false} onInput={(event) => setName(event.currentTarget.value)} />
            <label><input type="checkbox" checked={replaces} onChange={(event) => setReplaces(event.currentTarget.checked)} /> replace</label>
            <button type="submit" class="plain-button" disabled={moved === 0 || name.trim() === ""}>Save</button>
            {error && <p class="failed" role="alert">{error}</p>}
        </form>
    );
}
