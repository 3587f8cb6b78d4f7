export { default as RateCard } from "./RateCard";
export { default as ShipmentTable } from "./ShipmentTable";
