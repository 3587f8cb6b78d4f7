// Reasons as a waterfall: each bar begins where the one before ended, and the last one ends at the score.

import { useState } from "preact/hooks";
import { share } from "../text";
import type { Reason } from "../shown";

export const SHOWN = 9;

/** The largest reasons; the others as one, so that the bars still add up. */
export function shown(reasons: Reason[], most = SHOWN): Reason[] {
    const sorted = [...reasons].sort((a, b) => Math.abs(b.share) - Math.abs(a.share));
    if (sorted.length <= most) return sorted;
    const rest = sorted.slice(most - 1);
    return [...sorted.slice(0, most - 1), {
        signal: `${rest.length} others`,
        share: rest.reduce((sum, one) => sum + one.share, 0),
        text: rest.map((one) => `${one.signal} ${share(one.share)}`).join(", "),
    }];
}

const BANDS: Record<string, string> = {
    high: "from 80: nearly always an answer",
    good: "60 to 80: mostly an answer",
    weak: "below 15: rarely an answer",
};

export function bandText(score: number, band: string): string {
    const said = BANDS[band] ? `, ${band} (${BANDS[band]})` : "";
    return `Score ${Math.round(score * 100)} of 100${said}.`;
}

export function Reasons({ reasons, score, band }: { reasons: Reason[]; score: number; band: string }) {
    const list = shown(reasons);
    const [at, setAt] = useState<number | null>(null);
    let sum = 0;
    const bars = list.map((reason) => {
        const from = sum;
        sum += reason.share;
        return { reason, from, to: sum };
    });
    const low = Math.min(0, ...bars.map((bar) => bar.to));
    const high = Math.max(score, ...bars.map((bar) => bar.to), 0.0001);
    const place = (value: number) => ((value - low) / (high - low)) * 100;
    const sentence = at === null ? bandText(score, band) : list[at]?.text ?? "";
    return (
        <div class="reasons">
            <ol class="waterfall" onMouseLeave={() => setAt(null)}>
                {bars.map(({ reason, from, to }, i) => (
                    <li tabIndex={0} class={at === i ? "on" : ""} onMouseEnter={() => setAt(i)} onFocus={() => setAt(i)} onBlur={() => setAt(null)}>
                        <span class="signal">{reason.signal}</span>
                        <span class="track" aria-hidden="true">
                            <span
                                class={reason.share < 0 ? "bar minus" : "bar"}
                                style={{ left: `${place(Math.min(from, to))}%`, width: `${Math.max(0.6, Math.abs(place(to) - place(from)))}%` }}
                            />
                        </span>
                        <span class="share">{share(reason.share)}</span>
                        <span class="sr">{reason.text}</span>
                    </li>
                ))}
                <li class="sum">
                    <span class="signal">score</span>
                    <span class="track" aria-hidden="true">
                        <span class="bar total" style={{ left: `${place(0)}%`, width: `${place(score) - place(0)}%` }} />
                    </span>
                    <span class="share">{(score * 100).toFixed(1)}</span>
                </li>
            </ol>
            <p class="sentence" aria-hidden="true">{sentence}</p>
        </div>
    );
}
