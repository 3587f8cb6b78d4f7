// Links into editors, and the editor of the server.

import { post } from "./api";
import { say, server } from "./state";

export type EditorName = "vscode" | "idea" | "server";
export const EDITORS: Record<EditorName, string> = {
    vscode: "VS Code", idea: "JetBrains IDE", server: "editor of the server",
};

export function editorName(): EditorName {
    const chosen = localStorage.getItem("editor");
    if (chosen === "vscode" || chosen === "idea") return chosen;
    return server()?.can_open ? "server" : "vscode";
}

export function chooseEditor(name: EditorName): void {
    localStorage.setItem("editor", name);
}

/** The absolute path of a file of a served tree. */
export function absolute(path: string, root?: string): string {
    const roots = server()?.roots ?? [];
    const tree = roots.find((one) => one.name === root) ?? roots[0];
    return tree ? `${tree.path.replace(/\/$/, "")}/${path}` : path;
}

/** The link that opens a place in an editor on this machine. */
export function editorLink(path: string, line: number, column = 1, root?: string): string {
    const full = absolute(path, root);
    if (editorName() === "idea") {
        return `idea://open?${new URLSearchParams({ file: full, line: String(line), column: String(column) })}`;
    }
    return `vscode://file${full.split("/").map(encodeURIComponent).join("/")}:${line}:${column}`;
}

export function openInEditor(path: string, line: number, column = 1, root?: string): void {
    if (editorName() !== "server") {
        const link = document.createElement("a");
        link.href = editorLink(path, line, column, root);
        link.click();
        return;
    }
    post<{ opened: string; editor: string }>("open", { root, path, line, column }).then(
        (reply) => say(`${reply.opened} is open in ${reply.editor}`),
        (error: unknown) => say(error instanceof Error ? error.message : String(error)),
    );
}
