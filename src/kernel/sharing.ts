import { z } from 'zod';

interface Known<K, V> {
  get(key: K): V | undefined;
  set(key: K, value: V): unknown;
}

/**
 * Keeps what a function without effects made last: for what follows a setting, which every page asks for and hardly
 * anybody changes.
 */
export function keepingLast<A extends string[], R>(make: (...of: A) => R): (...of: A) => R {
  let last: { readonly of: A; readonly made: R } | undefined;
  return (...of) => {
    if (!last?.of.every((one, at) => one === of[at])) last = { of, made: make(...of) };
    return last.made;
  };
}

/**
 * Makes one value for each key, of what never changes. Schemas are so (`check` and `meta` return another one), and the
 * thousands of fields that are declared ask for the same few: each anew would hold a kilobyte and cost the start its
 * making.
 *
 * @param known where they are kept; a WeakMap where keys may go
 */
export const sharing =
  <K, V>(known: Known<K, V>) =>
  <Key extends K>(key: Key, make: (key: Key) => V): V => {
    const found = known.get(key);
    if (found !== undefined) return found;
    const made = make(key);
    known.set(key, made);
    return made;
  };

/** The same function, which is called at most once. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

/** What stands for a schema until it is asked for something. */
class StandIn {
  readonly #make: () => z.ZodType;
  #made: z.ZodType | undefined;
  /** What others hold in place of the schema. */
  readonly shown: z.ZodType;

  constructor(make: () => z.ZodType) {
    this.#make = make;
    this.shown = new Proxy(this, handler) as unknown as z.ZodType;
  }

  get schema(): z.ZodType {
    if (this.#made) return this.#made;
    const made = this.#make();
    this.#made = made;
    // Documents look for the words of a schema under what they found in their hands.
    const words = z.globalRegistry.get(made);
    if (words) z.globalRegistry.add(this.shown, words);
    return made;
  }
}

// The methods of zod are bound to the stand-in, not to the schema: what they make refers to the stand-in again, so that
// a part is the same thing wherever it is used. A document tells its components apart by that.
const handler: ProxyHandler<StandIn> = {
  get: ({ schema }, name, self) => Reflect.get(schema, name, self),
  set: ({ schema }, name, value, self) => Reflect.set(schema, name, value, self),
  defineProperty: ({ schema }, name, how) => Reflect.defineProperty(schema, name, how),
  has: ({ schema }, name) => Reflect.has(schema, name),
  getPrototypeOf: ({ schema }) => Reflect.getPrototypeOf(schema),
};

/**
 * A schema that is made when it is first asked for something: with its parts it costs kilobytes, and most of the
 * requests that schemas are for never come (decision 0096). It is used like any other.
 *
 * @param make is called once
 */
export const later = <T extends z.ZodObject>(make: () => T): T => new StandIn(make).shown as T;
