// Keys of the page. Inside of a text field only keys with Alt count, so that typing is typing.

import { useEffect, useRef } from "preact/hooks";

export type Keys = Record<string, (event: KeyboardEvent) => void>;

let prefix = "";
let prefixEnds = 0;

function isTyping(target: EventTarget | null): boolean {
    const el = target as HTMLElement | null;
    return el !== null && (el.tagName === "INPUT" || el.tagName === "TEXTAREA" || el.tagName === "SELECT" || el.isContentEditable === true);
}

/** The name of a key press: `j`, `?`, `Enter`, `Alt+1`, `g s`. */
function nameOf(event: KeyboardEvent): string {
    const alt = event.altKey ? "Alt+" : "";
    // With Alt some keyboards write other characters; the code names the key.
    const digit = event.altKey && event.code.startsWith("Digit") ? event.code.slice(5) : event.key;
    return `${alt}${digit}`;
}

const maps: { keys: Keys }[] = [];

addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.isComposing) return;
    const typing = isTyping(event.target);
    if (typing && !event.altKey) return;
    const dialog = document.querySelector("dialog[open]");
    if (dialog && event.key !== "?") return;
    const name = nameOf(event);
    const isSecond = prefix !== "" && performance.now() < prefixEnds;
    const full = isSecond ? `${prefix} ${name}` : name;
    prefix = "";
    for (let i = maps.length - 1; i >= 0; i--) {
        const act = maps[i]!.keys[full];
        if (act) {
            event.preventDefault();
            act(event);
            return;
        }
    }
    if (!isSecond && name === "g") {
        prefix = "g";
        prefixEnds = performance.now() + 1500;
    }
});

/** Keys of a component while it is shown; the component that was shown last goes first. */
export function useKeys(keys: Keys): void {
    const latest = useRef<{ keys: Keys }>({ keys });
    latest.current.keys = keys;
    useEffect(() => {
        const own = latest.current;
        maps.push(own);
        return () => {
            maps.splice(maps.indexOf(own), 1);
        };
    }, []);
}

/** All keys, for the help page. */
export const HELP: [string, [string, string][]][] = [
    ["Everywhere", [
        ["/", "search box"], ["?", "this help"], ["g s", "search"], ["g f", "files"], ["g g", "graph"], ["g h", "health"], ["g e", "evaluation"],
        ["Alt+1 … Alt+5", "mode: auto, ranked, exact, files, symbols"], ["m", "next mode"], ["Esc", "out of the box; closes"],
    ]],
    ["Search box", [
        ["Enter", "keeps the query, goes to the first result"], ["↓", "into the results"], ["Ctrl+Space", "completion"], ["Tab", "takes a completion"],
    ]],
    ["Results", [
        ["j ↓, k ↑", "next, previous hit"], ["n, p", "next, previous file"], ["Enter", "file"], ["o", "open in the editor"],
        ["e", "more lines around the hit"], ["w", "why: reasons of the hit"], ["x", "why not another file"], ["c", "copy the path"], ["y", "copy a link"],
        ["g d", "graph of the hit's symbol"], ["r", "ask again"],
    ]],
    ["File", [
        ["j, k", "next, previous line"], ["] [", "next, previous definition"], ["l, h", "next, previous name of the line"],
        ["Enter", "definition of the name"], ["r", "uses of the name"], ["g r", "graph of the name"], ["b", "files of the tree"], ["d", "diff with another view"], ["u", "folder"], ["o, c, y", "open, copy path, copy link"],
    ]],
    ["Graph", [["↑ ↓", "moves in the tree"], ["→ ←", "opens, closes"], ["Enter", "the place in its file"], ["c", "makes the symbol the centre"]]],
];
