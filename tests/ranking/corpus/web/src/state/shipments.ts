import type { Shipment, ShipmentPage } from "../api";
import type { Slice } from "./store";

interface Shipments {
  byId: Record<string, Shipment>;
  order: string[];
  next?: string;
}

/** The shipments that were loaded, each once, in the order of the server. */
export const shipments: Slice<Shipments> = {
  initial: { byId: {}, order: [] },
  actions: {
    loaded(state, page: ShipmentPage) {
      const byId = { ...state.byId };
      const order = [...state.order];
      for (const shipment of page.rows) {
        if (!(shipment.id in byId)) order.push(shipment.id);
        byId[shipment.id] = shipment;
      }
      return { byId, order, next: page.next };
    },
    /** Shows a change before the server has confirmed it; `rolledBack` takes it back. */
    cancelledOptimistically(state, id: string) {
      const shipment = { ...state.byId[id], state: "cancelled" as const };
      return { ...state, byId: { ...state.byId, [id]: shipment } };
    },
    rolledBack(state, before: Shipment) {
      return { ...state, byId: { ...state.byId, [before.id]: before } };
    },
  },
};
