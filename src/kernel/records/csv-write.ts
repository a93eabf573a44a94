/**
 * Records as RFC 4180 writes them. A field that a spreadsheet would take for a formula is escaped (A147).
 *
 * @param records of texts; the first one is the header where there is one
 */
export async function csvText(records: readonly (readonly string[])[]): Promise<string> {
  // Loaded when somebody exports: every short command reads the files that call this one.
  const { stringify } = await import('csv-stringify/sync');
  return stringify(records as string[][], { record_delimiter: '\r\n', escape_formulas: true });
}

/** A value as a field: an object as JSON, what is missing as nothing. */
export function csvField(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Objects as lines of CSV, their fields in the order of the columns. */
export const csvLines = (columns: readonly string[], items: readonly object[]): Promise<string> =>
  csvText(items.map((item) => columns.map((name) => csvField((item as Record<string, unknown>)[name]))));
