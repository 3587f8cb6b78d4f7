// The events of the server: one stream for all tabs.
//
// A browser opens six connections to a host, so a stream in each tab would leave none for the questions of the seventh. The
// tab that holds a lock has the stream, and tells the others what it hears. The browser gives the lock to another tab when the
// holder is closed, crashes or leaves the page.

export interface IndexState { root: string; state: string; percent: number | null }

/** What a tab hears: the state of a tree, and whether its index may have changed, or that the stream has ended. */
export type ServerNews = { kind: "state"; state: IndexState; isChange: boolean } | { kind: "lost" };

type Hear = (news: ServerNews) => void;

const NAME = "spyhop-events";

/** Follows the events of the server for as long as the page is open. */
export function followEvents(hear: Hear): void {
    // Browsers have locks on addresses of this machine, and otherwise only over an encrypted connection.
    const begin = navigator.locks ? share : streamWhileVisible;
    let end = begin(hear);
    // A page that the browser keeps for the way back holds neither the lock nor the stream.
    addEventListener("pagehide", () => end());
    addEventListener("pageshow", (event) => {
        if (event.persisted) end = begin(hear);
    });
}

function share(hear: Hear): () => void {
    const channel = new BroadcastChannel(NAME);
    const known = new Map<string, IndexState>();
    const take = (news: ServerNews) => {
        if (news.kind === "state") known.set(news.state.root, news.state);
        hear(news);
    };
    let release: (() => void) | null = null;
    channel.onmessage = ({ data }: MessageEvent<ServerNews | { kind: "ask" }>) => {
        if (data.kind !== "ask") return take(data);
        if (!release) return;
        for (const state of known.values()) channel.postMessage({ kind: "state", state, isChange: false });
    };
    channel.postMessage({ kind: "ask" });
    const waiting = new AbortController();
    const lead = () => new Promise<void>((resolve) => {
        const close = stream(known, (news) => {
            take(news);
            channel.postMessage(news);
        });
        release = () => {
            close();
            resolve();
        };
    });
    navigator.locks.request(NAME, { signal: waiting.signal }, lead).catch(() => {
        // The page was left before its turn.
    });
    return () => {
        waiting.abort();
        release?.();
        channel.close();
    };
}

function streamWhileVisible(hear: Hear): () => void {
    const known = new Map<string, IndexState>();
    let close: (() => void) | null = null;
    const look = () => {
        if (document.visibilityState === "visible") {
            close ??= stream(known, (news) => {
                if (news.kind === "state") known.set(news.state.root, news.state);
                hear(news);
            });
        } else {
            close?.();
            close = null;
        }
    };
    look();
    document.addEventListener("visibilitychange", look);
    return () => {
        document.removeEventListener("visibilitychange", look);
        close?.();
    };
}

/**
 * Opens the stream, and again when it has ended, until the function that it returns is called. Each event of a tree that is
 * known says that its index has changed, or may have changed while nobody had the stream.
 */
function stream(known: ReadonlyMap<string, IndexState>, hear: Hear): () => void {
    let pause = 1000;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let source: EventSource;
    const begin = () => {
        source = new EventSource("/api/v1/events");
        source.addEventListener("state", (event) => {
            pause = 1000;
            const state = JSON.parse((event as MessageEvent<string>).data) as IndexState;
            hear({ kind: "state", state, isChange: known.has(state.root) });
        });
        source.addEventListener("error", () => {
            source.close();
            hear({ kind: "lost" });
            timer = setTimeout(begin, pause);
            pause = Math.min(pause * 2, 15000);
        });
    };
    begin();
    return () => {
        clearTimeout(timer);
        source.close();
    };
}
