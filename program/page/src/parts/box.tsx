// The search box: the query with its wrong word underlined, and completion of filters.

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { get, type ApiError } from "../api";
import { byteIndex, byteOffset, visible } from "../text";
import { remember } from "../state";
import { useWords, type Word } from "../query";
import type { CompleteReply, Completion, Range } from "../shown";

interface Props {
    text: string;
    onText: (text: string) => void;
    onEnter: () => void;
    onDown: () => void;
    error: ApiError | null;
    errorRange: Range | null;
    isBusy: boolean;
    placeholder: string;
    /** The mode in which the query is answered, if it is known. */
    mode: string | undefined;
    /** The tree and the view of the search. */
    scope: { root: string; view: string };
}

interface Offer { from: number; to: number; items: Completion[]; at: number }

/** Whether a filter may have begun before the caret. The server knows whether the caret stands in one. */
function mayBeFilter(text: string, at: number): boolean {
    return text.lastIndexOf(":", at - 1) >= 0;
}

export function SearchBox(props: Props) {
    const input = useRef<HTMLInputElement>(null);
    const under = useRef<HTMLDivElement>(null);
    const [offer, setOffer] = useState<Offer | null>(null);
    const [scroll, setScroll] = useState(0);
    const asking = useRef<AbortController | null>(null);
    const { text } = props;
    const words = useWords(text);

    // In the value of a filter, completion opens by itself.
    const ask = (value: string, at: number, isWanted: boolean) => {
        asking.current?.abort();
        const stop = new AbortController();
        asking.current = stop;
        get<CompleteReply>("complete", { q: value, at: byteOffset(value, at), mode: props.mode, ...props.scope }, stop.signal).then(
            (reply) => {
                if (stop.signal.aborted) return;
                const index = byteIndex(value);
                const items = isWanted || reply.key !== null ? reply.items.slice(0, 12) : [];
                setOffer(items.length > 0 ? { from: index(reply.span[0]), to: index(reply.span[1]), items, at: 0 } : null);
            },
            // The offers of an older text would hide what is wrong in this one.
            () => stop.signal.aborted || setOffer(null),
        );
    };
    const close = () => {
        asking.current?.abort();
        setOffer(null);
    };
    const accept = (item: Completion) => {
        if (!offer) return;
        // A folder goes on with its entries, before the second quote if there is one.
        const isOpen = /[:/ ]"?$/.test(item.text);
        const end = isOpen ? "" : " ";
        const next = text.slice(0, offer.from) + item.text + end + text.slice(offer.to).replace(/^ /, isOpen ? " " : "");
        const caret = offer.from + item.text.length + end.length - (isOpen && item.text.endsWith('"') ? 1 : 0);
        setOffer(null);
        props.onText(next);
        requestAnimationFrame(() => {
            input.current?.setSelectionRange(caret, caret);
            if (isOpen) ask(next, caret, true);
        });
    };

    const onInput = (event: Event) => {
        const el = event.currentTarget as HTMLInputElement;
        const at = el.selectionStart ?? el.value.length;
        props.onText(el.value);
        if (mayBeFilter(el.value, at)) ask(el.value, at, false);
        else close();
    };
    const onKeyDown = (event: KeyboardEvent) => {
        const el = input.current!;
        if (event.key === " " && event.ctrlKey) {
            event.preventDefault();
            ask(text, el.selectionStart ?? text.length, true);
            return;
        }
        if (offer && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
            event.preventDefault();
            const step = event.key === "ArrowDown" ? 1 : offer.items.length - 1;
            setOffer({ ...offer, at: (offer.at + step) % offer.items.length });
        } else if (offer && (event.key === "Tab" || event.key === "Enter") && !event.shiftKey) {
            event.preventDefault();
            accept(offer.items[offer.at]!);
        } else if (event.key === "Escape") {
            event.preventDefault();
            if (offer) close();
            else if (text !== "") el.select();
            if (!offer) el.blur();
        } else if (event.key === "Enter") {
            remember(text);
            props.onEnter();
        } else if (event.key === "ArrowDown") {
            event.preventDefault();
            props.onDown();
        }
    };

    useLayoutEffect(() => {
        // The value is set by hand, so that the caret stays where it is while results arrive.
        const el = input.current!;
        if (el.value !== text) el.value = text;
    }, [text]);

    useEffect(() => () => asking.current?.abort(), []);

    const range = props.errorRange;
    const list = offer ? `${offer.from}ch` : "0";
    return (
        <div class="box" role="search">
            <svg class="glass" viewBox="0 0 20 20" aria-hidden="true"><circle cx="9" cy="9" r="5.5" /><path d="m13.2 13.2 4 4" /></svg>
            <div class="field">
                <div class="under" ref={under} aria-hidden="true">
                    <span style={{ transform: `translateX(${-scroll}px)` }}>{mirror(text, words, range)}</span>
                </div>
                <input
                    ref={input}
                    id="query"
                    type="text"
                    role="combobox"
                    aria-label="Search code"
                    aria-expanded={offer !== null}
                    aria-controls="offers"
                    aria-autocomplete="list"
                    aria-activedescendant={offer ? `offer-${offer.at}` : undefined}
                    aria-invalid={props.error !== null}
                    aria-describedby={props.error ? "query-error" : undefined}
                    autocomplete="off"
                    autocapitalize="off"
                    spellcheck={false}
                    placeholder={props.placeholder}
                    onInput={onInput}
                    onKeyDown={onKeyDown}
                    onBlur={close}
                    onScroll={(event) => setScroll((event.currentTarget as HTMLElement).scrollLeft)}
                />
                <ul class="offers" id="offers" role="listbox" aria-label="Completions" hidden={!offer} style={{ left: list }}>
                    {offer?.items.map((item, i) => (
                        <li
                            id={`offer-${i}`}
                            role="option"
                            aria-selected={i === offer.at}
                            onMouseDown={(event) => {
                                event.preventDefault();
                                accept(item);
                            }}
                        >
                            <span>{visible(item.label)}</span>
                            <small>{visible(item.detail ?? item.sort)}</small>
                        </li>
                    ))}
                </ul>
                {props.error && !offer && (
                    <p class="query-error" id="query-error" role="alert" style={{ left: `max(0px, min(${range?.[0] ?? 0}ch - ${scroll}px, 100% - 26rem))` }}>
                        {visible(props.error.message.replace(/; choose one of .*/s, ""))}
                        {props.error.choices.length > 0 && range && (
                            <span class="choices">
                                {nearest(props.error.choices, range ? text.slice(range[0], range[1]) : "").map((choice) => (
                                    <button
                                        type="button"
                                        onMouseDown={(event) => event.preventDefault()}
                                        onClick={() => props.onText(replaced(text, range, choice))}
                                    >
                                        {visible(choice)}
                                    </button>
                                ))}
                            </span>
                        )}
                    </p>
                )}
            </div>
            <span class={props.isBusy ? "busy on" : "busy"} aria-hidden="true" />
            {text !== "" && (
                <button type="button" class="clear" aria-label="Clear the query" title="Clear" onClick={() => { props.onText(""); input.current?.focus(); }}>×</button>
            )}
            <kbd class="slash" aria-hidden="true">/</kbd>
        </div>
    );
}

/** How many letters differ. */
function distance(a: string, b: string): number {
    let row = Array.from({ length: b.length + 1 }, (_, i) => i);
    for (let i = 1; i <= a.length; i++) {
        const next = [i];
        for (let j = 1; j <= b.length; j++) {
            next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)));
        }
        row = next;
    }
    return row[b.length]!;
}

/** The choices that are most like the wrong value. */
function nearest(choices: string[], word: string): string[] {
    const value = word.slice(word.indexOf(":") + 1);
    return [...choices].sort((a, b) => distance(a, value) - distance(b, value)).slice(0, 5);
}

function replaced(text: string, range: Range, choice: string): string {
    const word = text.slice(range[0], range[1]);
    const colon = word.indexOf(":");
    const prefix = colon >= 0 && !choice.includes(":") ? word.slice(0, colon + 1) : "";
    return text.slice(0, range[0]) + prefix + choice + text.slice(range[1]);
}

/** The query once more, invisible, with the marks of its filters and of its wrong word. */
function mirror(text: string, words: Word[], error: Range | null) {
    const marks: [number, number, string][] = words.map((word) => [word.start, word.end, "filter"]);
    if (error) {
        const others = marks.filter(([start, end]) => !(error[0] < end && error[1] > start));
        marks.splice(0, marks.length, ...others, [error[0], error[1], "wrong"]);
    }
    const parts = [];
    let at = 0;
    for (const [start, end, kind] of marks.sort((a, b) => a[0] - b[0])) {
        parts.push(text.slice(at, start));
        parts.push(<span class={kind}>{text.slice(start, end)}</span>);
        at = end;
    }
    parts.push(text.slice(at));
    return parts;
}
