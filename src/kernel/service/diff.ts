import { isDeepStrictEqual } from 'node:util';

/** What changed, as the timeline stores it: `{field: [before, after]}`. */
export type Changes = Record<string, [before: unknown, after: unknown]>;

/** The fields whose values differ. JSON objects with the same entries in another order are equal. */
export function changesBetween<T extends object>(before: T, after: T): Changes {
  const changes: Changes = {};
  for (const [field, value] of Object.entries(after)) {
    const old = (before as Record<string, unknown>)[field];
    if (!isDeepStrictEqual(old, value)) changes[field] = [old, value];
  }
  return changes;
}
