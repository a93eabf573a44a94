// Medians: one slow slice on a shared machine must not move a figure.

/** The middle of a list, or the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((left, right) => left - right);
  const middle = sorted.length / 2;
  const [low, high] = [sorted[Math.ceil(middle) - 1] ?? 0, sorted[Math.floor(middle)] ?? 0];
  return (low + high) / 2;
}

/** The median of each figure by itself. */
export function medianOf<T extends Record<keyof T, number>>(list: readonly T[]): T {
  const names = Object.keys(list[0] ?? {}) as (keyof T)[];
  return Object.fromEntries(names.map((name) => [name, median(list.map((one) => one[name]))])) as T;
}
