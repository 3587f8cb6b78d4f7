// Made from server/openapi.json by npm run types; changes are lost.

export interface Shipment {
  id: string;
  state: "draft" | "bought" | "handed_over" | "in_transit" | "delivered" | "returned" | "cancelled";
  from: Address;
  to: Address;
  parcels: Parcel[];
  label?: Label;
  created_at: number;
}

export interface Address {
  name: string;
  street: string;
  postcode: string;
  city: string;
  country: string;
}

export interface Parcel {
  grams: number;
  millimetres: [number, number, number];
}

export interface Label {
  tracking_number: string;
  format: "pdf" | "zpl";
  url: string;
}

export interface ShipmentPage {
  rows: Shipment[];
  next?: string;
}

export interface Quote {
  carrier: string;
  price: { minor: number; currency: string };
}

export interface Problem {
  status: number;
  code: string;
  detail: string;
  retry_after?: number;
}
