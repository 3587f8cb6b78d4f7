// The text form of a query: words, and filters such as `lang:rust`. The server parses the same text and has the last word.

export interface Word {
    start: number;
    end: number;
    /** The key of a filter, or `null` for a word of the text. `exclude` also stands for `-word`. */
    key: string | null;
    value: string;
    isExcluding: boolean;
}

export const KEYS: Record<string, string> = {
    lang: "language, such as lang:rust,go",
    kind: "kind of definition, such as kind:fn",
    path: "folder or file, such as path:src/",
    glob: "glob of paths, such as glob:*.rs",
    exclude: "part of a path that must not occur; -word is short for it",
    in: "source of the library, such as in:docs",
    view: "branch, commit or worktree, such as view:main",
};

/** The words of a query with their places. */
export function words(text: string): Word[] {
    const found: Word[] = [];
    const pattern = /-?[a-z]+:"[^"]*"?|\S+/g;
    for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
        const word = match[0];
        const start = match.index;
        const end = start + word.length;
        const colon = word.indexOf(":");
        const isExcluding = /^-[a-zA-Z]/.test(word);
        const key = colon > 0 ? word.slice(isExcluding ? 1 : 0, colon) : "";
        const value = word.slice(colon + 1).replace(/^"([^"]*)"?$/, "$1");
        if (Object.hasOwn(KEYS, key) && value !== "" && !value.startsWith(":")) {
            found.push({ start, end, key, value, isExcluding });
        } else if (isExcluding) {
            found.push({ start, end, key: "exclude", value: word.slice(1), isExcluding });
        } else {
            found.push({ start, end, key: null, value: word, isExcluding });
        }
    }
    return found;
}

export function filters(text: string): Word[] {
    return words(text).filter((word) => word.key !== null);
}

/** The text without its filters. */
export function plainText(text: string): string {
    return words(text).filter((word) => word.key === null).map((word) => word.value).join(" ");
}

/** The query without one of its words. */
export function without(text: string, word: Word): string {
    return `${text.slice(0, word.start)}${text.slice(word.end)}`.replace(/\s{2,}/g, " ").trim();
}

export function hasFilter(text: string, key: string, value: string): Word | undefined {
    return words(text).find((word) => word.key === key && !word.isExcluding && word.value.split(",").includes(value));
}

/** The query with a filter added, or removed if it was there. A value with blanks cannot be written as a filter. */
export function toggle(text: string, key: string, value: string): string {
    const there = hasFilter(text, key, value);
    if (there) {
        const rest = there.value.split(",").filter((one) => one !== value);
        if (rest.length === 0) {
            return without(text, there);
        }
        return `${text.slice(0, there.start)}${key}:${rest.join(",")}${text.slice(there.end)}`;
    }
    const same = key === "lang" || key === "kind" ? words(text).find((word) => word.key === key && !word.isExcluding) : undefined;
    if (same) {
        return `${text.slice(0, same.end)},${value}${text.slice(same.end)}`;
    }
    const added = `${key}:${value}`;
    return text.trim() === "" ? `${added} ` : `${text.trimEnd()} ${added}`;
}
