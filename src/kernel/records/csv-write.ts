/** What a field may not hold outside of quotes. */
const QUOTED = /[",\r\n]/;
/** What a spreadsheet takes for the beginning of a formula, also in the full width of East Asian texts. */
const FORMULA = /^[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/;

/**
 * Records as RFC 4180 writes them. A field that a spreadsheet would take for a formula is escaped (A147).
 *
 * Not by csv-stringify, whose text it is: that one makes 25 KB of objects for a record of 45 fields, 2.5 GB for 100,000
 * of them, and V8 takes the more memory from the system the more it has to clear away.
 *
 * @param records of texts; the first one is the header where there is one
 */
export function csvText(records: readonly (readonly string[])[]): string {
  return records.map((record) => `${record.map(written).join(',')}\r\n`).join('');
}

function written(field: string): string {
  const safe = FORMULA.test(field) ? `'${field}` : field;
  return QUOTED.test(field) ? `"${safe.replaceAll(/"/g, '""')}"` : safe;
}

/** A value as a field: an object as JSON, what is missing as nothing. */
export function csvField(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Objects as lines of CSV, their fields in the order of the columns. */
export const csvLines = (columns: readonly string[], items: readonly object[]): string =>
  csvText(items.map((item) => columns.map((name) => csvField((item as Record<string, unknown>)[name]))));
