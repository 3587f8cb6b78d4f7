import { withRetry } from "../util/retry";
import { Session } from "./session";
import type { Problem, Quote, Shipment, ShipmentPage } from "./types_generated";

/** A reply that was no success, as the server explained it. */
export class ApiError extends Error {
  constructor(readonly status: number, readonly problem: Problem) {
    super(problem.detail);
  }
}

/** Speaks to the server. One for each page. */
export class ApiClient {
  constructor(private base: string, private session = new Session()) {}

  listShipments(cursor?: string): Promise<ShipmentPage> {
    return this.request("GET", `/shipments${cursor ? `?cursor=${encodeURIComponent(cursor)}` : ""}`);
  }

  createShipment(body: unknown): Promise<Shipment> {
    return this.request("POST", "/shipments", body, { "idempotency-key": crypto.randomUUID() });
  }

  quotes(body: unknown): Promise<Quote[]> {
    return this.request("POST", "/quotes", body);
  }

  private async request<T>(method: string, path: string, body?: unknown, headers = {}): Promise<T> {
    return withRetry(async () => {
      const token = await this.session.token();
      const response = await fetch(this.base + path, {
        method,
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json", ...headers },
        body: body === undefined ? undefined : JSON.stringify(body),
      });
      if (!response.ok) throw new ApiError(response.status, await response.json());
      return response.json();
    });
  }
}
