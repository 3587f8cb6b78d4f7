import { ApiClient } from "./api";
import { Router } from "./router";
import { createStore } from "./state/store";
import { shipments } from "./state/shipments";
import { setLocale } from "./i18n";

/** Puts the dashboard together and shows the page that the address bar asks for. */
export async function start(root: HTMLElement) {
  await setLocale(navigator.language);
  const api = new ApiClient("/v2");
  const store = createStore({ shipments });
  const router = new Router(root, { api, store });
  router.add("/shipments", () => import("./components/ShipmentTable"));
  router.add("/quotes", () => import("./components/RateCard"));
  router.fallback(() => import("./components/NotFound"));
  router.go(location.pathname);
}
