import { useEffect, useState } from "view";

/** `value`, once it has stood still for `milliseconds`. */
export function useDebounce<T>(value: T, milliseconds: number): T {
  const [still, setStill] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setStill(value), milliseconds);
    return () => clearTimeout(timer);
  }, [value, milliseconds]);
  return still;
}
