// Chance that can be repeated: every choice of a run is drawn from the number that it prints.

/** A source of numbers. */
export interface Random {
  /** A whole number from 0 to `below` - 1. */
  below(below: number): number;
  /** One of the given values. */
  pick<T>(values: readonly [T, ...T[]]): T;
  /** Lower-case letters and digits. */
  word(length: number): string;
  /** The same values in another order. */
  shuffled<T>(values: readonly T[]): T[];
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyz0123456789';

/**
 * A generator (mulberry32) that gives the same numbers for the same seed.
 *
 * @param seed 32-bit integer
 */
export function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    below,
    pick: (values) => values[below(values.length)] as (typeof values)[0],
    word: (length) => Array.from({ length }, () => LETTERS[below(LETTERS.length)]).join(''),
    shuffled: (values) => {
      const order = [...values];
      for (let i = order.length - 1; i > 0; i--) {
        const j = below(i + 1);
        [order[i], order[j]] = [order[j] as (typeof order)[0], order[i] as (typeof order)[0]];
      }
      return order;
    },
  };
}
