export type Listener = () => void;

/** A part of the state, and what may be done to it. */
export interface Slice<S> {
  initial: S;
  actions: Record<string, (state: S, payload: never) => S>;
}

/** Keeps the state in one place. Whoever subscribes is told once after each change, however many parts changed. */
export function createStore<T extends Record<string, Slice<unknown>>>(slices: T) {
  let state = Object.fromEntries(Object.entries(slices).map(([name, slice]) => [name, slice.initial]));
  const listeners = new Set<Listener>();
  let scheduled = false;

  function notify() {
    if (scheduled) return;
    scheduled = true;
    queueMicrotask(() => {
      scheduled = false;
      for (const listener of [...listeners]) listener();
    });
  }

  return {
    get: (name: keyof T) => state[name as string],
    dispatch(name: keyof T, action: string, payload: unknown) {
      const next = slices[name].actions[action](state[name as string] as never, payload as never);
      if (next === state[name as string]) return;
      state = { ...state, [name]: next };
      notify();
    },
    subscribe(listener: Listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
