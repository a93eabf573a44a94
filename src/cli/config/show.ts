import { maskEntry } from '#kernel/config/mask.ts';
import type { ConfigEntry } from '#kernel/config/resolve.ts';
import { type ConfigKeyName, configTable } from '#kernel/config/table.ts';
import { nearest } from '#kernel/edit-distance.ts';
import type { Cli } from '../frame/context.ts';
import { notFoundError } from '../frame/errors.ts';
import type { Column } from '../frame/rows.ts';

type ShownEntry = ConfigEntry & { key: ConfigKeyName };

/** `appctl config show [KEY…]`. */
export async function showConfig(cli: Cli): Promise<void> {
  const keys = selectKeys(cli.argumentList('key'));
  const { entries } = await cli.config();
  const reveal = cli.flag('reveal');
  const shown = keys.map((key): ShownEntry => {
    return { key, ...(reveal ? entries[key] : maskEntry(key, entries[key])) };
  });
  const document = Object.fromEntries(shown.map(({ key, ...entry }) => [key, entry]));
  const columns: Column<ShownEntry>[] = [
    { key: 'key' },
    { key: 'value', text: ({ value }) => (value === null ? '-' : String(value)) },
  ];
  if (cli.flag('sources')) columns.push({ key: 'source' }, { key: 'name' });
  await cli.out.rows(document, shown, columns);
}

/** @throws CliError (3) for a name that is neither a key nor a group */
function selectKeys(names: readonly string[]): readonly ConfigKeyName[] {
  const all = configTable.map((row) => row.key);
  if (names.length === 0) return all;
  const selected = names.flatMap((name) => {
    const found = all.filter((key) => key === name || key.startsWith(`${name}.`));
    if (found.length > 0) return found;
    const meant = nearest(name, all);
    const hint = meant === undefined ? 'appctl config show lists every key' : `did you mean ${meant}?`;
    throw notFoundError(`unknown configuration key '${name}'`, hint);
  });
  return [...new Set(selected)];
}

/** Offers every configuration key. */
export async function completeConfigKeys(): Promise<readonly string[]> {
  return configTable.map((row) => row.key);
}
