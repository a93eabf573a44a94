import type { Cli } from '../frame/context.ts';
import { usageError } from '../frame/errors.ts';
import { parseJsonObject, parsePairs } from '../frame/values.ts';

/** `--features JSON|@FILE`; undefined when it was not given. @throws usage error (2) for no JSON object */
export async function featuresAsked(cli: Cli): Promise<Record<string, unknown> | undefined> {
  const given = cli.option('features');
  if (given === undefined) return undefined;
  const text = given.startsWith('@') ? await cli.readText('--features', given.slice(1)) : given;
  return parseJsonObject('--features', text);
}

/** All `--meta NAME=VALUE`; undefined when none was given. @throws usage error (2) for one without a value */
export function metadataAsked(cli: Cli): Record<string, string> | undefined {
  if (!cli.given('meta')) return undefined;
  const pairs = Object.entries(parsePairs('--meta', cli.list('meta')));
  return Object.fromEntries(
    pairs.map(([name, value]) => {
      if (value === true) throw usageError(`--meta '${name}' has no value`, `write --meta ${name}=value`);
      return [name, value];
    }),
  );
}
