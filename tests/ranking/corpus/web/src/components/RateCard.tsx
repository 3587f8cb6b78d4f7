import type { Quote } from "../api";
import { formatMoney } from "../util/format";
import { t } from "../i18n";

/** Prices of the carriers side by side, the cheapest marked. */
export default function RateCard({ quotes, choose }: { quotes: Quote[]; choose(carrier: string): void }) {
  const cheapest = Math.min(...quotes.map((quote) => quote.price.minor));
  return (
    <ul class="rates">
      {quotes.map((quote) => (
        <li key={quote.carrier} class={quote.price.minor === cheapest ? "cheapest" : ""}>
          <button onClick={() => choose(quote.carrier)}>
            {quote.carrier}: {formatMoney(quote.price)} {quote.price.minor === cheapest && t("rates.cheapest")}
          </button>
        </li>
      ))}
    </ul>
  );
}
