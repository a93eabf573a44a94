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
