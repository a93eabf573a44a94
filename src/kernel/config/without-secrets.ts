import { readFileSync } from 'node:fs';
import { holdsPassword } from './mask.ts';
import { findConfigKey } from './table.ts';

/** A configuration file without what nobody else may know. */
export interface OpenConfig {
  readonly text: string;
  /** Keys whose values are not in it. */
  readonly leftOut: readonly string[];
}

const HEAD =
  '# Configuration of appctl as it was when the backup was made. Comments and secrets are not in it.\n';

/** @param path of a file that was read as configuration before */
export async function withoutSecrets(path: string): Promise<OpenConfig> {
  const { parse, stringify } = await import('smol-toml');
  const leftOut: string[] = [];
  const open = (table: Record<string, unknown>, prefix: string): Record<string, unknown> => {
    const kept: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(table)) {
      const key = prefix + name;
      if (isSecret(key, value)) leftOut.push(key);
      else if (isTable(value)) kept[name] = open(value, `${key}.`);
      else kept[name] = value;
    }
    return kept;
  };
  const document = open(parse(readFileSync(path, 'utf8')) as Record<string, unknown>, '');
  const head = leftOut.length === 0 ? HEAD : `${HEAD}# Left out: ${leftOut.join(', ')}\n`;
  return { text: `${head}\n${stringify(document)}`, leftOut };
}

const isTable = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);

function isSecret(key: string, value: unknown): boolean {
  const secret = findConfigKey(key)?.secret;
  return secret === 'value' || (secret === 'url' && typeof value === 'string' && holdsPassword(value));
}
