import { afterEach, expect, test, vi } from "vite-test";
import { ApiClient, ApiError } from "./client";

afterEach(() => vi.restoreAllMocks());

const session = { token: async () => "t" } as never;

test("sends an idempotency key with every new shipment", async () => {
  const fetch = vi.spyOn(globalThis, "fetch").mockResolvedValue(new Response("{}"));
  await new ApiClient("", session).createShipment({});
  expect(fetch.mock.calls[0][1]!.headers).toHaveProperty("idempotency-key");
});

test("a refusal becomes an ApiError", async () => {
  const problem = { status: 422, code: "invalid", detail: "grams: 1 to 31500" };
  vi.spyOn(globalThis, "fetch").mockResolvedValue(new Response(JSON.stringify(problem), { status: 422 }));
  await expect(new ApiClient("", session).quotes({})).rejects.toThrow(ApiError);
});
