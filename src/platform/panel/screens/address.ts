/** What the address of a list says, as it was asked for. */
export type Query = Readonly<Record<string, string>>;

/** Parameters that say how a list is shown, and not which rows are in it. */
export const SHOWN_BY: ReadonlySet<string> = new Set([
  'page',
  'limit',
  'cursor',
  'sort',
  'columns',
  'tab',
  'view',
  'done',
  'of',
]);

/** The filters and the search of a list: which rows are in it. */
export const narrowingOf = (query: Query): Query =>
  Object.fromEntries(Object.entries(query).filter(([name, value]) => !SHOWN_BY.has(name) && value !== ''));

/**
 * The address of a list that differs in some parameters; a list begins anew at its first page then.
 *
 * @param changes null takes a parameter away
 */
export function withQuery(
  path: string,
  query: Query,
  changes: Readonly<Record<string, string | null>>,
): string {
  const { page: _page, cursor: _cursor, done: _done, of: _of, ...kept } = query;
  const all = Object.entries({ ...kept, ...changes }).filter(
    (entry): entry is [string, string] => entry[1] !== null && entry[1] !== '',
  );
  return all.length === 0 ? path : `${path}?${new URLSearchParams(all)}`;
}
