/** A number with its noun: `1 row`, `2 rows`; with a plural of its own, `2 entries`. */
export const counted = (count: number, noun: string, plural = `${noun}s`): string =>
  `${count} ${count === 1 ? noun : plural}`;
