import { useEffect, useState } from "view";
import type { Shipment } from "../api";
import { useDebounce } from "../hooks/useDebounce";
import { usePolling } from "../hooks/usePolling";
import { formatDate, formatWeight } from "../util/format";
import { t } from "../i18n";

interface Props {
  rows: Shipment[];
  loadMore(): void;
}

/** The list of shipments: a filter on top, more rows when one scrolls to the end. */
export default function ShipmentTable({ rows, loadMore }: Props) {
  const [filter, setFilter] = useState("");
  const wanted = useDebounce(filter, 200);
  usePolling(loadMore, 60_000);
  useEffect(() => {
    const observer = new IntersectionObserver(([entry]) => entry.isIntersecting && loadMore());
    observer.observe(document.querySelector("tfoot")!);
    return () => observer.disconnect();
  }, [loadMore]);
  const shown = rows.filter((row) => row.to.name.toLowerCase().includes(wanted.toLowerCase()));
  return (
    <table>
      <caption>
        <input placeholder={t("table.filter")} onInput={(event) => setFilter(event.currentTarget.value)} />
      </caption>
      <tbody>
        {shown.map((row) => (
          <tr key={row.id} class={`state-${row.state}`}>
            <td>{formatDate(row.created_at)}</td>
            <td>{row.to.name}</td>
            <td>{formatWeight(row.parcels)}</td>
          </tr>
        ))}
      </tbody>
      <tfoot />
    </table>
  );
}
