import { Component, h, type ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";

/** A value that can be observed. Listeners run at once; components render in the next microtask, together. */
export class Store<Value> {
  private readonly listeners = new Set<() => void>();
  constructor(private value: Value) {}
  get(): Value {
    return this.value;
  }
  set(value: Value): void {
    if (Object.is(value, this.value)) return;
    this.value = value;
    for (const listener of [...this.listeners]) listener();
  }
  update(change: (value: Value) => Value): void {
    this.set(change(this.value));
  }
  subscribe(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}

/** Returns the value, or a part of it, and renders again when that changes. */
export function useStore<Value>(store: Store<Value>): Value;
export function useStore<Value, Part>(store: Store<Value>, part: (value: Value) => Part): Part;
export function useStore<Value, Part>(store: Store<Value>, part?: (value: Value) => Part): Value | Part {
  const read = () => (part ? part(store.get()) : store.get());
  const [, render] = useState<object>();
  const now = read();
  useEffect(() => {
    let last = now;
    const check = () => {
      const next = read();
      if (!Object.is(next, last)) {
        last = next;
        render({});
      }
    };
    check(); // it may have changed between rendering and this effect
    return store.subscribe(check);
  }, [store]);
  return now;
}

/** Skips rendering while no property has changed (by identity). The package that provides Preact has no `memo`. */
export function memo<Properties extends object>(inner: (properties: Properties) => unknown): ComponentType<Properties> {
  return class Memo extends Component<Properties> {
    override shouldComponentUpdate(next: Properties): boolean {
      const now = this.props as Record<string, unknown>;
      const then = next as Record<string, unknown>;
      for (const key in then) if (then[key] !== now[key]) return true;
      for (const key in now) if (!(key in then)) return true;
      return false;
    }
    override render() {
      return h(inner as ComponentType<Properties>, this.props as Properties & { key?: never });
    }
  };
}

/** Runs what is added once in the next animation frame, in order: the events of one frame are one change. */
export function frameBatch(): (run: () => void) => void {
  let waiting: (() => void)[] = [];
  return (run) => {
    waiting.push(run);
    if (waiting.length > 1) return;
    const flush = () => {
      const all = waiting;
      waiting = [];
      for (const each of all) each();
    };
    // Hidden tabs have no animation frames.
    if (document.hidden) setTimeout(flush, 50);
    else requestAnimationFrame(flush);
  };
}
