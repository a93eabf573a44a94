import type { ConfigKey } from './key.ts';
import { configTable } from './table.ts';

/** Text of a value in TOML. */
function tomlValue(text: string): string {
  if (/^(true|false|\d{1,15})$/.test(text)) return text;
  return JSON.stringify(text);
}

function defaultText(row: ConfigKey): string {
  if (row.default === null) return '""';
  return tomlValue(row.default.replace('{origin}', 'http://127.0.0.1:8480'));
}

function shortKey(key: string): string {
  return key.slice(key.indexOf('.') + 1);
}

function entryLines(row: ConfigKey, value: string | undefined): string[] {
  const flags = (row.flags ?? []).map((form) => form.name).join(', ');
  const names = [row.env, flags].filter((name) => name !== '').join(', ');
  const line = `${shortKey(row.key)} = ${value === undefined ? defaultText(row) : tomlValue(value)}`;
  const fileForm =
    row.secret === undefined || value !== undefined ? [] : [`# ${shortKey(row.key)}_file = "/path"`];
  return [`# ${row.note}`, `# (${names})`, value === undefined ? `# ${line}` : line, ...fileForm, ''];
}

/**
 * Writes a config file with comments: keys in `values` are set, all others stand as comments with their
 * default. `{data_dir}` in a path or URL of the file stands for the data directory.
 * @param full every key; otherwise the common ones and those in `values`
 */
export function renderConfigFile(values: ReadonlyMap<string, string> = new Map(), full = false): string {
  const rows = configTable.filter(
    (row: ConfigKey) => row.toml !== false && (full || row.common || values.has(row.key)),
  );
  const sections = new Map<string, ConfigKey[]>();
  for (const row of rows) {
    const section = row.key.includes('.') ? row.key.slice(0, row.key.indexOf('.')) : '';
    sections.set(section, [...(sections.get(section) ?? []), row]);
  }
  const lines = ['# Configuration of appctl. Flags and environment variables override this file.', ''];
  // Keys without a section must stand before the first section, or TOML would read them into it.
  for (const section of [...sections.keys()].sort((a, b) => Number(a !== '') - Number(b !== ''))) {
    if (section !== '') lines.push(`[${section}]`);
    for (const row of sections.get(section) ?? []) lines.push(...entryLines(row, values.get(row.key)));
  }
  return `${lines.join('\n').trimEnd()}\n`;
}
