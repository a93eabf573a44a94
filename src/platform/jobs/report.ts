/** The report of a task as its page shows it: plain values as lines, lists of objects as tables. */
export interface ShownReport {
  readonly facts: readonly { readonly label: string; readonly text: string }[];
  readonly tables: readonly {
    readonly label: string;
    readonly columns: readonly string[];
    readonly rows: readonly (readonly string[])[];
  }[];
}

type Row = Readonly<Record<string, unknown>>;

const isRow = (value: unknown): value is Row =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isTable = (value: unknown): value is readonly Row[] =>
  Array.isArray(value) && value.length > 0 && value.every(isRow);

function written(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** `refusedRows` is `Refused rows`. */
function labelOf(name: string): string {
  const words = name.replaceAll(
    /([a-z])([A-Z])/g,
    (_, one: string, two: string) => `${one} ${two.toLowerCase()}`,
  );
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function tableOf(name: string, rows: readonly Row[]): ShownReport['tables'][number] {
  const fields = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return {
    label: labelOf(name),
    columns: fields.map(labelOf),
    rows: rows.map((row) => fields.map((field) => written(row[field]))),
  };
}

/** @param report of a task; null while it has none */
export function shownReport(report: Row | null): ShownReport {
  const entries = Object.entries(report ?? {});
  return {
    facts: entries
      .filter(([, value]) => !isTable(value) && written(value) !== '' && written(value) !== '[]')
      .map(([name, value]) => ({ label: labelOf(name), text: written(value) })),
    tables: entries.flatMap(([name, value]) => (isTable(value) ? [tableOf(name, value)] : [])),
  };
}
