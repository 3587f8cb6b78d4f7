export { ApiClient, ApiError } from "./client";
export { Session } from "./session";
export type * from "./types_generated";
