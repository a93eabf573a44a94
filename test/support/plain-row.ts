// A row as both databases have it: flags as numbers, JSON with its names in order.

/** A row as a text that is the same whichever database it was read from. */
export const plainRow = (row: object): string => JSON.stringify(Object.entries(row).map(plain).sort());

function plain([name, value]: [string, unknown]): [string, unknown] {
  if (typeof value === 'boolean') return [name, String(Number(value))];
  if (typeof value !== 'string' || !/^[[{"]/.test(value)) return [name, String(value)];
  try {
    return [name, inOrder(JSON.parse(value))];
  } catch {
    return [name, value];
  }
}

function inOrder(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(inOrder);
  const names = Object.keys(value).sort();
  return names.map((name) => [name, inOrder((value as Record<string, unknown>)[name])]);
}
