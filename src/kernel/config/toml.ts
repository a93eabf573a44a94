import { nearest } from '../edit-distance.ts';
import type { ConfigProblem } from './errors.ts';
import { configTable, findConfigKey } from './table.ts';

/** Keys of secrets that a file may hold as `<key>_file`, by that name. */
const fileForms = new Map(
  configTable.filter((row) => row.secret !== undefined).map((row) => [`${row.key}_file`, row.key]),
);

/** What the parser says and in which line; what the line holds stays out of it, since it may be a password. */
export function tomlFault(error: unknown): string {
  const { message, line } = error as Error & { line?: number };
  const [reason = ''] = message.split('\n', 1);
  const short = reason.replace(/^Invalid TOML document: /, '');
  return line === undefined ? short : `line ${line}: ${short}`;
}

/**
 * Reads a TOML file into dotted keys and texts. Numbers, switches and lists of texts become the text that a
 * variable would hold. Problems (syntax, unknown keys, values that are no text) go to `problems`.
 */
export async function readToml(
  path: string,
  text: string,
  problems: ConfigProblem[],
): Promise<Map<string, string>> {
  const values = new Map<string, string>();
  const { parse } = await import('smol-toml');
  let document: Record<string, unknown>;
  try {
    document = parse(text);
  } catch (error) {
    problems.push({
      key: path,
      message: `is not valid TOML: ${tomlFault(error)}`,
      hint: 'to see a valid file: appctl config init --out -',
    });
    return values;
  }
  for (const [key, value] of leaves(document, '')) {
    if (!isKnown(key)) {
      problems.push(unknownKey(path, key));
      continue;
    }
    const valueText = toText(value);
    if (valueText === undefined) {
      problems.push({
        key,
        message: `has a value of the wrong type in ${path}`,
        hint: 'write a text in quotes',
      });
    } else {
      values.set(key, valueText);
    }
  }
  return values;
}

function isKnown(key: string): boolean {
  const row = findConfigKey(key);
  if (row !== undefined) return row.toml !== false;
  const owner = fileForms.get(key);
  return owner !== undefined && findConfigKey(owner)?.toml !== false;
}

function* leaves(table: Record<string, unknown>, prefix: string): Generator<[string, unknown]> {
  for (const [name, value] of Object.entries(table)) {
    const key = `${prefix}${name}`;
    const isTable =
      typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
    const isSection = configTable.some((row) => row.key.startsWith(`${key}.`));
    if (isTable && (isSection || (!isKnown(key) && Object.keys(value).length > 0))) {
      yield* leaves(value as Record<string, unknown>, `${key}.`);
    } else {
      yield [key, value];
    }
  }
}

function unknownKey(path: string, key: string): ConfigProblem {
  const names = configTable.filter((row) => row.toml !== false).map((row) => row.key);
  const meant = nearest(key, [...names, ...fileForms.keys()]);
  const hint = meant === undefined ? 'appctl config init --full lists every key' : `did you mean ${meant}?`;
  return { key, message: `is not a known key of ${path}`, hint };
}

function toText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint')
    return String(value);
  if (!Array.isArray(value)) return undefined;
  const items = value.map(toText);
  return items.includes(undefined) ? undefined : items.join(',');
}
