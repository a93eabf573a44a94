// A text between quotes, a quoted name, or a placeholder: `?` of SQLite, `$1` of Postgres.
const PARTS = /'(?:[^']|'')*'|"[^"]*"|`[^`]*`|\?|\$(\d+)/g;
/** What needs no thought about escapes in either database. */
const PLAIN = /^[\w .:-]*$/;

/**
 * Writes the constant texts of a compiled statement into its SQL. An index over some rows only (`WHERE status =
 * 'active'`) serves a statement whose text says the same; a bound value does not, so that each look-up read all rows
 * (decision 0081).
 *
 * @param order names of parameters and constants, in the order of the placeholders
 * @returns the SQL, and what is still bound
 */
export function withConstantTexts<T extends string | { readonly constant: unknown }>(
  sql: string,
  order: readonly T[],
): { sql: string; order: T[] } {
  const kept: T[] = [];
  const places = new Map<number, number>();
  let at = 0;
  const written = sql.replaceAll(PARTS, (part, numbered: string | undefined) => {
    if (part !== '?' && numbered === undefined) return part;
    const place = numbered === undefined ? at++ : Number(numbered) - 1;
    const slot = order[place] as T;
    if (typeof slot !== 'string' && typeof slot.constant === 'string' && PLAIN.test(slot.constant))
      return `'${slot.constant}'`;
    const known = places.get(place);
    if (known !== undefined && numbered !== undefined) return `$${known}`;
    kept.push(slot);
    places.set(place, kept.length);
    return numbered === undefined ? '?' : `$${kept.length}`;
  });
  return { sql: written, order: kept };
}
