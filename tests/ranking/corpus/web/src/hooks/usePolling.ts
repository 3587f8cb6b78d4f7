import { useEffect } from "view";

/** Calls again and again, but not while the tab is hidden. */
export function usePolling(call: () => void, milliseconds: number) {
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === "visible") call();
    }, milliseconds);
    return () => clearInterval(timer);
  }, [call, milliseconds]);
}
