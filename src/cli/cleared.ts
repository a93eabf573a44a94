import type { Cli } from './frame/context.ts';
import { usageError } from './frame/errors.ts';

/**
 * Fields that `--clear NAME` empties, as an update takes them.
 *
 * @param flags field to flag, `{ policyId: '--policy' }`
 * @throws usage error (2) when the same field is also given a value
 */
export function clearedFields(cli: Cli, flags: Readonly<Record<string, string>>): Record<string, null> {
  const entries = cli.list('clear').map((name): [string, null] => {
    if (cli.given(name)) throw usageError(`--clear ${name} and --${name} cannot be used together`);
    const field = Object.keys(flags).find((key) => flags[key] === `--${name}`);
    if (field === undefined) throw new Error(`no field has the flag --${name}`);
    return [field, null];
  });
  return Object.fromEntries(entries);
}
