// How long the answers of this server took, as histograms.

import { useEffect } from "preact/hooks";
import { get, type ApiError } from "../../api";
import { useLoad } from "../../state";
import { ago, number } from "../../text";
import type { LatencyKind, LatencyReply } from "../../shown";

export function Latencies() {
    const reply = useLoad("latencies", (signal) => get<LatencyReply>("latencies", {}, signal));
    useEffect(() => {
        const timer = setInterval(reply.again, 5000);
        return () => clearInterval(timer);
    }, []);
    const kinds = [...(reply.data?.kinds ?? [])].sort((a, b) => Number(b.name.startsWith("search")) - Number(a.name.startsWith("search")) || b.count - a.count);
    return (
        <section>
            <h2>Latency of answers</h2>
            {reply.error ? <p class="failed">{(reply.error as ApiError).message}</p> : null}
            {reply.data && kinds.length === 0 && <p class="quiet">No question was asked yet.</p>}
            <ul class="latencies">{kinds.slice(0, 8).map((kind) => <Histogram kind={kind} />)}</ul>
            {reply.data && <p class="quiet small">since the start of the server, {ago(reply.data.since)}</p>}
        </section>
    );
}

function Histogram({ kind }: { kind: LatencyKind }) {
    const most = Math.max(1, ...kind.buckets.map((bucket) => bucket.count));
    const sentence = `${kind.name}: ${number(kind.count)} answers, half within ${kind.p50_ms} ms, 95 of 100 within ${kind.p95_ms} ms, the longest ${kind.max_ms} ms`;
    return (
        <li>
            <p><b>{kind.name}</b> <span class="quiet">{number(kind.count)}</span></p>
            <div class="histogram" role="img" aria-label={sentence}>
                {kind.buckets.map((bucket) => (
                    <span title={`${bucket.to_ms === null ? "more" : `up to ${bucket.to_ms} ms`}: ${bucket.count}`}>
                        <i style={{ height: `${(bucket.count / most) * 100}%` }} />
                    </span>
                ))}
            </div>
            <p class="quiet small">p50 {round(kind.p50_ms)} ms, p95 {round(kind.p95_ms)} ms, max {round(kind.max_ms)} ms</p>
        </li>
    );
}

function round(ms: number): string {
    return ms < 10 ? String(Math.round(ms * 10) / 10) : String(Math.round(ms));
}
