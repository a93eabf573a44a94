import type { Cli } from '../frame/context.ts';
import { usageError } from '../frame/errors.ts';

/**
 * Headers of --headers-file, --headers-stdin or --headers-env: one `Name: value` per line. What is in them never
 * reaches an error.
 *
 * @returns undefined when none was given
 * @throws usage error (2)
 */
export async function headersAsked(cli: Cli): Promise<Record<string, string> | undefined> {
  const given = await cli.secret('headers', { label: 'headers', optional: true });
  if (given === undefined) return undefined;
  const entries = given.value
    .split(/\r?\n/)
    .map((line, index) => ({ line: line.trim(), number: index + 1 }))
    .filter(({ line }) => line !== '')
    .map(({ line, number }): [string, string] => {
      const at = line.indexOf(':');
      if (at < 1)
        throw usageError(
          `--headers: line ${number} is not a header`,
          "write lines such as 'X-Team: licensing'",
        );
      return [line.slice(0, at).trim(), line.slice(at + 1).trim()];
    });
  if (entries.length === 0)
    throw usageError('--headers: no header was given', 'use --clear headers to remove all');
  const names = entries.map(([name]) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw usageError(`--headers: ${twice} appears twice`);
  return Object.fromEntries(entries);
}
