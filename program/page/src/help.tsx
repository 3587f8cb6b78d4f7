// The list of keys, and the few settings.

import { useEffect, useRef, useState } from "preact/hooks";
import { chooseEditor, editorName, EDITORS, type EditorName } from "./editor";
import { HELP } from "./keys";
import { useServer } from "./state";

export function HelpDialog({ onClose }: { onClose: () => void }) {
    const dialog = useRef<HTMLDialogElement>(null);
    const info = useServer();
    const [editor, setEditor] = useState(editorName());
    useEffect(() => {
        dialog.current!.showModal();
    }, []);
    return (
        <dialog ref={dialog} class="helpbox" aria-labelledby="help-title" onClose={onClose} onClick={(event) => event.target === dialog.current && onClose()}>
            <div class="inner">
                <header>
                    <h2 id="help-title">Keys</h2>
                    <button type="button" aria-label="Close" onClick={onClose}>×</button>
                </header>
                <div class="columns" tabIndex={0} role="group" aria-label="Keys by view">
                    {HELP.map(([title, keys]) => (
                        <section>
                            <h3>{title}</h3>
                            <dl>{keys.map(([key, what]) => <div><dt>{key.split(", ").map((one) => <kbd>{one}</kbd>)}</dt><dd>{what}</dd></div>)}</dl>
                        </section>
                    ))}
                </div>
                <footer>
                    <label>
                        Open places in{" "}
                        <select value={editor} onChange={(event) => { const name = event.currentTarget.value as EditorName; chooseEditor(name); setEditor(name); }}>
                            {(Object.keys(EDITORS) as EditorName[]).filter((name) => name !== "server" || info?.can_open).map((name) => (
                                <option value={name}>{name === "server" ? `${info?.editor ?? "editor"} (by the server)` : EDITORS[name]}</option>
                            ))}
                        </select>
                    </label>
                    <span class="quiet">spyhop {info?.version}</span>
                </footer>
            </div>
        </dialog>
    );
}
