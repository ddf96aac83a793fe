import { useSyncExternalStore } from "react";

/** A value that many parts of a page look at and that is changed from outside React: the connection, toasts, settings. */
export class Store<T> {
  #value: T;
  #listeners = new Set<() => void>();

  constructor(value: T) {
    this.#value = value;
  }

  get value(): T {
    return this.#value;
  }

  set(value: T): void {
    if (Object.is(value, this.#value)) return;
    this.#value = value;
    for (const listener of this.#listeners) listener();
  }

  change(edit: (value: T) => T): void {
    this.set(edit(this.#value));
  }

  listen = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };
}

export function useStore<T>(store: Store<T>): T {
  return useSyncExternalStore(
    store.listen,
    () => store.value,
    () => store.value,
  );
}
